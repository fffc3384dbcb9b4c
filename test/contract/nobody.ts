import { nobodyAt } from '../harness/paths.ts';

export const NO_LOGIN = 'lgn_01j5xq2w8se6fa7t0a6q1n3k2m';

export const NO_DELIVERY = 'whd_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_CONNECTION = 'con_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_NOTICE = 'ntc_01j5xq2w8se6fa7t0a6q1n3k2m';

const OWNERS: readonly (readonly [string, string])[] = [
  ['/logins', NO_LOGIN],
  ['/webhooks', NO_DELIVERY],
  ['/connections', NO_CONNECTION],
];

/** An id of the right shape that nobody has, for a route's path. */
export const nobody = (path: string): string => OWNERS.find(([start]) => path.startsWith(start))?.[1] ?? nobodyAt(path);

const ANY_PAGE = '?url=https%3A%2F%2Fexample.com%2F';

/** What a route must be asked beside its id, to be asked at all. */
export const queries: Readonly<Record<string, string>> = {
  '/crawl/{id}/page': ANY_PAGE,
  '/crawl/{id}/screenshot': '?page=cap_01j5xq2w8se6fa7t0a6q1n3k2m',
  '/projects/{id}/pages/content': ANY_PAGE,
  '/projects/{id}/pages/screenshot': ANY_PAGE,
  '/projects/{id}/pages/removed': ANY_PAGE,
  '/projects/{id}/changes/page': ANY_PAGE,
  '/projects/{id}/changes/markup': ANY_PAGE,
  '/projects/{id}/changes/screenshot': ANY_PAGE,
};

/** What a route with an id must be sent to be asked at all; nothing where it needs nothing. */
export const bodies: Readonly<Record<string, object>> = {
  '/projects/{id}/config/apply': { project_ids: ['prj_01j5xq2w8se6fa7t0a6q1n3k2m'], groups: ['all'] },
  '/projects/{id}/pages/recrawl': { urls: ['https://example.com/'] },
  '/projects/{id}/pages/search': { q: 'tide' },
  '/projects/{id}/selectors/match': { selectors: ['h1'] },
  '/connections/{id}': { name: 'Another' },
};

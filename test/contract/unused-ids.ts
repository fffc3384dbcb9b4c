import { NO_CREDIT_NOTE, NO_DESTINATION, NO_INVOICE, unusedIdAt } from '../harness/paths.ts';

export const NO_LOGIN = 'lgn_01j5xq2w8se6fa7t0a6q1n3k2m';

export const NO_DELIVERY = 'whd_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_CONNECTION = 'con_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_SYNC = 'syn_01j5xq2w8se6fa7t0a6q1n3k2m';
export const NO_NOTICE = 'ntc_01j5xq2w8se6fa7t0a6q1n3k2m';

const OWNERS: readonly (readonly [string, string])[] = [
  ['/logins', NO_LOGIN],
  ['/me/billing/invoices', NO_INVOICE],
  ['/me/billing/credit-notes', NO_CREDIT_NOTE],
  ['/webhooks', NO_DELIVERY],
  ['/connections', NO_CONNECTION],
  ['/destinations', NO_DESTINATION],
  ['/syncs', NO_SYNC],
];

/** Returns a well-formed id that does not exist, for a route's path. */
export const unusedId = (path: string): string =>
  OWNERS.find(([start]) => path.startsWith(start))?.[1] ?? unusedIdAt(path);

const ANY_PAGE = '?url=https%3A%2F%2Fexample.com%2F';

/** Required query parameters, by route. */
export const queries: Readonly<Record<string, string>> = {
  '/crawl/{id}/page': ANY_PAGE,
  '/crawl/{id}/screenshot': '?page=cap_01j5xq2w8se6fa7t0a6q1n3k2m',
  '/crawl/{id}/export': '?dataset=pages',
  '/projects/{id}/export': '?dataset=pages',
  '/projects/{id}/pages/content': ANY_PAGE,
  '/projects/{id}/pages/versions': ANY_PAGE,
  '/projects/{id}/pages/blame': ANY_PAGE,
  '/projects/{id}/pages/screenshot': ANY_PAGE,
  '/projects/{id}/pages/removed': ANY_PAGE,
  '/projects/{id}/changes/page': ANY_PAGE,
  '/projects/{id}/changes/markup': ANY_PAGE,
  '/projects/{id}/changes/screenshot': ANY_PAGE,
};

/** Required bodies of routes with an id, by path. */
const bodies: Readonly<Record<string, object>> = {
  '/projects/{id}/changes/ignored/{ignored}': { ignore: false },
  '/projects/{id}/config/apply': { project_ids: ['prj_01j5xq2w8se6fa7t0a6q1n3k2m'], groups: ['all'] },
  '/projects/{id}/export': { dataset: 'pages', urls: ['https://example.com/'] },
  '/projects/{id}/pages/recrawl': { urls: ['https://example.com/'] },
  '/projects/{id}/pages/search': { q: 'tide' },
  '/projects/{id}/alerts/preview': { when: 'words_added > 0' },
  '/projects/{id}/recorder/{recorder}': { actions: [] },
  '/projects/{id}/recorder/{recorder}/input': { type: 'scroll' },
  '/projects/{id}/recorder/{recorder}/pick': { x: 1, y: 1 },
  '/projects/{id}/recorder/{recorder}/play': { actions: [] },
  '/projects/{id}/selectors/match': { selectors: ['h1'] },
  '/connections/{id}': { name: 'Another' },
  '/destinations/{id}': { name: 'Another' },
  '/projects/{id}/destinations': { name: 'One', connection_id: NO_CONNECTION },
  '/projects/{id}/destinations/{dest}': { name: 'Another' },
  '/auth/views/{id}': { name: 'Another' },
  '/orgs/children/{child_id}': { name: 'Another' },
  '/orgs/children/{child_id}/keys': { name: 'another' },
};

/** Returns the required query string of a route; empty if it needs none. */
export const queryOf = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  method.toLowerCase() === 'get' ? (queries[path] ?? '') : '';

/** Returns the required body of a route with an id; undefined if it needs none. */
export const bodyOf = ({ method, path }: { readonly method: string; readonly path: string }): object | undefined =>
  ['post', 'patch', 'put'].includes(method.toLowerCase()) ? bodies[path] : undefined;

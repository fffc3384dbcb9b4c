import type { BadInput } from './case.ts';

const ID = 'prj_01j5xq2w8se6fa7t0a6q1n3k2m';
const RUN = 'run_01j5xq2w8se6fa7t0a6q1n3k2m';
const URL = 'url=https%3A%2F%2Fexample.com%2F';

const badGet = (path: string, names: string): BadInput => ({
  name: `GET ${path}`.slice(0, 120),
  method: 'GET',
  path,
  status: 422,
  names,
});

const sent = (path: string, body: unknown, names: string): BadInput => ({
  name: `to ${path} ${JSON.stringify(body)}`.slice(0, 120),
  path,
  body,
  status: 422,
  names,
});

const ofPages: readonly BadInput[] = [
  badGet(`/projects/${ID}/pages?q=${'x'.repeat(2_001)}`, 'q'),
  ...['content', 'versions', 'blame', 'screenshot', 'removed'].flatMap((name) => [
    badGet(`/projects/${ID}/pages/${name}`, 'url'),
    badGet(`/projects/${ID}/pages/${name}?url=${'x'.repeat(2_049)}`, 'url'),
    badGet(`/projects/${ID}/pages/${name}?${URL}&run=run_1`, 'run'),
  ]),
  badGet(`/projects/${ID}/pages/content?${URL}&format=pdf`, 'format'),
  ...['yesterday', '2026-13-01', '1764028800', '2026-01-01T00:00:00'].map((at) =>
    badGet(`/projects/${ID}/pages/content?${URL}&at=${at}`, 'at'),
  ),
  { ...badGet(`/projects/${ID}/pages/content?${URL}&at=2026-01-01&run_id=${RUN}`, 'at'), status: 400 },
  badGet(`/projects/${ID}/pages/blame?${URL}&at=now`, 'at'),
  { ...badGet(`/projects/${ID}/changes/page?${URL}&to=2026-01-01&run_id=${RUN}`, 'to'), status: 400 },
  ...['7', 'run_1'].map((cursor) => badGet(`/projects/${ID}/pages/versions?${URL}&cursor=${cursor}`, 'cursor')),
  ...[undefined, '', '  ', 5, 'x'.repeat(2_001)].map((q) => sent(`/projects/${ID}/pages/search`, { q }, 'q')),
  ...['css', null, 5].map((mode) => sent(`/projects/${ID}/pages/search`, { q: 'tide', mode }, 'mode')),
  ...[0, 101, '5'].map((limit) => sent(`/projects/${ID}/pages/search`, { q: 'tide', limit }, 'limit')),
  ...['12', 'run_1.5', `run_01j5xq2w8se6fa7t0a6q1n3k2m.-1`].map((cursor) =>
    sent(`/projects/${ID}/pages/search`, { q: 'tide', cursor }, 'cursor'),
  ),
  sent(
    `/projects/${ID}/pages/search`,
    { q: 'tide', run_id: 'run_01j5xq2w8se6fa7t0a6q1n3k2n', cursor: 'run_01j5xq2w8se6fa7t0a6q1n3k2m.1' },
    'cursor',
  ),
  ...[
    undefined,
    [],
    'https://example.com/',
    ['ftp://example.com/'],
    Array.from({ length: 1_001 }, () => 'https://a.example/'),
  ].map((urls) => sent(`/projects/${ID}/pages/recrawl`, { urls }, 'urls')),
  ...[undefined, [], 'h1', [''], ['x'.repeat(1_001)], Array.from({ length: 51 }, () => 'h1')].map((selectors) =>
    sent(`/projects/${ID}/selectors/match`, { selectors }, 'selectors'),
  ),
  ...[5, ''].map((page) => sent(`/projects/${ID}/selectors/match`, { selectors: ['h1'], page }, 'page')),
  ...[{ colour: 1 }, 'text'].map((config) => sent(`/projects/${ID}/content/preview`, { config }, 'config')),
];

const ofSources: readonly BadInput[] = ['dry-run', 'sources/preview'].flatMap((name) => [
  sent(`/projects/${ID}/${name}`, { include_paths: 'all' }, 'include_paths'),
  sent(`/projects/${ID}/${name}`, { include_paths: ['a\u0000'] }, 'include_paths'),
  sent(`/projects/${ID}/${name}`, { render_js: 'never' }, 'render_js'),
  sent(`/projects/${ID}/${name}`, { config: { colour: 'blue' } }, 'colour'),
  sent(`/projects/${ID}/${name}`, { config: { max_pages: 0 } }, 'config.max_pages'),
]);

const ofDiscovery: readonly BadInput[] = [
  sent(`/projects/${ID}/discovery`, { url: 'https://example.com/' }, 'url'),
  ...['-1', '1.5', 'next', '1e12'].map((cursor) =>
    badGet(`/projects/${ID}/discovery/entries?cursor=${cursor}`, 'cursor'),
  ),
  ...['0', '1001', 'all'].map((limit) => badGet(`/projects/${ID}/discovery/entries?limit=${limit}`, 'limit')),
  badGet(`/projects/${ID}/discovery/entries?set=same`, 'set'),
];

const session = { site: 'example.com', cookies: [{ name: 'sid', value: 'x' }], terms_accepted: true };
const login = (over: Readonly<Record<string, unknown>>, names: string): BadInput =>
  sent('/logins', { ...session, ...over }, names);

const ofLogins: readonly BadInput[] = [
  ...[undefined, '', 5, 'ftp://example.com', 'two words', 'a@example.com'].map((site) => login({ site }, 'site')),
  ...[undefined, null, 5, [], '', {}, { cookies: [] }, 'sid=x', '{"a":1}', '[{"name":"sid"}]'].map((cookies) =>
    login({ cookies }, 'cookies'),
  ),
  login({ cookies: [{ name: 'sid', value: 'x', domain: 'elsewhere.example' }] }, 'cookies'),
  login({ cookies: [{ name: 'sid', value: 'a\r\nb: c' }] }, 'cookies'),
  login({ cookies: Array.from({ length: 201 }, (_, i) => ({ name: `c${i}`, value: 'x' })) }, 'cookies'),
  login({ cookies: [{ name: 'sid', value: 'x', expires: 1_000_000_000 }] }, 'cookies'),
  ...[undefined, false, 'true', 1].map((terms_accepted) => login({ terms_accepted }, 'terms_accepted')),
  ...[5, 'x'.repeat(201), '\ud800'].map((name) => login({ name }, 'name')),
  login({ session: 'x' }, 'session'),
  ...['nonsense', 'prj_01j5xq2w8se6fa7t0a6q1n3k2m'].map((cursor) => badGet(`/logins?cursor=${cursor}`, 'cursor')),
];

const ofKeeping: readonly BadInput[] = [
  sent(`/crawl/${RUN}/keep`, { schedule: 'sometimes' }, 'schedule'),
  sent(`/crawl/${RUN}/keep`, { retention: 0 }, 'retention'),
  sent(`/crawl/${RUN}/keep`, { timezone: '+02:00' }, 'timezone'),
  sent(`/crawl/${RUN}/keep`, { config: {} }, 'config'),
  ...[
    { colour: 1 },
    { maxPages: 5 },
    { chat_url: 'https://hooks.example/***' },
    { webhook_metadata: { a: '\u0000' } },
  ].map((config) => sent('/crawl', { url: 'https://example.com/', config }, `${Object.keys(config)[0]}`)),
  sent('/crawl', { url: 'https://example.com/', includePaths: ['a\u0000'] }, 'includePaths'),
];

export const pages: readonly BadInput[] = [...ofPages, ...ofSources, ...ofDiscovery, ...ofLogins, ...ofKeeping];

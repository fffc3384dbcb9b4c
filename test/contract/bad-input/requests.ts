import { type BadInput, FINE, scrape } from './case.ts';

const body = (name: string, text: string, status: number, names: string, headers = {}): BadInput => ({
  name,
  path: '/scrape',
  body: text,
  headers,
  status,
  names,
});

const fine = JSON.stringify({ url: FINE });

const bodies: readonly BadInput[] = [
  ...['{', '{"url":', "{'url': 'x'}", '{"url": undefined}', 'url=http://example.com/', '[1,', '\u0000', 'NaN'].map(
    (text) => body(`the body ${JSON.stringify(text)}`, text, 400, 'JSON'),
  ),
  ...['null', '5', '"text"', '[]', 'true'].map((text) => body(`the JSON ${text} for a body`, text, 422, 'body')),
  body('a timeout beyond every number', `{"url":"${FINE}","timeout":1e400}`, 422, 'timeout'),
  body('an empty body', '', 422, 'url'),
  body('an empty object', '{}', 422, 'url'),
  body('a hundred thousand open brackets', '['.repeat(100_000), 400, 'JSON'),
  body('a body over a megabyte', JSON.stringify({ url: FINE, formats: 'x'.repeat(1_048_577) }), 413, '1048576'),
  body('a form', 'url=http%3A%2F%2Fexample.com', 400, 'Content-Type', {
    'content-type': 'application/x-www-form-urlencoded',
  }),
  body('JSON sent as plain text', fine, 400, 'Content-Type', { 'content-type': 'text/plain' }),
  body('JSON in a charset that is none', fine, 400, 'UTF-8', { 'content-type': 'application/json; charset=klingon' }),
  body('a body said to be compressed', fine, 400, 'encoding', { 'content-encoding': 'gzip' }),
];

const pollution: readonly BadInput[] = [
  body('__proto__ in the body', `{"url":"${FINE}","__proto__":{"polluted":true}}`, 422, '__proto__'),
  body('__proto__ in the config', `{"url":"${FINE}","config":{"__proto__":{"max_tier":"http"}}}`, 422, '__proto__'),
  scrape({ constructor: { prototype: { polluted: true } } }, 'constructor'),
  scrape({ config: { constructor: { prototype: { polluted: true } } } }, 'constructor'),
  { name: '__proto__ in the query', method: 'GET', path: '/scrape?__proto__=x', status: 422, names: '__proto__' },
];

const list = (query: string, names: string): BadInput[] =>
  ['/scrape', '/me/keys'].map((path) => ({
    name: `GET ${path}?${query}`.slice(0, 100),
    method: 'GET',
    path: `${path}?${query}`,
    status: 422,
    names,
  }));

const lists: readonly BadInput[] = [
  ...['0', '-1', '1001', '1.5', 'ten', '', '1e9', 'NaN', '1;2'].flatMap((limit) =>
    list(`limit=${encodeURIComponent(limit)}`, 'limit'),
  ),
  ...list('limit=1&limit=2', 'limit'),
  ...list(`cursor=${'x'.repeat(513)}`, 'cursor'),
  ...['nonsense', '%00', 'ws_01j5xq2w8se6fa7t0a6q1n3k2m', 'job_%27%20OR%201=1--', '..%2F..'].flatMap((cursor) =>
    list(`cursor=${cursor}`, 'cursor'),
  ),
  ...list('page=2', 'page'),
];

const ids: readonly BadInput[] = ['/scrape/', '/me/keys/'].flatMap((path): BadInput[] => [
  ...[
    'nothing',
    '%00',
    '..%2F..%2Fetc%2Fpasswd',
    "1'%20OR%201=1--",
    '__proto__',
    'constructor',
    `${'x'.repeat(5_000)}`,
  ].map(
    (id): BadInput => ({
      name: `DELETE ${path}${id.slice(0, 40)}`,
      method: 'DELETE',
      path: `${path}${id}`,
      status: 404,
      code: 'not_found',
      names: 'not found',
    }),
  ),
  { name: `DELETE ${path} with a broken escape`, method: 'DELETE', path: `${path}%zz`, status: 400, names: 'path' },
]);

const idempotency: readonly BadInput[] = [
  ['too long', 'x'.repeat(256)],
  ['not printable', 'caf\u00e9'],
  ['a tab', 'a\tb'],
].map(([name, key]) => ({
  name: `an Idempotency-Key that is ${name}`,
  path: '/scrape',
  body: { url: FINE },
  headers: { 'idempotency-key': key ?? '' },
  status: 422,
  names: 'Idempotency-Key',
}));

const keys: readonly BadInput[] = [
  ['an empty one', 'Bearer '],
  ['no scheme', 'service_x'],
  ['another scheme', 'Token service_x'],
  ['too many words', 'Bearer service_x service_y'],
  ['a wrong checksum', `Bearer service_${'A'.repeat(38)}`],
  ['control characters', 'Bearer service_\u0080x'],
  ['a key of 10,000 characters', `Bearer service_${'A'.repeat(10_000)}`],
].map(([name, authorization]) => ({
  name: `an Authorization header with ${name}`,
  method: 'GET',
  path: '/me',
  headers: { authorization: authorization ?? '' },
  status: 401,
  code: 'unauthorized',
  names: 'Bearer service_…',
}));

export const requests: readonly BadInput[] = [...bodies, ...pollution, ...lists, ...ids, ...idempotency, ...keys];

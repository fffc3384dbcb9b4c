import type { BadInput } from './case.ts';

const PROJECT = 'prj_01j5xq2w8se6fa7t0a6q1n3k2m';
const CONNECTION = 'con_01j5xq2w8se6fa7t0a6q1n3k2m';

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

const ofWebhooks: readonly BadInput[] = [
  ...['0', '1001', 'all'].map((limit) => badGet(`/webhooks?limit=${limit}`, 'limit')),
  ...['nonsense', 'whd_01j5xq2w8se6fa7t0a6q1n3k2m', '%00'].map((cursor) =>
    badGet(`/webhooks?cursor=${cursor}`, 'cursor'),
  ),
  ...['0', '-1', '201', '1.5', 'all'].map((limit) => badGet(`/webhooks/deliveries?limit=${limit}`, 'limit')),
  ...['nonsense', PROJECT, "1'%20OR%201=1--"].map((cursor) =>
    badGet(`/webhooks/deliveries?cursor=${cursor}`, 'cursor'),
  ),
  ...['nonsense', PROJECT, '', '%00'].map((run) => badGet(`/webhooks/deliveries?runId=${run}`, 'runId')),
  ...['nonsense', CONNECTION, ''].map((project) => badGet(`/webhooks/deliveries?projectId=${project}`, 'projectId')),
  ...['sent', 'PAUSED', ''].map((status) => badGet(`/webhooks/deliveries?status=${status}`, 'status')),
  badGet('/webhooks/deliveries?run_id=run_01j5xq2w8se6fa7t0a6q1n3k2m', 'run_id'),
  sent(`/projects/${PROJECT}/webhooks/test`, { event: 'page.changed' }, 'event'),
  sent(`/projects/${PROJECT}/webhooks/secret`, { secret: 'whsec_mine' }, 'secret'),
  sent('/webhooks/deliveries/whd_01j5xq2w8se6fa7t0a6q1n3k2m/redeliver', { url: 'https://example.com/' }, 'url'),
];

const connection = (over: object, names: string): BadInput =>
  sent('/connections', { provider: 'openai', name: 'one', ...over }, names);
const patched = (body: object, names: string): BadInput => ({
  ...sent(`/connections/${CONNECTION}`, body, names),
  method: 'PATCH',
});

const ofConnections: readonly BadInput[] = [
  ...[undefined, '', 5, null, 'x'.repeat(101)].map((provider) => connection({ provider }, 'provider')),
  connection({ provider: 'unknown' }, 'provider'),
  ...[undefined, '', '  ', 5, 'x'.repeat(101), 'a\u0000b', '\ud800'].map((name) => connection({ name }, 'name')),
  ...['text', 5, [], null, { a: '\u0000' }, { a: 'x'.repeat(10_001) }].map((config) =>
    connection({ config }, 'config'),
  ),
  ...['sk', 5, [], { api_key: 5 }, { api_key: '' }, { api_key: null }, { api_key: 'x'.repeat(8_001) }].map((secrets) =>
    connection({ secrets }, 'secrets'),
  ),
  connection({ secrets: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, 'x'])) }, 'secrets'),
  connection({ config: { colour: 'blue' } }, 'colour'),
  connection({ secrets: { colour: 'blue' } }, 'colour'),
  connection({ id: CONNECTION }, 'id'),
  patched({}, 'expected at least one field to change'),
  patched({ name: null }, 'name'),
  patched({ provider: 'anthropic' }, 'provider'),
  patched({ secrets: { api_key: '' } }, 'secrets'),
  sent(`/connections/${CONNECTION}/test`, { prompt: 'x' }, 'prompt'),
  ...['0', '1001'].map((limit) => badGet(`/connections?limit=${limit}`, 'limit')),
  ...['nonsense', PROJECT].map((cursor) => badGet(`/connections?cursor=${cursor}`, 'cursor')),
  badGet('/connections/providers?limit=5', 'limit'),
];

const ofNotices: readonly BadInput[] = [
  ...['0', '1001'].map((limit) => badGet(`/me/notifications?limit=${limit}`, 'limit')),
  ...['nonsense', PROJECT].map((cursor) => badGet(`/me/notifications?cursor=${cursor}`, 'cursor')),
  ...['nothing', '%00', '..%2F..%2Fetc%2Fpasswd', CONNECTION].map(
    (id): BadInput => ({
      name: `the notification ${id}`,
      path: `/me/notifications/${id}/seen`,
      body: {},
      status: 404,
      code: 'not_found',
      names: 'notification not found: expected an id such as ntc_01j…',
    }),
  ),
  sent('/me/notifications/ntc_01j5xq2w8se6fa7t0a6q1n3k2m/seen', { seen: true }, 'seen'),
];

/** Patterns that would compile to 200,000 instructions. */
const COSTLY_PATTERNS = Array.from({ length: 200 }, () => 're:(.{0,500}){0,1}a<i>(.*a){9}');

/** Settings that would fail only later, in a run or in a notification. */
const ofConfigs: readonly BadInput[] = [
  ...Object.entries({
    include_paths: ['/fine/*', 're:('],
    exclude_paths: ['re:(?=a)'],
    sitemap_include: ['re:\\1'],
    sitemap_exclude: ['re:['],
    exclude_selectors: ['nav', 'nav['],
    include_selectors: ['main['],
    volatile_selectors: ['//div['],
    fields: { price: { selector: '::' } },
    webhook_url: 'http://169.254.169.254/latest/',
    chat_url: `http://10.0.0.1/hooks/${'a'.repeat(26)}`,
    change_digest: { connection_id: CONNECTION },
  }).map(([key, value]) =>
    sent('/projects', { seed: 'https://example.com/', config: { [key]: value } }, `config.${key}`),
  ),
  ...['dry-run', 'sources/preview'].flatMap((name) => [
    sent(`/projects/${PROJECT}/${name}`, { config: { include_paths: 're:(' } }, 'config.include_paths'),
  ]),
  sent('/crawl', { url: 'https://example.com/', config: { include_paths: ['re:('] } }, 'config.include_paths'),
  sent(
    '/crawl',
    { url: 'https://example.com/', webhook: { url: 'https://a.example/***' } },
    'webhook.url: the URL is masked',
  ),
  sent(
    '/scrape',
    { urls: ['https://example.com/'], webhook_url: 'https://a.example/***' },
    'webhook_url: the URL is masked',
  ),
  sent('/crawl', { url: 'https://example.com/', excludePaths: ['re:('] }, 'excludePaths: '),
  sent(
    '/crawl',
    { url: 'https://example.com/', config: { webhook_url: 'http://169.254.169.254/latest/' } },
    'config.webhook_url',
  ),
  sent(
    '/crawl',
    { url: 'https://example.com/', excludePaths: ['/a', ...COSTLY_PATTERNS.slice(1)] },
    'excludePaths: pattern 2 ',
  ),
  sent(
    '/projects',
    { seed: 'https://example.com/', config: { sitemap_include: COSTLY_PATTERNS } },
    'config.sitemap_include: pattern 1 ',
  ),
];

/** Notification settings: recipients, events and addresses. */
export const receivers: readonly BadInput[] = [...ofWebhooks, ...ofConnections, ...ofNotices, ...ofConfigs];

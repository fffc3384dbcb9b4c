import { type BadInput, FINE } from './case.ts';

const named = (what: string, over: unknown): string => `${what} ${JSON.stringify(over)}`.slice(0, 120);

/** Returns an invalid project: a valid one with some keys replaced. */
const project = (over: Readonly<Record<string, unknown>>, names: string, status = 422): BadInput => ({
  name: named('a project with', over),
  path: '/projects',
  body: { seed: FINE, ...over },
  status,
  names,
});
const configured = (config: unknown, names: string): BadInput => project({ config }, names);

const sent = (path: string, body: unknown, names: string): BadInput => ({
  name: named(`to ${path}`, body),
  path,
  body,
  status: 422,
  names,
});

const ID = 'prj_01j5xq2w8se6fa7t0a6q1n3k2m';

const ofProject: readonly BadInput[] = [
  ...[undefined, null, '', 'ftp://example.com/', 5].map((seed) => project({ seed }, 'seed')),
  ...[5, 'x'.repeat(201), 'a\u0000b', 'a\nb', 'a\u001bb', 'a\u2028b', '\ud800'].map((name) =>
    project({ name }, 'name'),
  ),
  ...['', 'sometimes', '@daily', '* * * *', '* * * * * *', 'a\nb * * * *', 7].map((schedule) =>
    project({ schedule }, 'schedule'),
  ),
  ...['99 * * * *', '0 0 31 2 *'].map((schedule) => project({ schedule }, 'schedule')),
  ...['', 'Mars/Olympus', '+02:00', 5, 'x'.repeat(65)].map((timezone) => project({ timezone }, 'timezone')),
  ...[0, -1, 1.5, 3_651, '90', 'forever'].map((retention) => project({ retention }, 'retention')),
  ...['legal', [5], [''], ['a,b'], ['x'.repeat(51)], Array.from({ length: 21 }, (_, at) => `t${at}`)].map((tags) =>
    project({ tags }, 'tags'),
  ),
  project({ id: ID }, 'id'),
  project({ workspaceId: 'ws_other' }, 'workspaceId'),
];

const ofConfig: readonly BadInput[] = [
  ...['text', 5, []].map((config) => configured(config, 'config')),
  configured({ colour: 'blue' }, 'colour'),
  configured({ maxPages: 5 }, 'maxPages'),
  configured({ constructor: { prototype: {} } }, 'constructor'),
  ...[0, -1, null, '5', 10_000_001].map((max_pages) => configured({ max_pages }, 'config.max_pages')),
  ...['yes', 'home page', null].map((store_html) => configured({ store_html }, 'config.store_html')),
  configured({ STORE_HTML: 'always', store_html: 'home' }, 'STORE_HTML'),
  ...[['feed'], 'https://example.com/feed'].map((feeds) => configured({ feeds }, 'config.feeds')),
  ...['hooks', 'https://example.com/chat', 'https://hooks.slack.com/elsewhere', 'https://hooks.example/***'].map(
    (chat_url) => configured({ chat_url }, 'config.chat_url'),
  ),
  ...[5, 'https://example.com/chat'].map((chat_url) =>
    configured({ chat_url }, 'Slack (hooks.slack.com/services/…), Microsoft Teams'),
  ),
  configured({ webhook_url: 'https://hooks.example/***' }, 'config.webhook_url'),
  ...[['run.begun'], 'run.finished'].map((webhook_events) => configured({ webhook_events }, 'config.webhook_events')),
  ...[{ 'Content-Length': '1' }, { TE: 'x' }, { a: 'Pr\u00fcfung \u2713' }].map((headers) =>
    configured({ headers }, 'config.headers'),
  ),
  configured({ feeds: [FINE, 'http://169.254.169.254/feed'] }, 'config.feeds.1'),
  configured({ webhook_url: 'hooks' }, 'config.webhook_url'),
  configured({ webhook_metadata: { text: 'x'.repeat(10_000) } }, 'config.webhook_metadata'),
  configured({ webhook_metadata: { note: '\u0000' } }, 'config.webhook_metadata'),
  ...[-1, 1.5, '5'].map((notify_min_words) => configured({ notify_min_words }, 'config.notify_min_words')),
  configured({ notify_emails: ['no-address'] }, 'config.notify_emails'),
  ...[{}, { connection_id: 'con', key: 'x' }].map((change_digest) =>
    configured({ change_digest }, 'config.change_digest'),
  ),
  ...[
    {},
    { connection_id: 'con' },
    { connection_id: 'con', schema: [] },
    { connection_id: 'con', schema: { type: 'array' } },
    { connection_id: 'con', schema: { $ref: 'https://example.com/schema' } },
    { connection_id: 'con', schema: { $ref: '#/$defs/none' } },
    { connection_id: 'con', schema: { properties: { a: { pattern: '(?<=a)b' } } } },
    { connection_id: 'con', schema: { description: 'x'.repeat(16_000) } },
    { connection_id: 'con', schema: {}, prompt: 'x'.repeat(4_001) },
  ].map((extract) => configured({ extract }, 'config.extract')),
  configured({ login_id: 'mine' }, 'config.login_id'),
  configured({ include_paths: ['a\u0000'] }, 'config.include_paths'),
  {
    name: 'a project with metadata nested ten thousand deep',
    path: '/projects',
    body: `{"seed":"${FINE}","config":{"webhook_metadata":{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}}}`,
    status: 422,
    names: 'config.webhook_metadata',
  },
];

const ofMany: readonly BadInput[] = [
  ...[undefined, [], 'https://example.com/', [5], Array.from({ length: 1_001 }, () => FINE)].map((seeds) =>
    sent('/projects/batch', { seeds }, 'seeds'),
  ),
  sent('/projects/batch', { seeds: [FINE], template_project_id: 'mine' }, 'template_project_id'),
  sent('/projects/batch', { seeds: [FINE], config: {} }, 'config'),
  ...[undefined, [], ID, ['prj_1']].map((project_ids) => sent('/projects/run', { project_ids }, 'project_ids')),
  ...['', 'a,b', 5].map((tag) => sent('/projects/run', { tag }, 'tag')),
  sent('/projects/run', { project_ids: [ID], tag: 'legal' }, 'either project_ids or tag'),
  ...[undefined, [], 'scope', ['colours']].map((groups) =>
    sent(`/projects/${ID}/config/apply`, { project_ids: [ID], groups }, 'groups'),
  ),
  ...[undefined, [], Array.from({ length: 1_001 }, () => ID)].map((project_ids) =>
    sent(`/projects/${ID}/config/apply`, { project_ids, groups: ['all'] }, 'project_ids'),
  ),
  ...['schedule', 'recrawl', 5].map((trigger) => sent(`/projects/${ID}/runs`, { trigger }, 'trigger')),
  ...[undefined, 'no', 1].map((ignore) =>
    sent(`/projects/${ID}/changes/ignored/ign_${'a'.repeat(26)}`, { ignore }, 'ignore'),
  ),
  ...[
    [{ place: 'short', ignore: true }],
    [{ place: 'aaaaaaaaaaaaaaaa' }],
    Array.from({ length: 2 }, () => ({ place: 'aaaaaaaaaaaaaaaa', ignore: true })),
    Array.from({ length: 501 }, (_, at) => ({ place: `${at}`.padStart(16, '0'), ignore: true })),
  ].map((volatile_overrides) => ({
    ...sent(`/projects/${ID}`, { config: { volatile_overrides } }, 'volatile_overrides'),
    method: 'PATCH' as const,
  })),
  ...[
    'price',
    [{ id: 'A rule', name: 'A', when: 'true' }],
    [{ id: 'a', name: '', when: 'true' }],
    [{ id: 'a', name: 'A', when: '' }],
    [{ id: 'a', name: 'A', when: 'true', channels: [] }],
    [{ id: 'a', name: 'A', when: 'true', at: '25:00' }],
    [{ id: 'a', name: 'A', when: 'true', quiet: { from: '08:00', to: '08:00' } }],
    Array.from({ length: 2 }, () => ({ id: 'a', name: 'A', when: 'true' })),
  ].map((alerts) => ({ ...sent(`/projects/${ID}`, { config: { alerts } }, 'alerts'), method: 'PATCH' as const })),
  ...[undefined, '', 5, 'a'.repeat(2_001)].map((when) => sent(`/projects/${ID}/alerts/preview`, { when }, 'when')),
  { ...sent(`/projects/${ID}`, { seed: 'ftp://example.com/' }, 'seed'), method: 'PATCH' },
  { ...sent(`/projects/${ID}`, { config: { colour: 1 } }, 'colour'), method: 'PATCH' },
];

/** Settings that only a project, or a crawl that may become one, supports, sent to the verbs without a project. */
const ofProjectsAlone: readonly BadInput[] = Object.entries({
  feeds: ['https://example.com/feed'],
  template_changes: 'each',
  volatile_selectors: ['.date'],
  volatile_overrides: [{ place: 'aaaaaaaaaaaaaaaa', ignore: true }],
  store_html: 'always',
  STORE_HTML: 'always',
  webhook_url: 'https://example.com/hook',
  chat_url: 'https://hooks.slack.com/services/T0/B0/secret',
  notify_emails: ['harbour@example.com'],
  change_digest: { connection_id: 'con' },
}).flatMap(([key, value]) =>
  ['/scrape', '/playground/extract'].map((path) => sent(path, { url: FINE, config: { [key]: value } }, key)),
);

const badGet = (path: string, names: string): BadInput => ({
  name: `GET ${path}`,
  method: 'GET',
  path,
  status: 422,
  names,
});

const queries: readonly BadInput[] = [
  ...['-1', '1001', '1.5', 'all'].map((limit) => badGet(`/projects?limit=${limit}`, 'limit')),
  badGet('/projects?v=blocked', 'v'),
  badGet('/projects?cursor=run_01j5xq2w8se6fa7t0a6q1n3k2m', 'cursor'),
  ...['0', '101'].map((limit) => badGet(`/projects/${ID}/runs?limit=${limit}`, 'limit')),
  badGet(`/projects/${ID}/runs?v=ok`, 'v'),
  badGet(`/projects/${ID}/runs?cursor=1`, 'cursor'),
  ...['0', '1001'].map((limit) => badGet(`/projects/${ID}/pages?limit=${limit}`, 'limit')),
  badGet(`/projects/${ID}/pages?v=done`, 'v'),
  badGet(`/projects/${ID}/pages?flag=orphans`, 'flag'),
  badGet(`/projects/${ID}/pages?cursor=-1`, 'cursor'),
  badGet(`/projects/${ID}/runs/run_01j5xq2w8se6fa7t0a6q1n3k2m/links?kind=all`, 'kind'),
];

export const projects: readonly BadInput[] = [...ofProject, ...ofConfig, ...ofMany, ...ofProjectsAlone, ...queries];

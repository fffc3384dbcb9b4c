import { type BadInput, scrape } from './case.ts';

/** Each field of a scrape in wrong types, wrong values and out of its range. */
const ofScrape: readonly BadInput[] = [
  ...[0, -1, 121, 1.5, '60', null, true, []].map((timeout) => scrape({ timeout }, 'timeout')),
  ...['pdf', 'markdown,pdf', 'Markdown', '', ',', [], ['pdf'], [5], 5, null, {}, 'markdown,'.repeat(40)].map(
    (formats) => scrape({ formats }, 'formats'),
  ),
  scrape({ formats: 'markdown;links' }, 'markdown;links'),
  ...[0, -5, 1.5, 1_001, '5', null].map((maxCredits) => scrape({ maxCredits }, 'maxCredits')),

  ...[null, 'auto', 5, []].map((config) => scrape({ config }, 'config')),
  scrape({ config: { colour: 'blue' } }, 'colour'),
  scrape({ config: { renderJs: 'always' } }, 'renderJs'),
  ...['sometimes', true, null, ''].map((render_js) => scrape({ config: { render_js } }, 'config.render_js')),
  ...['proxy', 1, null].map((max_tier) => scrape({ config: { max_tier } }, 'config.max_tier')),
  ...[0, 121, 2.5, '30'].map((timeout_seconds) => scrape({ config: { timeout_seconds } }, 'config.timeout_seconds')),
  ...[0, 1_001, '5'].map((max_credits_per_page) =>
    scrape({ config: { max_credits_per_page } }, 'config.max_credits_per_page'),
  ),
  ...['yes', 1, null].map((respect_robots) => scrape({ config: { respect_robots } }, 'config.respect_robots')),
  ...['yes', 0].map((only_main_content) => scrape({ config: { only_main_content } }, 'config.only_main_content')),
  ...[-1, 100_001, 1.5, '10'].map((min_words) => scrape({ config: { min_words } }, 'config.min_words')),
  ...[[], 'markdown', ['pdf']].map((formats) => scrape({ config: { formats } }, 'config.formats')),

  ...[null, 'main', []].map((scrapeOptions) => scrape({ scrapeOptions }, 'scrapeOptions')),
  scrape({ scrapeOptions: { onlyMain: true } }, 'onlyMain'),
  ...['true', 1, null].map((onlyMainContent) =>
    scrape({ scrapeOptions: { onlyMainContent } }, 'scrapeOptions.onlyMainContent'),
  ),
  scrape({ scrapeOptions: { formats: 'pdf' } }, 'scrapeOptions.formats'),

  ...['urls', 'webhook_url', 'Url', 'URL', 'only_main_content'].map((field) => scrape({ [field]: 'x' }, field)),
  ...[-1, '10', 1e9].map((maxAge) => scrape({ maxAge }, 'maxAge')),
  scrape({ config: { use_proxy: 'sometimes' } }, 'config.use_proxy'),
  scrape({ config: { use_proxy: 'always' } }, 'use_proxy', { status: 400 }),
  ...['Germany', 49, ''].map((country) => scrape({ config: { country } }, 'config.country')),
  scrape({ config: { country: 'DE' } }, 'DE', { status: 400 }),
  ...[{ 'X Y': 'a' }, { a: 'b\r\nc: d' }, { a: '\u20ac' }, { a: '\u0085' }, { Host: 'a' }, ['a'], 'a: b'].map(
    (headers) => scrape({ config: { headers } }, 'config.headers'),
  ),
  ...[{ a: 'b; c' }, { 'a=b': 'c' }].map((cookies) => scrape({ config: { cookies } }, 'config.cookies')),
  scrape({ config: { device: 'watch' } }, 'config.device'),
  ...['', 'a\nb', '\u20ac', 'x'.repeat(501)].map((user_agent) =>
    scrape({ config: { user_agent } }, 'config.user_agent'),
  ),
  ...[-1, 60_001, '', ['#a']].map((wait_for) => scrape({ config: { wait_for } }, 'config.wait_for')),
  ...[[{ type: 'hover', selector: 'a' }], [{ type: 'click' }], [{ type: 'wait', ms: 0 }], 'click'].map((actions) =>
    scrape({ config: { actions } }, 'config.actions'),
  ),
  scrape({ config: { actions: Array.from({ length: 51 }, () => ({ type: 'wait' })) } }, 'config.actions'),
  ...[-1, 6, 1.5].map((retries) => scrape({ config: { retries } }, 'config.retries')),
  ...['main', [1], [''], ['x'.repeat(1_001)]].map((include_selectors) =>
    scrape({ config: { include_selectors } }, 'config.include_selectors'),
  ),
  ...[{ a: 'h1' }, { a: { selector: '' } }, { a: { selector: 'h1', type: 'list' } }].map((fields) =>
    scrape({ config: { fields } }, 'config.fields'),
  ),
  ...[['english'], 'en'].map((languages) => scrape({ config: { languages } }, 'config.languages')),
  scrape({ config: { screenshot: 'wide' } }, 'config.screenshot'),
  scrape({ config: { screenshot: 'full', render_js: 'never' } }, 'render_js', { status: 400 }),
  scrape({ config: { actions: [{ type: 'wait' }], max_tier: 'http' } }, 'max_tier', { status: 400 }),
];

/** Fields that are valid alone and contradict each other. */
const contradictions: readonly BadInput[] = [
  scrape({ config: { render_js: 'always', max_tier: 'http' } }, 'config.max_tier', { status: 400 }),
  scrape({ maxCredits: 1, config: { render_js: 'always' } }, 'maxCredits', { status: 400 }),
  scrape({ config: { render_js: 'always', max_credits_per_page: 4 } }, 'max', { status: 400 }),
  {
    name: 'a crawl with two page limits',
    path: '/crawl',
    body: { url: 'http://127.0.0.2/', limit: 5, config: { max_pages: 6 } },
    status: 400,
    names: 'limit is 5 and config.max_pages is 6',
  },
];

const key = (over: Readonly<Record<string, unknown>>, names: string): BadInput => ({
  name: `a new key with ${JSON.stringify(over)}`.slice(0, 120),
  path: '/me/keys',
  body: { name: 'reporting', ...over },
  status: 422,
  names,
});

const ofKeys: readonly BadInput[] = [
  ...[undefined, null, '', '  ', 5, 'x'.repeat(101), 'a\u0000b'].map((name) => key({ name }, 'name')),
  ...[[], 'read', ['owner'], ['read', 'READ'], [1], null].map((scopes) => key({ scopes }, 'scopes')),
  key({ projects: ['prj_01j5xq2w8se6fa7t0a6q1n3k2m'] }, 'projects.0: expected a project of this workspace'),
  ...['prj', ['prj'], ['prj_1'], [1]].map((projects) => key({ projects }, 'projects')),
  ...[0, -1, 3_651, 1.5, '7'].map((expires_in_days) => key({ expires_in_days }, 'expires_in_days')),
  ...[0, -1, 100_001, 1.5, '60'].map((rpm) => key({ rpm }, 'rpm')),
  key({ secret: 'service_mine' }, 'secret'),
  key({ workspaceId: 'ws_other' }, 'workspaceId'),
];

const rate = (max_rpm: unknown): BadInput => ({
  name: `a rate ceiling of ${JSON.stringify(max_rpm)}`,
  method: 'PATCH',
  path: '/me',
  body: { max_rpm },
  status: 422,
  names: 'max_rpm',
});

const ofWorkspace: readonly BadInput[] = [
  ...[undefined, 0, -1, 1.5, 100_001, '60', {}].map(rate),
  {
    name: 'a plan of its own',
    method: 'PATCH',
    path: '/me',
    body: { max_rpm: 5, plan: 'scale' },
    status: 422,
    names: 'plan',
  },
];

export const fields: readonly BadInput[] = [...ofScrape, ...contradictions, ...ofKeys, ...ofWorkspace];

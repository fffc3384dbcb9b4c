import type { Host } from './server.ts';

/** Expected values of one kind of page. Absent values are not checked. */
export interface Expected {
  readonly verdict: 'ok' | 'thin' | 'blocked' | 'skipped' | 'robots';
  readonly errorCode: string;
  /** The engine that returned the page; null if none was used. */
  readonly tier: 'http' | 'browser' | null;
  readonly credits: number;
  readonly httpStatus?: number | null;
  readonly shape?: string;
  readonly signals?: readonly string[];
  readonly warnings?: readonly string[];
  readonly charset?: string;
  /** Path and host after redirects, if they differ from the request. */
  readonly landed?: readonly [path: string, host?: Host];
  readonly redirects?: number;
  /** Texts that the markdown must and must not contain. */
  readonly has?: readonly string[];
  readonly hasNot?: readonly string[];
}

export interface Archetype {
  readonly name: string;
  readonly path: string;
  readonly host?: Host;
  /** Keys added to the request. */
  readonly order?: Readonly<Record<string, unknown>>;
  readonly expect: Expected;
}

const read = { verdict: 'ok', errorCode: 'OK', tier: 'http', credits: 1, httpStatus: 200 } as const;
const rendered = { ...read, tier: 'browser', credits: 5 } as const;
const short = { ...read, verdict: 'thin', warnings: ['short'] } as const;
const refused = { verdict: 'blocked', tier: 'http', credits: 0 } as const;
const notFound = { ...refused, errorCode: 'NOT_FOUND', credits: 1 } as const;
const unanswered = { ...refused, errorCode: 'NETWORK', httpStatus: null } as const;
const timedOut = { ...unanswered, errorCode: 'TIMEOUT' } as const;
const hasty = { config: { timeout_seconds: 2 } } as const;
const STORY = 'a retired pilot named Edda Marsh';

const content: readonly Archetype[] = [
  { name: 'an article', path: '/article', expect: { ...read, has: [STORY], hasNot: ['About us', 'Imprint'] } },
  {
    name: 'a docs page',
    path: '/docs',
    expect: { ...read, has: ['```', 'retry_seconds=[1, 5, 30]', '| ack_wait | 30 |'] },
  },
  { name: 'a listing', path: '/listing', expect: { ...read, shape: 'listing', has: ['Herring'] } },
  {
    name: 'a product',
    path: '/product',
    expect: { ...read, signals: ['json-ld', 'open graph'], has: ['149.00', 'solid brass'] },
  },
  { name: 'a page of 40 KB', path: '/ordinary', expect: { ...read, has: ['Entry 110.'] } },
  { name: 'a tiny page', path: '/tiny', expect: { ...short, has: ['from nine to five'] } },
  {
    name: 'an empty response',
    path: '/empty',
    expect: { ...refused, tier: 'browser', errorCode: 'SHELL', httpStatus: 200, warnings: [], shape: 'empty' },
  },
  {
    name: 'a page behind a cookie banner',
    path: '/cookie-banner',
    expect: { ...read, has: [STORY], hasNot: ['814 partners'] },
  },
  {
    name: 'an application that renders in the browser',
    path: '/app-shell',
    expect: { ...rendered, has: ['High water at Harlow Point'], signals: ['render confirmed'] },
  },
  {
    name: 'an application its server has rendered',
    path: '/server-rendered',
    expect: { ...read, has: ['The answer was both'] },
  },
];

const refusals: readonly Archetype[] = [
  { name: 'a soft 404', path: '/soft-404', expect: { ...notFound, httpStatus: 200, signals: ['soft 404'] } },
  { name: 'a 404', path: '/status/404', expect: { ...notFound, httpStatus: 404 } },
  { name: 'a 410', path: '/status/410', expect: { ...notFound, httpStatus: 410 } },
  { name: 'a 401', path: '/status/401', expect: { ...refused, errorCode: 'LOGIN_REQUIRED', httpStatus: 401 } },
  {
    name: 'a 403',
    path: '/status/403',
    expect: { ...refused, tier: 'browser', errorCode: 'BLOCKED', httpStatus: 403 },
  },
  {
    name: 'a 429',
    path: '/status/429',
    host: 'limiting',
    expect: { ...refused, errorCode: 'RATE_LIMITED', httpStatus: 429 },
  },
  { name: 'a 500', path: '/status/500', expect: { ...refused, errorCode: 'NETWORK', httpStatus: 500 } },
  { name: 'a 503', path: '/status/503', expect: { ...refused, errorCode: 'NETWORK', httpStatus: 503 } },
  { name: 'a login wall', path: '/login', expect: { ...refused, errorCode: 'LOGIN_REQUIRED', httpStatus: 200 } },
  {
    name: 'a captcha',
    path: '/challenge',
    expect: { ...refused, tier: 'browser', errorCode: 'CAPTCHA', httpStatus: 200 },
  },
  {
    name: 'a page robots.txt disallows',
    path: '/private/article',
    host: 'ruled',
    expect: { ...refused, verdict: 'robots', errorCode: 'BLOCKED', tier: null, httpStatus: null },
  },
  { name: 'a page robots.txt allows', path: '/article', host: 'ruled', expect: read },
  {
    name: 'a host whose robots.txt fails',
    path: '/article',
    host: 'failing',
    expect: { ...refused, verdict: 'robots', errorCode: 'BLOCKED', tier: null, httpStatus: null },
  },
  {
    name: 'a disallowed page whose robots.txt is not asked',
    path: '/private/article',
    host: 'ruled',
    order: { config: { respect_robots: false } },
    expect: read,
  },
];

const redirects: readonly Archetype[] = [
  ...[301, 302, 303, 307, 308].map(
    (status) =>
      ({
        name: `a ${status}`,
        path: `/redirect/${status}`,
        expect: { ...read, landed: ['/article'], redirects: 1, has: [STORY] },
      }) as const,
  ),
  {
    name: 'a chain of three redirects',
    path: '/redirect/chain',
    expect: { ...read, landed: ['/article'], redirects: 3 },
  },
  {
    name: 'a redirect to another host',
    path: '/redirect/cross-host',
    expect: { ...read, landed: ['/article', 'other'], redirects: 1 },
  },
  {
    name: 'a redirect that sets a cookie the next page asks for',
    path: '/cookie/set',
    expect: { ...read, landed: ['/cookie/read'], redirects: 1 },
  },
  { name: 'a redirect loop', path: '/redirect/loop', expect: unanswered },
  {
    name: 'a redirect to an internal address',
    path: '/redirect/to?to=http%3A%2F%2F127.0.0.1%3A1%2F',
    expect: { ...refused, errorCode: 'BLOCKED', httpStatus: null },
  },
];

const forms: readonly Archetype[] = [
  {
    name: 'windows-1251 declared by the header alone',
    path: '/charset/windows-1251',
    expect: { ...read, charset: 'windows-1251', has: ['сто сорок лет кто-нибудь записывает минуту'] },
  },
  {
    name: 'gb18030 declared by a meta tag',
    path: '/charset/gb18030',
    expect: { ...read, charset: 'gb18030', has: ['潮水每天涨落两次'] },
  },
  {
    name: 'Shift_JIS declared by a meta tag',
    path: '/charset/shift_jis',
    expect: { ...read, charset: 'shift_jis', has: ['最初の番人は引退した水先案内人で'] },
  },
  {
    name: 'UTF-16 told by its byte order mark',
    path: '/charset/utf-16',
    expect: { ...read, charset: 'utf-16le', has: [STORY] },
  },
  ...['gzip', 'deflate', 'br', 'zstd'].map(
    (coding) =>
      ({
        name: `a body compressed with ${coding}`,
        path: `/coding/${coding}`,
        expect: { ...read, has: [STORY] },
      }) as const,
  ),
  { name: 'plain text', path: '/type/text', expect: { ...read, has: ['High water at Harlow Point'] } },
  { name: 'JSON', path: '/type/json', expect: { ...read, has: ['High water at Harlow Point'] } },
  { name: 'XML', path: '/type/xml', expect: { ...read, has: ['High water at Harlow Point'] } },
];

const failures: readonly Archetype[] = [
  { name: 'a gzip bomb', path: '/coding/bomb', expect: unanswered },
  { name: 'a page of 25 MB', path: '/broken/huge', expect: unanswered },
  { name: 'a page that drips', path: '/slow/drip', order: hasty, expect: timedOut },
  { name: 'a page that never answers', path: '/slow/silent', order: hasty, expect: timedOut },
  { name: 'a page that stalls halfway', path: '/slow/stalled', order: hasty, expect: timedOut },
  { name: 'a connection that is reset', path: '/broken/reset', expect: unanswered },
  { name: 'a response that is no HTTP', path: '/broken/no-http', expect: unanswered },
  { name: 'a response with an impossible header', path: '/broken/header', expect: unanswered },
  { name: 'a response shorter than it says', path: '/broken/short', expect: unanswered },
  { name: 'a self-signed certificate', path: '/article', host: 'selfSigned', expect: unanswered },
];

/** Every kind of page with its expected capture. PDFs have a separate test. */
export const archetypes: readonly Archetype[] = [...content, ...refusals, ...redirects, ...forms, ...failures];

import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Pages, serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);
const PIXEL = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';
const SECRETS = [
  { name: 'X-Key', value: 'secret-key' },
  { name: 'Authorization', value: 'Bearer secret-token' },
];

let site: TestSite;
let other: TestSite;
let pool: TestPool;
let seen: { readonly at: 'site' | 'other'; readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];

/** Types of files by the end of their name. */
const TYPES: Readonly<Record<string, string>> = {
  svg: 'image/svg+xml',
  js: 'text/javascript',
  css: 'text/css',
  json: 'application/json',
};

/** Records every request of a site; the HTML may name the other site. */
const recorded = (at: 'site' | 'other', pages: () => Record<string, string>): Pages => {
  const paths = [
    '/',
    '/unsafe',
    '/navigates',
    '/refreshes',
    '/clicks',
    '/own',
    '/own.svg',
    '/moved',
    '/moved.svg',
    '/a.svg',
    '/a.js',
    '/a.css',
    '/a.json',
    '/frame',
    '/landed',
  ];
  return Object.fromEntries(
    paths.map((path) => [
      path,
      (request, response) => {
        seen.push({ at, path, headers: request.headers });
        response.setHeader('access-control-allow-origin', '*');
        if (path.startsWith('/moved')) {
          const to = path === '/moved' ? '/landed' : '/a.svg';
          return response.writeHead(302, { location: `${other.url}${to}` }).end();
        }
        const type = TYPES[path.split('.')[1] ?? ''] ?? 'text/html';
        const bodies: Readonly<Record<string, string>> = {
          'text/html': TEXT + (pages()[path] ?? ''),
          'image/svg+xml': PIXEL,
        };
        response.setHeader('content-type', type).end(bodies[type] ?? '');
      },
    ]),
  );
};

const requestsOf = (url: string): string => `
  <img src="${url}/a.svg"><script src="${url}/a.js"></script><link rel="stylesheet" href="${url}/a.css"><iframe src="${url}/frame"></iframe>
  <script>fetch('${url}/a.json').catch(() => 0)</script>`;

beforeAll(async () => {
  other = await serveSite(
    recorded('other', () => ({})),
    '127.0.0.3',
  );
  site = await serveSite(
    recorded('site', () => ({
      '/': requestsOf(other.url),
      '/unsafe': `<meta name="referrer" content="unsafe-url">${requestsOf(other.url)}<img src="/moved.svg">`,
      '/own': '<img src="/own.svg">',
      '/navigates': `<meta name="referrer" content="unsafe-url"><script>location.href = '${other.url}/landed'</script>`,
      '/refreshes': `<meta http-equiv="refresh" content="0; url=${other.url}/landed">`,
      '/clicks': `<a href="${other.url}/landed" referrerpolicy="unsafe-url">next</a>`,
    })),
  );
  pool = await startTestPool([site, other]);
});
beforeEach(() => {
  seen = [];
});
afterAll(async () => {
  await pool?.close();
  await Promise.all([site?.close(), other?.close()]);
});

const arrived = (at: 'site' | 'other') => seen.filter((one) => one.at === at);
const leaked = () =>
  arrived('other').filter(({ headers }) => headers.referer !== undefined || /secret/.test(JSON.stringify(headers)));

describe('a page with custom headers', () => {
  it.each(['/', '/unsafe'])(
    'sends neither them nor a Referer with its requests to another origin: %s',
    async (path) => {
      const page = await pool.render(`${site.url}${path}?token=1`, { headers: SECRETS });
      expect(page).toMatchObject({ httpStatus: 200, failure: undefined });
      const paths = arrived('other').map((one) => one.path);
      expect(paths).toEqual(expect.arrayContaining(['/a.svg', '/a.js', '/a.css', '/frame', '/a.json']));
      expect(leaked()).toEqual([]);
    },
  );

  it.each(['/moved', '/navigates', '/refreshes'])('sends neither when it leads to another origin: %s', async (path) => {
    const headers = [...SECRETS, { name: 'Referer', value: 'https://secret.example/path' }];
    const page = await pool.render(`${site.url}${path}`, { headers });
    expect(page.redirects).toEqual(path === '/moved' ? [`${site.url}/moved`] : page.redirects);
    expect(page).toMatchObject({ landedUrl: `${other.url}/landed` });
    expect(arrived('site')[0]?.headers).toMatchObject({
      'x-key': 'secret-key',
      referer: 'https://secret.example/path',
    });
    expect(arrived('other').map((one) => one.path)).toContain('/landed');
    expect(leaked()).toEqual([]);
  });

  it('sends neither when an action follows a link to another origin', async () => {
    const actions = [{ kind: 'click' as const, selector: 'a', text: '', ms: 0 }];
    await pool.render(`${site.url}/clicks`, { headers: SECRETS, actions });
    expect(arrived('other').map((one) => one.path)).toContain('/landed');
    expect(leaked()).toEqual([]);
  });

  it('sends both with requests to its own origin', async () => {
    await pool.render(`${site.url}/own`, { headers: SECRETS });
    const image = arrived('site').find(({ path }) => path === '/own.svg');
    expect(image?.headers).toMatchObject({ 'x-key': 'secret-key', referer: `${site.url}/own` });
  });
});

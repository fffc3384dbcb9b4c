import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RenderRequest } from '@tidemark/contracts/browser/v1/browser';
import { USER_AGENT } from '@tidemark/egress';
import { jpegSize } from './jpeg.ts';
import { serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.7339.80 Safari/537.36';

let requests: { readonly site: string; readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
let site: TestSite;
let other: TestSite;
let pool: TestPool;

/** Responds with a fixed body and records the request. */
const recorded =
  (name: string, respond: string | (() => string), type = 'text/html'): RequestListener =>
  (request, response) => {
    requests.push({ site: name, path: request.url ?? '', headers: request.headers });
    response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*');
    response.setHeader('content-type', type).end(typeof respond === 'string' ? respond : respond());
  };

const READ_DEVICE = `<p id=found></p><script>
  (async () => {
    // A tab whose page had a worker is not reused, so only the test of workers has one.
    const inWorker = location.search !== '?worker' ? '' : await new Promise((done) => {
      const worker = new Worker(URL.createObjectURL(new Blob(['postMessage(navigator.userAgent)'])));
      worker.onmessage = ({ data }) => done(data);
    });
    found.textContent = JSON.stringify({
      userAgent: navigator.userAgent, platform: navigator.platform, inWorker,
      brands: (navigator.userAgentData?.brands ?? []).map(({ brand }) => brand), mobile: navigator.userAgentData?.mobile,
      width: innerWidth, density: devicePixelRatio, touch: navigator.maxTouchPoints, hasTouch: 'ontouchstart' in window,
      coarse: matchMedia('(pointer: coarse)').matches, focus: document.hasFocus(), cookie: document.cookie,
    });
  })();</script>`;

beforeAll(async () => {
  other = await serveSite(
    {
      '/frame': recorded('other', TEXT),
      '/script.js': recorded('other', '1', 'text/javascript'),
      '/data': recorded('other', '{}', 'application/json'),
      '/landed': recorded('other', TEXT),
      '/frame-device': recorded(
        'other',
        '<script>parent.postMessage([navigator.userAgent, navigator.platform], "*")</script>',
      ),
    },
    '127.0.0.3',
  );
  site = await serveSite({
    '/page': recorded(
      'site',
      () => `${TEXT}<link rel=stylesheet href=/style.css><iframe src="${other.url}/frame"></iframe>
        <script src="${other.url}/script.js"></script><script>fetch('/api'); fetch('${other.url}/data')</script>`,
    ),
    '/style.css': recorded('site', '', 'text/css'),
    '/api': recorded('site', '{}', 'application/json'),
    '/away': (_, response) => response.writeHead(302, { location: `${other.url}/landed` }).end(),
    '/here': (_, response) => response.writeHead(302, { location: '/landed-here' }).end(),
    '/landed-here': recorded('site', TEXT),
    '/by-script': recorded('site', () => `<script>location.href = '${other.url}/landed'</script>`),
    '/frames': recorded(
      'site',
      () => `${TEXT}<p id=found></p><script>onmessage = ({ data }) => { found.textContent = data.join('|'); };</script>
        <iframe src="${other.url}/frame-device"></iframe>`,
    ),
    '/tap': `<meta name=viewport content="width=device-width">${TEXT}
      <button id=b ontouchstart="this.dataset.touched = 1" onclick="this.textContent = 'tapped'">b</button>`,
    '/device': recorded('site', `<meta name=viewport content="width=device-width">${TEXT}${READ_DEVICE}`),
  });
  pool = await startTestPool([site, other], { BROWSER_TABS: '1' });
});

beforeEach(() => {
  requests = [];
});

afterAll(async () => {
  await pool?.close();
  await Promise.all([site?.close(), other?.close()]);
});

const headersOf = (path: string): IncomingHttpHeaders | undefined => requests.find((one) => one.path === path)?.headers;

async function readDevice(more: Partial<RenderRequest>, path = '/device'): Promise<Record<string, unknown>> {
  const { html } = await pool.render(`${site.url}${path}`, more);
  return JSON.parse(/<p id="found">(.*?)<\/p>/.exec(html)?.[1]?.replaceAll('&quot;', '"') ?? '{}');
}

describe('the headers of a render', () => {
  const headers = [
    { name: 'X-Key', value: 'secret' },
    { name: 'Authorization', value: 'Bearer secret' },
    { name: 'Accept-Language', value: 'de' },
  ];

  it('are sent with the page and requests to its origin only', async () => {
    await pool.render(`${site.url}/page`, { headers });
    for (const path of ['/page', '/style.css', '/api']) {
      expect(headersOf(path)).toMatchObject({
        'x-key': 'secret',
        authorization: 'Bearer secret',
        'accept-language': 'de',
      });
    }
    const elsewhere = requests.filter((one) => one.site === 'other');
    expect(elsewhere.map(({ path }) => path).sort()).toEqual(['/data', '/frame', '/script.js']);
    expect(JSON.stringify(elsewhere)).not.toContain('secret');
  });

  it.each(['/away', '/by-script'])('are not sent after a redirect to another origin: %s', async (path) => {
    const page = await pool.render(`${site.url}${path}`, { headers });
    expect(page.landedUrl).toBe(`${other.url}/landed`);
    expect(headersOf('/landed')).toBeDefined();
    expect(JSON.stringify(headersOf('/landed'))).not.toContain('secret');
  });

  it('are sent after a redirect within the origin', async () => {
    await pool.render(`${site.url}/here`, { headers });
    expect(headersOf('/landed-here')).toMatchObject({ 'x-key': 'secret' });
  });

  it('are removed after the page, and can be combined with blocked resources', async () => {
    await pool.render(`${site.url}/page`, { headers, blockResources: true });
    requests = [];
    await pool.render(`${site.url}/page`);
    expect(JSON.stringify(requests)).not.toContain('secret');
  });

  it('ignore names of the connection and reject values with a line break', async () => {
    await pool.render(`${site.url}/page`, { headers: [{ name: 'Host', value: 'elsewhere.example' }] });
    expect(headersOf('/page')?.host).toBe(site.authority);
    const split = pool.render(`${site.url}/page`, { headers: [{ name: 'x', value: 'a\r\nb: c' }] });
    await expect(split).rejects.toMatchObject({ code: 'validation' });
  });
});

describe('the cookies of a render', () => {
  const cookies = [
    { name: 'sid', value: 'secret' },
    { name: 'theme', value: 'dark' },
  ];

  it('are visible to the server and to scripts, on the host of the URL only', async () => {
    const found = await readDevice({ cookies });
    expect(found['cookie']).toBe('sid=secret; theme=dark');
    expect(headersOf('/device')?.cookie).toBe('sid=secret; theme=dark');
    await pool.render(`${site.url}/page`, { cookies });
    expect(headersOf('/api')?.cookie).toBe('sid=secret; theme=dark');
    expect(JSON.stringify(requests.filter((one) => one.site === 'other'))).not.toContain('secret');
  });

  it('are removed after the page', async () => {
    await readDevice({ cookies });
    expect(await readDevice({})).toMatchObject({ cookie: '' });
  });

  it('may be given as a Cookie header', async () => {
    expect(await readDevice({ headers: [{ name: 'Cookie', value: 'a=1; b=2' }] })).toMatchObject({
      cookie: 'a=1; b=2',
    });
  });

  it('cause a warning if the browser rejects them', async () => {
    const page = await pool.render(`${site.url}/device`, { cookies: [{ name: '__Secure-x', value: '1' }] });
    expect(page.warnings).toEqual(['cookies: the browser rejected "__Secure-x"']);
  });
});

describe('the user_agent of a render', () => {
  it('is equal in requests, scripts, workers and client hints', async () => {
    const found = await readDevice({ userAgent: CHROME }, '/device?worker');
    expect(found).toMatchObject({
      userAgent: CHROME,
      platform: 'Win32',
      inWorker: CHROME,
      brands: ['Chromium', 'Google Chrome', 'Not_A Brand'],
      mobile: false,
    });
    expect(headersOf('/device?worker')).toMatchObject({
      'user-agent': CHROME,
      'sec-ch-ua': expect.stringContaining('"Google Chrome";v="140"'),
      'sec-ch-ua-platform': '"Windows"',
    });
  });

  it('is equal in cross-site frames', async () => {
    const page = await pool.render(`${site.url}/frames`, { userAgent: CHROME });
    expect(page.html).toContain(`<p id="found">${CHROME}|Win32</p>`);
  });

  it('sends no client hints for a browser without them', async () => {
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    expect(await readDevice({ userAgent: firefox })).toMatchObject({ userAgent: firefox, brands: [] });
    expect(headersOf('/device')?.['sec-ch-ua']).toBeUndefined();
  });

  it('is reset for the next page', async () => {
    const before = await readDevice({});
    await readDevice({ userAgent: CHROME });
    expect(await readDevice({})).toEqual(before);
    expect(before).toMatchObject({ userAgent: USER_AGENT });
  });

  it('is sent with requests to other origins as well', async () => {
    await pool.render(`${site.url}/page`, { userAgent: CHROME });
    expect(requests.map(({ headers }) => headers['user-agent'])).toEqual(requests.map(() => CHROME));
  });
});

describe('the mobile device of a render', () => {
  it('is a phone with a touch screen and the mobile user agent', async () => {
    const found = await readDevice({ device: 'mobile' });
    expect(found).toMatchObject({ width: 390, density: 2, touch: 5, hasTouch: true, coarse: true });
    expect(found['userAgent']).toBe(`${USER_AGENT} Mobile`);
    expect(headersOf('/device')?.['user-agent']).toBe(`${USER_AGENT} Mobile`);
  });

  it('keeps a requested user agent', async () => {
    expect(await readDevice({ device: 'mobile', userAgent: CHROME })).toMatchObject({ width: 390, userAgent: CHROME });
  });

  it('has a screenshot in the resolution of its screen', async () => {
    const { screenshot } = await pool.render(`${site.url}/device`, { device: 'mobile', screenshot: true });
    expect(jpegSize(screenshot)).toEqual({ width: 780, height: 1688 });
  });

  it('is reset to the desktop for the next page', async () => {
    const before = await readDevice({});
    await readDevice({ device: 'mobile' });
    expect(await readDevice({})).toEqual(before);
    expect(before).toMatchObject({ width: 1280, density: 1, touch: 0, hasTouch: false, coarse: false });
  });

  it('is tapped instead of clicked', async () => {
    const actions = [{ kind: 'click' as const, selector: '#b', text: '', ms: 0 }];
    const { html } = await pool.render(`${site.url}/tap`, { device: 'mobile', actions });
    expect(html).toContain('data-touched="1">tapped');
  });
});

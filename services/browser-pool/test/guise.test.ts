import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RenderRequest } from '@tidemark/contracts/browser/v1/browser';
import { USER_AGENT } from '@tidemark/egress';
import { jpegSize } from './jpeg.ts';
import { type PoolUnderTest, type Site, serveSite, startPool } from './pool-under-test.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.7339.80 Safari/537.36';

let asked: { readonly site: string; readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
let site: Site;
let other: Site;
let pool: PoolUnderTest;

/** Answers anything, and keeps what it was asked with. */
const keep =
  (name: string, answer: string | (() => string), type = 'text/html'): RequestListener =>
  (request, response) => {
    asked.push({ site: name, path: request.url ?? '', headers: request.headers });
    response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*');
    response.setHeader('content-type', type).end(typeof answer === 'string' ? answer : answer());
  };

const LOOK = `<p id=found></p><script>
  (async () => {
    // A tab whose page had a worker is not used again, so only the test of workers has one.
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
      '/frame': keep('other', TEXT),
      '/script.js': keep('other', '1', 'text/javascript'),
      '/data': keep('other', '{}', 'application/json'),
      '/landed': keep('other', TEXT),
      '/frame-look': keep(
        'other',
        '<script>parent.postMessage([navigator.userAgent, navigator.platform], "*")</script>',
      ),
    },
    '127.0.0.3',
  );
  site = await serveSite({
    '/page': keep(
      'site',
      () => `${TEXT}<link rel=stylesheet href=/style.css><iframe src="${other.url}/frame"></iframe>
        <script src="${other.url}/script.js"></script><script>fetch('/api'); fetch('${other.url}/data')</script>`,
    ),
    '/style.css': keep('site', '', 'text/css'),
    '/api': keep('site', '{}', 'application/json'),
    '/away': (_, response) => response.writeHead(302, { location: `${other.url}/landed` }).end(),
    '/here': (_, response) => response.writeHead(302, { location: '/landed-here' }).end(),
    '/landed-here': keep('site', TEXT),
    '/by-script': keep('site', () => `<script>location.href = '${other.url}/landed'</script>`),
    '/frames': keep(
      'site',
      () => `${TEXT}<p id=found></p><script>onmessage = ({ data }) => { found.textContent = data.join('|'); };</script>
        <iframe src="${other.url}/frame-look"></iframe>`,
    ),
    '/tap': `<meta name=viewport content="width=device-width">${TEXT}
      <button id=b ontouchstart="this.dataset.touched = 1" onclick="this.textContent = 'tapped'">b</button>`,
    '/look': keep('site', `<meta name=viewport content="width=device-width">${TEXT}${LOOK}`),
  });
  pool = await startPool([site, other], { BROWSER_TABS: '1' });
});

beforeEach(() => {
  asked = [];
});

afterAll(async () => {
  await pool?.close();
  await Promise.all([site?.close(), other?.close()]);
});

const askedFor = (path: string): IncomingHttpHeaders | undefined => asked.find((one) => one.path === path)?.headers;

async function look(more: Partial<RenderRequest>, path = '/look'): Promise<Record<string, unknown>> {
  const { html } = await pool.render(`${site.url}${path}`, more);
  return JSON.parse(/<p id="found">(.*?)<\/p>/.exec(html)?.[1]?.replaceAll('&quot;', '"') ?? '{}');
}

describe('headers', () => {
  const headers = [
    { name: 'X-Key', value: 'secret' },
    { name: 'Authorization', value: 'Bearer secret' },
    { name: 'Accept-Language', value: 'de' },
  ];

  it('go with the page and what it asks of its own origin, and to no other', async () => {
    await pool.render(`${site.url}/page`, { headers });
    for (const path of ['/page', '/style.css', '/api']) {
      expect(askedFor(path)).toMatchObject({
        'x-key': 'secret',
        authorization: 'Bearer secret',
        'accept-language': 'de',
      });
    }
    const elsewhere = asked.filter((one) => one.site === 'other');
    expect(elsewhere.map(({ path }) => path).sort()).toEqual(['/data', '/frame', '/script.js']);
    expect(JSON.stringify(elsewhere)).not.toContain('secret');
  });

  it.each(['/away', '/by-script'])('do not follow a page to another origin: %s', async (path) => {
    const page = await pool.render(`${site.url}${path}`, { headers });
    expect(page.landedUrl).toBe(`${other.url}/landed`);
    expect(askedFor('/landed')).toBeDefined();
    expect(JSON.stringify(askedFor('/landed'))).not.toContain('secret');
  });

  it('follow it within its own', async () => {
    await pool.render(`${site.url}/here`, { headers });
    expect(askedFor('/landed-here')).toMatchObject({ 'x-key': 'secret' });
  });

  it('are gone with the page, and images stay blocked beside them', async () => {
    await pool.render(`${site.url}/page`, { headers, blockResources: true });
    asked = [];
    await pool.render(`${site.url}/page`);
    expect(JSON.stringify(asked)).not.toContain('secret');
  });

  it('that belong to the connection are left to it; one that holds a line end is refused', async () => {
    await pool.render(`${site.url}/page`, { headers: [{ name: 'Host', value: 'elsewhere.example' }] });
    expect(askedFor('/page')?.host).toBe(site.authority);
    const split = pool.render(`${site.url}/page`, { headers: [{ name: 'x', value: 'a\r\nb: c' }] });
    await expect(split).rejects.toMatchObject({ code: 'validation' });
  });
});

describe('cookies', () => {
  const cookies = [
    { name: 'sid', value: 'secret' },
    { name: 'theme', value: 'dark' },
  ];

  it('are there for the server and for scripts, on the host of the URL alone', async () => {
    const found = await look({ cookies });
    expect(found['cookie']).toBe('sid=secret; theme=dark');
    expect(askedFor('/look')?.cookie).toBe('sid=secret; theme=dark');
    await pool.render(`${site.url}/page`, { cookies });
    expect(askedFor('/api')?.cookie).toBe('sid=secret; theme=dark');
    expect(JSON.stringify(asked.filter((one) => one.site === 'other'))).not.toContain('secret');
  });

  it('are gone with the page', async () => {
    await look({ cookies });
    expect(await look({})).toMatchObject({ cookie: '' });
  });

  it('come out of a Cookie header just the same', async () => {
    expect(await look({ headers: [{ name: 'Cookie', value: 'a=1; b=2' }] })).toMatchObject({ cookie: 'a=1; b=2' });
  });

  it('that no browser takes are named', async () => {
    const page = await pool.render(`${site.url}/look`, { cookies: [{ name: '__Secure-x', value: '1' }] });
    expect(page.warnings).toEqual(['cookies: the browser did not take "__Secure-x"']);
  });
});

describe('user_agent', () => {
  it('is the same on the wire, in scripts, in workers and in client hints', async () => {
    const found = await look({ userAgent: CHROME }, '/look?worker');
    expect(found).toMatchObject({
      userAgent: CHROME,
      platform: 'Win32',
      inWorker: CHROME,
      brands: ['Chromium', 'Google Chrome', 'Not_A Brand'],
      mobile: false,
    });
    expect(askedFor('/look?worker')).toMatchObject({
      'user-agent': CHROME,
      'sec-ch-ua': expect.stringContaining('"Google Chrome";v="140"'),
      'sec-ch-ua-platform': '"Windows"',
    });
  });

  it('is the same in frames of other sites', async () => {
    const page = await pool.render(`${site.url}/frames`, { userAgent: CHROME });
    expect(page.html).toContain(`<p id="found">${CHROME}|Win32</p>`);
  });

  it('of a browser that sends no client hints sends none', async () => {
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    expect(await look({ userAgent: firefox })).toMatchObject({ userAgent: firefox, brands: [] });
    expect(askedFor('/look')?.['sec-ch-ua']).toBeUndefined();
  });

  it('is the fleet’s own again for the next page', async () => {
    const before = await look({});
    await look({ userAgent: CHROME });
    expect(await look({})).toEqual(before);
    expect(before).toMatchObject({ userAgent: USER_AGENT });
  });

  it('goes with what a page asks of other origins, too', async () => {
    await pool.render(`${site.url}/page`, { userAgent: CHROME });
    expect(asked.map(({ headers }) => headers['user-agent'])).toEqual(asked.map(() => CHROME));
  });
});

describe('device mobile', () => {
  it('is a phone with a touch screen that says who we are', async () => {
    const found = await look({ device: 'mobile' });
    expect(found).toMatchObject({ width: 390, density: 2, touch: 5, hasTouch: true, coarse: true });
    expect(found['userAgent']).toBe(`${USER_AGENT} Mobile`);
    expect(askedFor('/look')?.['user-agent']).toBe(`${USER_AGENT} Mobile`);
  });

  it('gives way to a user agent that was asked for', async () => {
    expect(await look({ device: 'mobile', userAgent: CHROME })).toMatchObject({ width: 390, userAgent: CHROME });
  });

  it('takes a picture as sharp as its screen', async () => {
    const { screenshot } = await pool.render(`${site.url}/look`, { device: 'mobile', screenshot: true });
    expect(jpegSize(screenshot)).toEqual({ width: 780, height: 1688 });
  });

  it('is a desktop again for the next page', async () => {
    const before = await look({});
    await look({ device: 'mobile' });
    expect(await look({})).toEqual(before);
    expect(before).toMatchObject({ width: 1280, density: 1, touch: 0, hasTouch: false, coarse: false });
  });

  it('is tapped', async () => {
    const actions = [{ kind: 'click', selector: '#b', text: '', ms: 0 }];
    const { html } = await pool.render(`${site.url}/tap`, { device: 'mobile', actions });
    expect(html).toContain('data-touched="1">tapped');
  });

  it('that is neither is refused', () =>
    expect(look({ device: 'fridge' })).rejects.toMatchObject({ code: 'validation' }));
});

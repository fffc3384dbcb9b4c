import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { USER_AGENT } from '@tidemark/egress';
import { jpegSize } from './jpeg.ts';
import { serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);

let site: TestSite;
let pool: TestPool;

beforeAll(async () => {
  site = await serveSite({
    '/plain': `<!doctype html><title>Plain</title>${TEXT}`,
    '/app': `<div id=root></div><script>
      setTimeout(() => fetch('/api').then((r) => r.json()).then((j) => {
        const img = new Image(); img.src = '/pixel.gif';
        root.innerHTML = '<h1>' + j.title + '</h1>'; root.append(img);
      }), 50);</script>`,
    '/api': (_, response) => {
      setTimeout(() => response.setHeader('content-type', 'application/json').end('{"title":"From the API"}'), 700);
    },
    '/pixel.gif': (_, response) => response.setHeader('content-type', 'image/gif').end(PIXEL),
    '/nameless': `${TEXT}<img src="/pixel">`,
    '/pixel': (_, response) => response.setHeader('content-type', 'image/gif').end(PIXEL),
    '/moved': (_, response) => response.writeHead(301, { location: '/moved-again' }).end(),
    '/moved-again': (_, response) => response.writeHead(302, { location: '/plain' }).end(),
    '/on-load': `${TEXT}<p id=p></p><img src="/slow-pixel"><script>
      onload = () => fetch('/api-quick').then(() => { p.textContent = 'loaded'; })</script>`,
    '/slow-pixel': (_, response) => void setTimeout(() => response.end(PIXEL), 400),
    '/frames-of-animation': `<p id=p></p><script>
      requestAnimationFrame(() => requestAnimationFrame(() => { p.textContent = 'drawn'; }))</script>`,
    '/by-script': `<script>location.replace('/plain?from=script')</script>`,
    '/by-meta': `<meta http-equiv="refresh" content="0; url=/plain?from=meta"><p>moving</p>`,
    '/polling': `${TEXT}<script>setInterval(() => fetch('/api-quick?' + Math.random()), 40)</script>`,
    '/api-quick': (_, response) => response.end('{}'),
    '/long-poll': `${TEXT}<script>fetch('/never')</script>`,
    '/never': () => undefined,
    '/cookies': (_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html', 'set-cookie': ['a=1', 'b=2'], 'x-served-by': 'test' })
        .end(TEXT),
    '/agent': (request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<p>${request.headers['user-agent']}<p id=o></p>
        <script>o.textContent = navigator.userAgent + '|' + navigator.webdriver + '|' + typeof window.chrome</script>`);
    },
    '/picture': `<body style="margin:0;background:#234"><h1 style="color:#fff;font:80px sans-serif">Tidemark ✓</h1>`,
    '/huge': `<script>document.write('<p hidden>' + 'x'.repeat(21 * 1024 * 1024))</script>`,
    '/torn': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '100000' });
      response.write('<p>half');
      setTimeout(() => response.destroy(), 50);
    },
    '/reset': (request) => request.socket.resetAndDestroy(),
    '/no-http': (request) => void request.socket.end('SMTP ready\r\n'),
  });
  pool = await startTestPool([
    site,
    { ...site, authority: '127.0.0.9:4999' },
    { ...site, authority: 'nowhere.invalid' },
  ]);
});

afterAll(async () => {
  await pool?.close();
  await site?.close();
});

describe('BrowserPoolService.Render', () => {
  it('waits for an app that fetches and renders its content', async () => {
    const page = await pool.render(`${site.url}/app`);
    expect(page.html).toContain('<h1>From the API</h1>');
    expect(page).toMatchObject({ httpStatus: 200, failure: undefined, refusedRequests: 0 });
    expect(page.bytesReceived).toBeGreaterThan(100);
  });

  it('waits for the effects of load handlers', async () => {
    expect((await pool.render(`${site.url}/on-load`)).html).toContain('<p id="p">loaded');
  });

  it('runs animation frames', async () => {
    expect((await pool.render(`${site.url}/frames-of-animation`)).html).toContain('<p id="p">drawn');
  });

  it('does not wait if no script can change the page', async () => {
    const pages = [];
    for (let time = 0; time < 4; time += 1) pages.push(await pool.render(`${site.url}/plain`));
    for (const { html } of pages) expect(html).toMatch(/^<!DOCTYPE html><html>/);
    // The minimum of several: other load may delay a single render.
    expect(Math.min(...pages.map(({ renderMs }) => renderMs))).toBeLessThan(1_000);
  });

  it('returns every redirect by status and the final URL', async () => {
    const page = await pool.render(`${site.url}/moved`);
    expect(page).toMatchObject({ httpStatus: 200, landedUrl: `${site.url}/plain` });
    expect(page.redirects).toEqual([`${site.url}/moved`, `${site.url}/moved-again`]);
  });

  it.each(['script', 'meta'])('follows a redirect by %s', async (kind) => {
    const page = await pool.render(`${site.url}/by-${kind}`);
    expect(page).toMatchObject({ httpStatus: 200, landedUrl: `${site.url}/plain?from=${kind}` });
    expect(page.redirects).toEqual([`${site.url}/by-${kind}`]);
    expect(page.html).toContain('Enough text');
  });

  it('returns a 404 page', async () => {
    const page = await pool.render(`${site.url}/missing`);
    expect(page).toMatchObject({ httpStatus: 404, failure: undefined });
    expect(page.html).toContain('no such page');
  });

  it.each(['polling', 'long-poll'])('does not wait for the end of %s', async (kind) => {
    const page = await pool.render(`${site.url}/${kind}`);
    expect(page.html).toContain('Enough text');
    expect(page.renderMs).toBeLessThan(12_000);
  });

  it('returns every header, repeated ones separately', async () => {
    const { headers } = await pool.render(`${site.url}/cookies`);
    expect(headers).toContainEqual({ name: 'x-served-by', value: 'test' });
    expect(headers.filter(({ name }) => name === 'set-cookie').map(({ value }) => value)).toEqual(['a=1', 'b=2']);
  });

  it('uses the configured user agent in requests and scripts, and hides webdriver', async () => {
    const page = await pool.render(`${site.url}/agent`);
    expect(page.html).toContain(`<p>${USER_AGENT}`);
    expect(page.html).toContain(`${USER_AGENT}|false|object`);
  });

  it('loads images only if resources are not blocked or a screenshot is requested', async () => {
    const before = site.requested.length;
    await pool.render(`${site.url}/app`, { blockResources: true });
    await pool.render(`${site.url}/nameless`, { blockResources: true });
    expect(site.requested.slice(before)).not.toContain('/pixel.gif');
    expect(site.requested.slice(before)).not.toContain('/pixel');
    await pool.render(`${site.url}/app`, { blockResources: true, screenshot: true });
    expect(site.requested.slice(before)).toContain('/pixel.gif');
  });

  it('renders an image as the page itself even if resources are blocked', async () => {
    const page = await pool.render(`${site.url}/pixel.gif`, { blockResources: true });
    expect(page).toMatchObject({ httpStatus: 200, failure: undefined });
  });

  it('returns a JPEG of the viewport if requested', async () => {
    const { screenshot } = await pool.render(`${site.url}/picture`, { screenshot: true });
    if (process.env['KEEP_SCREENSHOT'] !== undefined) writeFileSync(process.env['KEEP_SCREENSHOT'], screenshot ?? '');
    expect(screenshot?.subarray(0, 3).toString('hex')).toBe('ffd8ff');
    expect(jpegSize(screenshot)).toEqual({ width: 1280, height: 800 });
    expect((await pool.render(`${site.url}/picture`)).screenshot).toBeUndefined();
  });
});

describe('BrowserPoolService.Render of an unreadable page', () => {
  it.each([
    ['refused', 'http://127.0.0.9:4999/'],
    ['dns', 'http://nowhere.invalid/'],
    ['egress', 'http://127.0.0.1:8080/'],
    ['egress', 'http://169.254.169.254/latest/meta-data/'],
    ['egress', 'http://[::1]/'],
    ['egress', 'http://localhost/'],
  ])('fails as %s for the URL %s', async (failure, url) => {
    expect(await pool.render(url)).toMatchObject({ failure, httpStatus: 0, html: '' });
  });

  it.each([
    ['reset', '/reset'],
    ['protocol', '/no-http'],
    ['too_large', '/huge'],
  ])('fails as %s for the path %s', async (failure, path) => {
    expect(await pool.render(`${site.url}${path}`)).toMatchObject({ failure, html: '' });
  });

  it('fails as timeout for a document that never arrives', async () => {
    const page = await pool.render(`${site.url}/never`, { timeoutMs: 1_000 });
    expect(page).toMatchObject({ failure: 'timeout', httpStatus: 0, html: '', landedUrl: `${site.url}/never` });
    expect(page.renderMs).toBeLessThan(10_000);
  });

  it('fails as tls for a plain http server at an https URL', async () => {
    expect(await pool.render(site.url.replace('http:', 'https:'))).toMatchObject({ failure: 'tls' });
  });

  it.each([
    'file:///etc/passwd',
    'view-source:http://example.com/',
    'chrome://version',
    'data:text/html,x',
    'about:blank',
  ])('fails as egress for the URL %s', async (url) => {
    expect(await pool.render(url)).toMatchObject({ failure: 'egress', refusedRequests: 1, html: '' });
  });

  it('rejects a call without a workspace or a URL', async () => {
    await expect(pool.render(site.url, { workspaceId: '' })).rejects.toMatchObject({ code: 'validation' });
    await expect(pool.render('not a url')).rejects.toMatchObject({ code: 'validation' });
  });
});

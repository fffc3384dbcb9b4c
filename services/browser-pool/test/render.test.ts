import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { USER_AGENT } from '@tidemark/egress';
import { jpegSize } from './jpeg.ts';
import { type PoolUnderTest, type Site, serveSite, startPool } from './pool-under-test.ts';

const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);

let site: Site;
let pool: PoolUnderTest;

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
  pool = await startPool([site, { ...site, authority: '127.0.0.9:4999' }, { ...site, authority: 'nowhere.invalid' }]);
});

afterAll(async () => {
  await pool?.close();
  await site?.close();
});

describe('Render', () => {
  it('waits for an app that fetches its content and renders it', async () => {
    const page = await pool.render(`${site.url}/app`);
    expect(page.html).toContain('<h1>From the API</h1>');
    expect(page).toMatchObject({ httpStatus: 200, failure: undefined, refusedRequests: 0 });
    expect(page.bytesReceived).toBeGreaterThan(100);
  });

  it('waits for what a page does once it has loaded', async () => {
    expect((await pool.render(`${site.url}/on-load`)).html).toContain('<p id="p">loaded');
  });

  it('runs the animation frames an app may render in', async () => {
    expect((await pool.render(`${site.url}/frames-of-animation`)).html).toContain('<p id="p">drawn');
  });

  it('does not wait where no script can change the page', async () => {
    const pages = [];
    for (let time = 0; time < 4; time += 1) pages.push(await pool.render(`${site.url}/plain`));
    for (const { html } of pages) expect(html).toMatch(/^<!DOCTYPE html><html>/);
    // The quickest of some: any one may have been slowed down by what else the machine does.
    expect(Math.min(...pages.map(({ renderMs }) => renderMs))).toBeLessThan(1_000);
  });

  it('names every redirect by status and where it landed', async () => {
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

  it('hands over a 404 as the page it is', async () => {
    const page = await pool.render(`${site.url}/missing`);
    expect(page).toMatchObject({ httpStatus: 404, failure: undefined });
    expect(page.html).toContain('no such page');
  });

  it.each(['polling', 'long-poll'])('does not wait for the end of %s', async (kind) => {
    const page = await pool.render(`${site.url}/${kind}`);
    expect(page.html).toContain('Enough text');
    expect(page.renderMs).toBeLessThan(12_000);
  });

  it('repeats every header, and a repeated one as often as it came', async () => {
    const { headers } = await pool.render(`${site.url}/cookies`);
    expect(headers).toContainEqual({ name: 'x-served-by', value: 'test' });
    expect(headers.filter(({ name }) => name === 'set-cookie').map(({ value }) => value)).toEqual(['a=1', 'b=2']);
  });

  it('goes by the one user agent, on the wire and in scripts, and is no webdriver', async () => {
    const page = await pool.render(`${site.url}/agent`);
    expect(page.html).toContain(`<p>${USER_AGENT}`);
    expect(page.html).toContain(`${USER_AGENT}|false|object`);
  });

  it('loads no image where resources are blocked, and loads them otherwise', async () => {
    const before = site.asked.length;
    await pool.render(`${site.url}/app`, { blockResources: true });
    await pool.render(`${site.url}/nameless`, { blockResources: true });
    expect(site.asked.slice(before)).not.toContain('/pixel.gif');
    expect(site.asked.slice(before)).not.toContain('/pixel');
    await pool.render(`${site.url}/app`, { blockResources: true, screenshot: true });
    expect(site.asked.slice(before)).toContain('/pixel.gif');
  });

  it('renders an image itself, blocked resources or not, for then it is the page', async () => {
    const page = await pool.render(`${site.url}/pixel.gif`, { blockResources: true });
    expect(page).toMatchObject({ httpStatus: 200, failure: undefined });
  });

  it('takes a JPEG of the viewport when asked', async () => {
    const { screenshot } = await pool.render(`${site.url}/picture`, { screenshot: true });
    if (process.env['KEEP_SCREENSHOT'] !== undefined) writeFileSync(process.env['KEEP_SCREENSHOT'], screenshot);
    expect(screenshot.subarray(0, 3).toString('hex')).toBe('ffd8ff');
    expect(jpegSize(screenshot)).toEqual({ width: 1280, height: 800 });
    expect((await pool.render(`${site.url}/picture`)).screenshot).toHaveLength(0);
  });
});

describe('a page that can not be read is data', () => {
  it.each([
    ['refused', 'http://127.0.0.9:4999/'],
    ['dns', 'http://nowhere.invalid/'],
    ['egress', 'http://127.0.0.1:8080/'],
    ['egress', 'http://169.254.169.254/latest/meta-data/'],
    ['egress', 'http://[::1]/'],
    ['egress', 'http://localhost/'],
  ])('%s: %s', async (failure, url) => {
    expect(await pool.render(url)).toMatchObject({ failure, httpStatus: 0, html: '' });
  });

  it.each([
    ['reset', '/reset'],
    ['protocol', '/no-http'],
    ['too_large', '/huge'],
  ])('%s: %s', async (failure, path) => {
    expect(await pool.render(`${site.url}${path}`)).toMatchObject({ failure, html: '' });
  });

  it('timeout: a document that never comes', async () => {
    const page = await pool.render(`${site.url}/never`, { timeoutMs: 1_000 });
    expect(page).toMatchObject({ failure: 'timeout', httpStatus: 0, html: '', landedUrl: `${site.url}/never` });
    expect(page.renderMs).toBeLessThan(10_000);
  });

  it('tls: a server that speaks plain http where https is asked', async () => {
    expect(await pool.render(site.url.replace('http:', 'https:'))).toMatchObject({ failure: 'tls' });
  });

  it.each([
    'file:///etc/passwd',
    'view-source:http://example.com/',
    'chrome://version',
    'data:text/html,x',
    'about:blank',
  ])('egress: %s is no address of the web', async (url) => {
    expect(await pool.render(url)).toMatchObject({ failure: 'egress', refusedRequests: 1, html: '' });
  });

  it('a call without a workspace or a URL is refused', async () => {
    await expect(pool.render(site.url, { workspaceId: '' })).rejects.toMatchObject({ code: 'validation' });
    await expect(pool.render('not a url')).rejects.toMatchObject({ code: 'validation' });
  });
});

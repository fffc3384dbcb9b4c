import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordConnections, serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);

let internal: Awaited<ReturnType<typeof recordConnections>>;
let site: TestSite;
let other: TestSite;
/** A server of the fleet itself, on an address that the operator allowed. */
let own: Awaited<ReturnType<typeof recordConnections>>;
let pool: TestPool;

/** Pages that request `inside`, a host:port of this machine that is not allowed. */
const attempts = (inside: string): Record<string, string> => ({
  image: `<img src="http://${inside}/a.png">`,
  script: `<script src="http://${inside}/a.js"></script>`,
  stylesheet: `<link rel="stylesheet" href="http://${inside}/a.css">`,
  css: `<style>body { background: url(http://${inside}/a.png) }</style>`,
  iframe: `<iframe src="http://${inside}/"></iframe>`,
  object: `<object data="http://${inside}/"></object><embed src="http://${inside}/">`,
  fetch: `<script>fetch('http://${inside}/', { mode: 'no-cors' }).catch(() => 0)</script>`,
  xhr: `<script>const x = new XMLHttpRequest(); x.open('POST', 'http://${inside}/'); x.send('a')</script>`,
  websocket: `<script>new WebSocket('ws://${inside}/').onerror = () => document.body.insertAdjacentHTML('beforeend', '<p id="failed">failed</p>')</script>`,
  events: `<script>new EventSource('http://${inside}/')</script>`,
  beacon: `<script>navigator.sendBeacon('http://${inside}/', 'a')</script>`,
  worker: `<script>new Worker(URL.createObjectURL(new Blob(["fetch('http://${inside}/', {mode:'no-cors'})"])))</script>`,
  form: `<form method="post" action="http://${inside}/" target="f"></form><iframe name="f"></iframe><script>document.forms[0].submit()</script>`,
  redirected: `<img src="/to-inside">`,
});
/** A script, with which the render waits for `load`, images and frames included. */
const AWAITED = '<script>0</script>';
/** Neither the event `load` nor an idle network includes sockets. */
const SOCKET_FAILED = { waitFor: { selector: '#failed', ms: 0, networkIdle: false } };

/** Hints and side channels: they may be ignored, but must not open connections. */
const hints = (inside: string): Record<string, string> => ({
  prefetch: `<link rel="prefetch" href="http://${inside}/"><link rel="prerender" href="http://${inside}/">`,
  preconnect: `<link rel="preconnect" href="http://${inside}"><link rel="dns-prefetch" href="//${inside}">`,
  speculation: `<script type="speculationrules">{"prefetch":[{"urls":["http://${inside}/"]}]}</script>`,
  webrtc: `<script>
    const peer = new RTCPeerConnection({ iceServers: [{ urls: 'turn:${inside}?transport=tcp', username: 'a', credential: 'b' }, { urls: 'stun:${inside}' }] });
    peer.createDataChannel('x'); peer.createOffer().then((o) => peer.setLocalDescription(o));</script>`,
  popup: `<script>window.open('http://${inside}/')</script>`,
  ping: `<a id=a href="#x" ping="http://${inside}/">x</a><script>a.click()</script>`,
});

beforeAll(async () => {
  internal = await recordConnections();
  const inside = `127.0.0.1:${internal.port}`;
  const pages = Object.entries({ ...attempts(inside), ...hints(inside) });
  site = await serveSite({
    ...Object.fromEntries(pages.map(([name, html]) => [`/${name}`, `${TEXT}${AWAITED}${html}`])),
    '/to-inside': (_, response) => response.writeHead(302, { location: `http://${inside}/` }).end(),
    '/meta-inside': `${TEXT}<meta http-equiv="refresh" content="0; url=http://${inside}/">`,
    '/script-inside': `${TEXT}<script>location.href = 'http://${inside}/'</script>`,
    '/script-file': `${TEXT}<script>location.href = 'file:///etc/passwd'</script>`,
    '/iframe-file': `${TEXT}<iframe src="file:///etc/passwd"></iframe>`,
    '/own-port': (request, response) => {
      const to = new URL(request.url ?? '', 'http://site').searchParams.get('to');
      response.setHeader('content-type', 'text/html').end(`${TEXT}${AWAITED}<img src="http://${to}/a.png">`);
    },
    '/view-source': `${TEXT}<script>location.href = 'view-source:' + location.origin</script>`,
    '/chrome': `${TEXT}<script>location.href = 'chrome://version'</script>`,
  });
  other = await serveSite({ '/': TEXT }, '127.0.0.3');
  own = await recordConnections();
  pool = await startTestPool([site, { ...site, authority: `127.0.0.1:${own.port}` }], {
    TIDEMARK_OWN_PORTS: `5432,${own.port}`,
  });
});

afterAll(async () => {
  await pool?.close();
  await Promise.all([internal, site, other, own].map((server) => server?.close()));
});

describe('a page that requests a refused address', () => {
  it.each(Object.keys(attempts('')))('is refused and counted, without a connection: %s', async (name) => {
    const page = await pool.render(`${site.url}/${name}`, name === 'websocket' ? SOCKET_FAILED : {});
    expect(page).toMatchObject({ httpStatus: 200, failure: undefined });
    expect(page.refusedRequests).toBeGreaterThan(0);
    expect(internal.count()).toBe(0);
  });

  it.each(Object.keys(hints('')))('opens no connection by a hint or side channel: %s', async (name) => {
    expect(await pool.render(`${site.url}/${name}`)).toMatchObject({ httpStatus: 200, failure: undefined });
    expect(internal.count()).toBe(0);
  });

  it.each(['to-inside', 'meta-inside', 'script-inside'])('fails as egress if it navigates there: %s', async (name) => {
    const page = await pool.render(`${site.url}/${name}`);
    expect(page).toMatchObject({ failure: 'egress', html: '', httpStatus: 0 });
    expect(internal.count()).toBe(0);
  });

  it.each(['script-file', 'iframe-file', 'view-source', 'chrome'])(
    'cannot open a URL that is not http or https: %s',
    async (name) => {
      const page = await pool.render(`${site.url}/${name}`);
      expect(page).toMatchObject({ landedUrl: `${site.url}/${name}` });
      expect(page.html).not.toContain('root:');
    },
  );

  it.each(['http://127.1', 'http://0x7f.1', 'http://2130706433', 'http://[::ffff:127.0.0.1]', 'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ'])(
    'is refused for any spelling of the address: %s',
    async (spelling) => {
      expect(await pool.render(`${spelling}:${internal.port}/`)).toMatchObject({ failure: 'egress' });
      expect(internal.count()).toBe(0);
    },
  );

  it('is refused at a port of the fleet itself, although the operator allowed the address', async () => {
    const to = `127.0.0.1:${own.port}`;
    expect(await pool.render(`http://${to}/`)).toMatchObject({ failure: 'egress' });
    const page = await pool.render(`${site.url}/own-port?to=${to}`);
    expect(page).toMatchObject({ httpStatus: 200, failure: undefined });
    expect(page.refusedRequests).toBeGreaterThan(0);
    expect(own.count()).toBe(0);
  });

  it('returns the same response for a refused address with and without a listening server', async () => {
    const { queueMs, renderMs, ...served } = await pool.render(`${other.url}/`);
    const { queueMs: _, renderMs: __, ...closed } = await pool.render('http://127.0.0.3:9999/');
    expect({ ...served, landedUrl: '' }).toEqual({ ...closed, landedUrl: '' });
    expect(Math.abs(renderMs + queueMs)).toBeGreaterThan(0);
    expect(other.requested).toEqual([]);
  });
});

import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until, untilQuiet } from '@tidemark/testkit';
import { renderersIn } from './processes.ts';
import { serveSite, startTestPool, type TestPool, type TestSite } from './test-pool.ts';

const TEXT = '<p>Enough text to be a page and not a shell that waits for its content. </p>'.repeat(10);

/** Writes to every storage that a page has, then changes its title. */
const WRITE_STATE = `<script>
  (async () => {
    document.cookie = 'left=cookie; max-age=3600';
    localStorage.setItem('left', 'local');
    sessionStorage.setItem('left', 'session');
    window.name = 'left';
    history.pushState({}, '', '?pushed');
    await new Promise((done) => {
      const open = indexedDB.open('left', 1);
      open.onupgradeneeded = () => open.result.createObjectStore('s').put('v', 'k');
      open.onsuccess = done;
    });
    const cache = await caches.open('left');
    await cache.put('/left', new Response('left'));
    const root = await navigator.storage.getDirectory();
    await root.getFileHandle('left', { create: true });
    addEventListener('pagehide', () => localStorage.setItem('late', 'pagehide'));
    addEventListener('beforeunload', () => localStorage.setItem('late', 'beforeunload'));
    document.addEventListener('visibilitychange', () => localStorage.setItem('late', 'hidden'));
    document.title = 'left';
    document.body.insertAdjacentHTML('beforeend', '<p id="done">done</p>');
  })();
</script>`;
const MARK_DONE = `document.title = 'left'; document.body.insertAdjacentHTML('beforeend', '<p id="done">done</p>');`;
/** Databases and files may take longer than the quiet time of a page. */
const DONE = { waitFor: { selector: '#done', ms: 0, networkIdle: false } };
const FOUND = { waitFor: { selector: '#found:not(:empty)', ms: 0, networkIdle: false } };

/** Reads every storage that a page has. */
const READ_STATE = `<p id="found"></p><script>
  (async () => {
    const found = {
      cookie: document.cookie,
      local: Object.entries(localStorage),
      session: Object.entries(sessionStorage),
      name: window.name,
      history: history.length,
      databases: (await indexedDB.databases()).map((d) => d.name),
      caches: await caches.keys(),
      files: await (async () => { const all = []; for await (const key of (await navigator.storage.getDirectory()).keys()) all.push(key); return all; })(),
      workers: (await navigator.serviceWorker.getRegistrations()).length,
      controlled: navigator.serviceWorker.controller !== null,
      referrer: document.referrer,
    };
    document.getElementById('found').textContent = JSON.stringify(found);
    document.title = 'read';
  })();
</script>`;

const NOTHING = {
  cookie: '',
  local: [],
  session: [],
  name: '',
  // The initial blank page of a tab, and this page.
  history: 2,
  databases: [],
  caches: [],
  files: [],
  workers: 0,
  controlled: false,
  referrer: '',
};

/** Sends the responses to requests that outlive their page. */
const sendLate: (() => Promise<void>)[] = [];
let site: TestSite;
let pool: TestPool;
let tagged: { path: string; ifNoneMatch: string | undefined; cookie: string | undefined }[];

// Loopback is a secure context (W3C Secure Contexts 3.1), so that service workers and caches exist here as on https.
beforeAll(async () => {
  tagged = [];
  site = await serveSite({
    '/leave': `${TEXT}${WRITE_STATE}`,
    '/read-state': `${TEXT}${READ_STATE}`,
    '/leave-worker': `${TEXT}<script>navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => { ${MARK_DONE} })</script>`,
    '/worker.js': (_, response) => {
      response.setHeader('content-type', 'text/javascript');
      response.end(`addEventListener('fetch', (e) => e.respondWith(new Response('from the worker')))`);
    },
    '/leave-shared': `${TEXT}<script>new SharedWorker('/shared.js').port.onmessage = () => { ${MARK_DONE} }</script>`,
    '/shared.js': (_, response) => {
      response.setHeader('content-type', 'text/javascript');
      response.end('let n = 0; onconnect = (e) => e.ports[0].postMessage(++n)');
    },
    '/tagged': (request, response) => {
      tagged.push({ path: '/tagged', ifNoneMatch: request.headers['if-none-match'], cookie: request.headers.cookie });
      const headers = { 'content-type': 'text/html', etag: '"one"', 'cache-control': 'max-age=3600' };
      response.writeHead(200, { ...headers, 'set-cookie': 'from=server; HttpOnly; Max-Age=3600' });
      response.end(`${TEXT}<link rel="stylesheet" href="/tagged.css"><script src="/tagged.js"></script>`);
    },
    ...Object.fromEntries(
      [
        ['/tagged.css', 'text/css'],
        ['/tagged.js', 'text/javascript'],
      ].map(([path = '', type = '']) => [
        path,
        (request, response) => {
          tagged.push({ path, ifNoneMatch: request.headers['if-none-match'], cookie: undefined });
          response.writeHead(200, { 'content-type': type, etag: '"two"', 'cache-control': 'max-age=3600' }).end(' ');
        },
      ]),
    ),
    '/late-cookie': `${TEXT}<script>fetch('/sets-late', { keepalive: true }); navigator.sendBeacon('/sets-late')</script>`,
    '/sets-late': (_, response) => {
      sendLate.push(async () => {
        response.writeHead(204, { 'set-cookie': 'late=1; Max-Age=3600' }).end();
        // The callback of end() is never called if the browser closed the connection before.
        if (!response.closed) await once(response, 'close');
      });
    },
    '/signed': (request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`${TEXT}<p id=a>${request.headers.authorization ?? 'no credentials'}</p>`);
    },
    '/to-signed': (_, response) => {
      response.writeHead(302, { location: `http://user:secret@${site.authority}/signed` }).end();
    },
  });
  pool = await startTestPool([site], { BROWSER_TABS: '1' });
});

afterAll(async () => {
  await pool?.close();
  await site?.close();
});

const found = async (workspaceId: string): Promise<unknown> => {
  const { html } = await pool.render(`${site.url}/read-state`, { ...FOUND, workspaceId });
  return JSON.parse(/<p id="found">(.*?)<\/p>/.exec(html)?.[1]?.replaceAll('&quot;', '"') ?? 'null');
};

/** Returns the renderer processes once none starts or exits: of the idle tab and of the spare tab. */
const renderers = (): Promise<number[]> =>
  untilQuiet('the renderers', () => renderersIn(pool.profileDir), { forMs: 1_000 });

describe('the state of a page', () => {
  it('is removed for the next page of the same workspace and host, in the same context', async () => {
    const { html } = await pool.render(`${site.url}/leave`, DONE);
    expect(html).toContain('<title>left</title>');
    const before = await renderers();
    expect(await found('ws_one')).toEqual(NOTHING);
    expect(before).not.toEqual([]);
    expect(await renderers()).toEqual(before);
    expect(await found('ws_one')).toEqual(NOTHING);
  });

  it('is not visible to another workspace, which gets its own context', async () => {
    await pool.render(`${site.url}/leave`, DONE);
    const before = await renderers();
    expect(await found('ws_two')).toEqual(NOTHING);
    await until('the processes to be others', async () => String(await renderers()) !== String(before));
  });

  it('is removed with its context if a service worker was installed', async () => {
    expect((await pool.render(`${site.url}/leave-worker`, DONE)).html).toContain('<title>left</title>');
    expect(await found('ws_one')).toEqual(NOTHING);
  });

  it('is removed if a shared worker ran', async () => {
    expect((await pool.render(`${site.url}/leave-shared`, DONE)).html).toContain('<title>left</title>');
    expect(await found('ws_one')).toEqual(NOTHING);
  });

  it('is removed from the HTTP cache: every resource is requested again without validator or cookie', async () => {
    await pool.render(`${site.url}/tagged`);
    await pool.render(`${site.url}/tagged`);
    await pool.render(`${site.url}/tagged`, { workspaceId: 'ws_two' });
    expect(tagged.filter(({ path }) => path === '/tagged')).toHaveLength(3);
    expect(tagged.filter(({ path }) => path === '/tagged.css')).toHaveLength(3);
    expect(tagged.filter(({ path }) => path === '/tagged.js')).toHaveLength(3);
    expect(tagged.filter((request) => request.ifNoneMatch !== undefined || request.cookie !== undefined)).toEqual([]);
  });

  it('includes no cookie of a response that arrives after the page was closed', async () => {
    await pool.render(`${site.url}/late-cookie`);
    expect(sendLate.length).toBeGreaterThan(0);
    for (const send of sendLate) await send();
    expect(await found('ws_one')).toEqual(NOTHING);
  });

  it('includes no credentials of a URL that the page redirected to', async () => {
    await pool.render(`${site.url}/to-signed`);
    expect((await pool.render(`${site.url}/signed`)).html).toContain('no credentials');
  });
});

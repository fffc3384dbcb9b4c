import { createServer } from 'node:http';
import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { benchPage } from '../shared/sample-page.ts';

// A separate process with the site of the fairness benchmark and the clients of the heavy tenants, so that their work does
// not delay the clock of the measured client.

/** Message from the parent: starts or stops the heavy tenants. */
export interface HeavyOrder {
  readonly url: string;
  /** Key of the tenant with large pages, and of the tenant with slow browser pages. */
  readonly largeKey: string;
  readonly slowKey: string;
}

/** Messages to the parent: the URL of the site, and what the heavy tenants received. */
export type HeavyMessage = { readonly port: number } | { readonly responses: Readonly<Record<string, number>> };

// The site and the clients of a real fleet run on other machines: here they take only what the fleet leaves.
setPriority(10);

const { values } = parseArgs({
  options: {
    'large-clients': { type: 'string', default: '4' },
    'slow-clients': { type: 'string', default: '8' },
    links: { type: 'string', default: '300000' },
    megabytes: { type: 'string', default: '8' },
  },
});

const MEGABYTE = 1024 * 1024;
/** Time for which a slow page keeps working, ms. */
const SLOW_MS = 12_000;

/** A page of this size with this many links, each with another URL. */
function largePage(): Buffer {
  const links = Number(values.links);
  const chars = Math.floor((Number(values.megabytes) * MEGABYTE) / links);
  const parts = Array.from({ length: links }, (_, at) => {
    const link = `<a href="/l/${at}">${at}</a>`;
    return `${link}${' word'.repeat(Math.max(0, Math.floor((chars - link.length) / 5)))}\n`;
  });
  return Buffer.from(`<!doctype html><title>Large</title><main><h1>Large</h1><p>${parts.join('')}</p></main>`);
}

/** A page that changes every 50 ms for `SLOW_MS`. */
const slowPage =
  Buffer.from(`<!doctype html><title>Slow</title><main><h1>Slow</h1><p id="p">${'word '.repeat(200)}</p></main>
<script>const end=performance.now()+${SLOW_MS};const timer=setInterval(()=>{document.getElementById('p').append(' more');
if(performance.now()>end)clearInterval(timer)},50)</script>`);

const PAGES: ReadonlyMap<string, Buffer> = new Map([
  ['/small', Buffer.from(benchPage())],
  ['/large', largePage()],
  ['/slow', slowPage],
]);

const server = createServer((request, response) => {
  const page = PAGES.get((request.url ?? '').split('?')[0] ?? '');
  if (page === undefined) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': page.length });
  return response.end(page);
});

const responses: Record<string, number> = {};
let stopped = new AbortController();
const send = (message: HeavyMessage): void => void process.send?.(message);

/** Sends one request after the other until stopped, and counts the responses by status. */
async function client(name: string, { url, key }: { url: string; key: string }, body: object): Promise<void> {
  const { signal } = stopped;
  while (!signal.aborted) {
    try {
      const response = await fetch(`${url}/v1/scrape`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal,
      });
      for await (const _ of response.body ?? []) void _;
      count(`${name} ${response.status}`);
      if (response.status >= 400) await new Promise((resolve) => setTimeout(resolve, 500));
    } catch {
      if (!signal.aborted) count(`${name} failed`);
    }
  }
}

const count = (outcome: string): void => {
  responses[outcome] = (responses[outcome] ?? 0) + 1;
};

function start({ url, largeKey, slowKey }: HeavyOrder, site: string): void {
  stopped = new AbortController();
  const large = { url: `${site}/large`, formats: 'markdown,links', config: { render_js: 'never' } };
  const slow = { url: `${site}/slow`, formats: 'markdown', config: { render_js: 'always', wait_for: SLOW_MS } };
  for (let at = 0; at < Number(values['large-clients']); at += 1) void client('large', { url, key: largeKey }, large);
  for (let at = 0; at < Number(values['slow-clients']); at += 1) void client('slow', { url, key: slowKey }, slow);
}

server.listen(0, '127.0.0.2', () => {
  const address = server.address();
  if (typeof address !== 'object' || address === null) return;
  const site = `http://127.0.0.2:${address.port}`;
  process.on('message', (order: HeavyOrder | 'stop') => {
    if (order !== 'stop') return start(order, site);
    stopped.abort();
    send({ responses });
  });
  send({ port: address.port });
});
process.on('disconnect', () => process.exit(0));

import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

// A separate process with the site and the clients of the memory benchmark.

/** Message from the parent. */
export interface LoadOrder {
  readonly url: string;
  readonly keys: readonly string[];
  readonly seconds: number;
}

/** What the clients received. */
export interface LoadResult {
  /** Responses by kind of request and status. */
  readonly responses: Readonly<Record<string, number>>;
  /** Refused requests (413, 422, 429, 503) by status and cause. */
  readonly refusals: Readonly<Record<string, number>>;
  /** 503 without Retry-After. */
  readonly withoutRetryAfter: number;
  /** Paths of accepted jobs, each with the key that started it. */
  readonly accepted: readonly { readonly path: string; readonly key: string }[];
}

const { values } = parseArgs({ options: { clients: { type: 'string', default: '8' } } });

const MEGABYTE = 1_048_576;
const paragraph = (at: number): string => `<p>${at} ${'word '.repeat(60)}<a href="/p/${at}">${at}</a></p>\n`;
const pageOf = (bytes: number): Buffer => {
  const count = Math.floor(bytes / paragraph(0).length);
  return Buffer.from(
    `<!doctype html><title>Page</title><main>${Array.from({ length: count }, (_, at) => paragraph(at)).join('')}</main>`,
  );
};
const PAGES = { '/huge': pageOf(8 * MEGABYTE), '/large': pageOf(2 * MEGABYTE), '/small': pageOf(40_000) };

const server = createServer((request, response) => {
  const path = (request.url ?? '').split('?')[0] ?? '';
  if (path === '/robots.txt' || path === '/sitemap.xml') return response.writeHead(404).end();
  const body = path === '/huge' ? PAGES['/huge'] : path === '/large' ? PAGES['/large'] : PAGES['/small'];
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': body.length });
  return response.end(body);
});

const responses: Record<string, number> = {};
const accepted: { path: string; key: string }[] = [];
const refusals: Record<string, number> = {};
let withoutRetryAfter = 0;

interface Call {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object | string;
  /** Milliseconds after which the body is read; a slow client. */
  readonly readAfterMs?: number;
}

async function send({ url }: LoadOrder, key: string, call: Call): Promise<void> {
  try {
    const response = await fetch(`${url}/v1${call.path}`, {
      method: call.method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(call.body === undefined
        ? {}
        : { body: typeof call.body === 'string' ? call.body : JSON.stringify(call.body) }),
      signal: AbortSignal.timeout(120_000),
    });
    const outcome = `${call.name} ${response.status}`;
    responses[outcome] = (responses[outcome] ?? 0) + 1;
    if (response.status === 503 && response.headers.get('retry-after') === null) withoutRetryAfter += 1;
    if (call.readAfterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, call.readAfterMs));
    const text = await response.text();
    if (response.status >= 413) countRefusal(response.status, text);
    if (response.status === 202) remember(text, key);
    if (response.status === 200 && call.path === '/scrape') rememberStored(text, key);
    if (response.status >= 400) await new Promise((resolve) => setTimeout(resolve, 300));
  } catch {
    responses[`${call.name} failed`] = (responses[`${call.name} failed`] ?? 0) + 1;
  }
}

/** Counts a refusal under its message without numbers. */
function countRefusal(status: number, text: string): void {
  const message = /"error":"([^"]*)"/.exec(text)?.[1] ?? text;
  const cause = `${status} ${message.replaceAll(/\d+/g, 'n').slice(0, 100)}`;
  refusals[cause] = (refusals[cause] ?? 0) + 1;
}

function remember(text: string, key: string): void {
  const { id, kind }: { id: string; kind: string } = JSON.parse(text);
  accepted.push({ path: kind === 'crawl' ? `/crawl/${id}` : `/scrape/${id}`, key });
}

/** Jobs whose pages are stored, by key. */
const stored = new Map<string, string[]>();

function rememberStored(text: string, key: string): void {
  const id = /"id":"(job_\w+)"/.exec(text.slice(0, 500))?.[1];
  if (id !== undefined && text.length > MEGABYTE) stored.set(key, [...(stored.get(key) ?? []), `/scrape/${id}`]);
}

const ALL = 'markdown,text,cleanHtml,rawHtml,links';

/** The calls of the mixed load: every client sends them in turns, from another start. */
function callsOf(site: string, at: number, key: string): Call[] {
  const one = stored.get(key)?.at(at % 7) ?? stored.get(key)?.at(0) ?? '/scrape';
  const read: Call = { name: 'stored page of 8 MB', method: 'GET', path: one };
  const some = Array.from({ length: 12 }, (_, page) => `${site}/large?${at}-${page}`);
  const own = accepted.filter((job) => job.key === key);
  const lastOf = (): string => own.at(-(1 + (at % 5)))?.path ?? '/scrape';
  const noJson = `{"urls":[${'"http://127.0.0.2/",'.repeat(50_000)}"x"]}`;
  return [
    { name: 'scrape 8 MB, all formats', method: 'POST', path: '/scrape', body: { url: `${site}/huge`, formats: ALL } },
    { name: 'batch of 12 pages of 2 MB', method: 'POST', path: '/scrape', body: { urls: some, formats: ALL } },
    read,
    { ...read, readAfterMs: 3_000 },
    { name: 'scrape 40 KB', method: 'POST', path: '/scrape', body: { url: `${site}/small`, formats: 'markdown' } },
    read,
    { name: 'body of 1 MB', method: 'POST', path: '/scrape', body: noJson },
    {
      name: 'list with bodies',
      method: 'GET',
      path: lastOf().startsWith('/crawl') ? '/scrape' : `${lastOf()}?limit=100`,
    },
    {
      name: 'crawl',
      method: 'POST',
      path: '/crawl',
      body: { url: `${site}/large`, limit: 4, maxTier: 'http', scrapeOptions: { formats: ALL.split(',') } },
    },
    {
      name: 'slow reader, 8 MB',
      method: 'POST',
      path: '/scrape',
      body: { url: `${site}/huge?slow`, formats: ALL },
      readAfterMs: 10_000,
    },
  ];
}

async function client(order: LoadOrder, site: string, at: number): Promise<void> {
  const endsAtMs = performance.now() + order.seconds * 1_000;
  const key = order.keys[at % order.keys.length] ?? '';
  for (let turn = at; performance.now() < endsAtMs; turn += 1) {
    const calls = callsOf(site, turn, key);
    const call = calls[turn % calls.length];
    if (call !== undefined) await send(order, key, call);
  }
}

server.listen(0, '127.0.0.2', () => {
  const address = server.address();
  if (typeof address !== 'object' || address === null) return;
  const site = `http://127.0.0.2:${address.port}`;
  process.on('message', async (order: LoadOrder) => {
    await Promise.all(Array.from({ length: Number(values.clients) }, (_, at) => client(order, site, at)));
    const result: LoadResult = { responses, refusals, accepted, withoutRetryAfter };
    process.send?.(result);
  });
  process.send?.({ site });
});
process.on('disconnect', () => process.exit(0));

import { createServer } from 'node:http';
import { setPriority } from 'node:os';
import { markdownOf } from './store-pages.ts';

// A separate process with a site and the clients of downloads, so that their work does not delay the clock of the measured client.

/** Message from the parent: starts downloads, or ends them. */
export interface DownloadOrder {
  readonly url: string;
  readonly key: string;
  readonly downloads: number;
}

/** Messages to the parent: the URL of the site, and what the downloads received. */
export type DownloadMessage = { readonly port: number } | Downloaded;

export interface Downloaded {
  /** Files that were received whole. */
  readonly files: number;
  readonly bytes: number;
  readonly failures: readonly string[];
}

// The site and the clients of a real fleet run on other machines: here they take only what the fleet leaves.
setPriority(10);

const RETRY_MS = 500;
const MAX_FAILURES = 10;
const pages = Number(process.argv[2]);

/** The start page links every other one; a page has 5 KB of text. */
function pageOf(path: string): string | undefined {
  const links = Array.from(
    { length: pages - 1 },
    (_, index) => `<li><a href="/page-${index + 1}">Page ${index + 1}</a>`,
  );
  if (path === '/')
    return `<!doctype html><title>All pages</title><main><h1>All pages</h1><ul>${links.join('\n')}</ul></main>`;
  const number = Number(/^\/page-(\d+)$/.exec(path)?.[1] ?? Number.NaN);
  if (!(number < pages)) return undefined;
  const paragraphs = markdownOf(number)
    .slice(2)
    .match(/.{1,500}/gs)
    ?.map((text) => `<p>${text}</p>`);
  return `<!doctype html><title>Page ${number}</title><main><h1>Page ${number}</h1>${paragraphs?.join('\n')}</main>`;
}

const server = createServer((request, response) => {
  const page = pageOf(request.url ?? '');
  if (page === undefined) return response.writeHead(404).end();
  return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
});

let stopped = new AbortController();
let files = 0;
let bytes = 0;
let failures: string[] = [];
const send = (message: DownloadMessage): void => void process.send?.(message);

/** Downloads one file after the other until stopped. */
async function client({ url, key }: DownloadOrder): Promise<void> {
  const { signal } = stopped;
  while (!signal.aborted) {
    try {
      const response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal });
      if (response.status !== 200) throw new Error(`status ${response.status}: ${await response.text()}`);
      for await (const chunk of response.body ?? []) bytes += chunk.length;
      files += 1;
    } catch (error) {
      if (signal.aborted) return;
      if (failures.length < MAX_FAILURES) failures.push(String(error));
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

function start(order: DownloadOrder): void {
  stopped = new AbortController();
  [files, bytes, failures] = [0, 0, []];
  for (let at = 0; at < order.downloads; at += 1) void client(order);
}

server.listen(0, '127.0.0.2', () => {
  const address = server.address();
  if (typeof address !== 'object' || address === null) return;
  process.on('message', (order: DownloadOrder | 'stop') => {
    if (order !== 'stop') return start(order);
    stopped.abort();
    send({ files, bytes, failures });
  });
  send({ port: address.port });
});
process.on('disconnect', () => process.exit(0));

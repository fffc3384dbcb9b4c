// The bundled sample site: a small company's pages, in two editions that differ as real sites do between two visits.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, normalize, relative } from 'node:path';

export interface SampleSite {
  readonly url: string;
  /** Serves another edition from now on. */
  show(edition: Edition): void;
  close(): Promise<void>;
}

export type Edition = 1 | 2;

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.rss': 'application/rss+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
};

// Sitemap, feed and canonical links contain the URL of the site, which depends on the port.
const SITE_URL = '{{site}}';

const REMOVED = new Set(readFileSync(join(import.meta.dirname, 'edition-2-removed.txt'), 'utf8').split('\n'));

interface Resource {
  readonly body: Buffer;
  readonly type: string;
  readonly modified: Date;
}

/** Serves the sample site on a loopback port; 0 takes any free one. */
export async function startSampleSite(port: number, edition: Edition = 1, host = '127.0.0.1'): Promise<SampleSite> {
  let shown = edition;
  let url = '';
  const server = createServer((request, response) => respond(request, response, shown, url));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  url = `http://${host}:${typeof address === 'object' && address !== null ? address.port : port}`;
  return {
    url,
    show: (next) => {
      shown = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function respond(request: IncomingMessage, response: ServerResponse, edition: Edition, site: string): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const path = new URL(request.url ?? '/', 'http://site').pathname;
  const found = resource(edition, path, site);
  const { body, type, modified } = found ?? resource(edition, '/404.html', site) ?? bare404();
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 20)}"`;
  const headers = { 'content-type': type, etag, 'last-modified': modified.toUTCString(), 'cache-control': 'no-cache' };
  if (found !== undefined && isUnchanged(request, etag, modified)) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(found === undefined ? 404 : 200, { ...headers, 'content-length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function isUnchanged(request: IncomingMessage, etag: string, modified: Date): boolean {
  const known = request.headers['if-none-match'];
  if (known !== undefined) return known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  const since = Date.parse(request.headers['if-modified-since'] ?? '');
  return Number.isFinite(since) && Math.floor(modified.getTime() / 1000) * 1000 <= since;
}

function resource(edition: Edition, path: string, site: string): Resource | undefined {
  // `/docs` and `/docs/` are docs/index.html or docs.html; nothing above the edition's folder is ever served.
  const clean = normalize(decoded(path)).replace(/\/+$/, '');
  const names = extname(clean) === '' ? [join(clean, 'index.html'), `${clean}.html`] : [clean];
  for (const name of names) {
    const found = fileIn(edition, name);
    if (found !== undefined) return read(found.file, found.modified, site);
  }
  return undefined;
}

/** The second edition contains the files that differ from the first; edition-2-removed.txt lists the removed ones. */
function fileIn(edition: Edition, name: string): { file: string; modified: Date } | undefined {
  const dir = join(import.meta.dirname, `edition-${edition}`);
  const file = join(dir, name);
  if (!file.startsWith(`${dir}/`)) return undefined;
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile()) return { file, modified: stat.mtime };
  return edition === 1 || REMOVED.has(relative(dir, file)) ? undefined : fileIn(1, name);
}

function read(file: string, modified: Date, site: string): Resource {
  const text = readFileSync(file, 'utf8').replaceAll(SITE_URL, site);
  return { body: Buffer.from(text), type: CONTENT_TYPES[extname(file)] ?? 'application/octet-stream', modified };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const bare404 = (): Resource => ({
  body: Buffer.from('not found\n'),
  type: 'text/plain; charset=utf-8',
  modified: new Date(0),
});

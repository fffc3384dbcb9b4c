import { createServer, type Server } from 'node:http';
import { extname } from 'node:path';
import { domPurifyPayloads, filesOf } from './corpora.ts';

/** Folders of ../shared/corpora/attack whose files are what a site answers. */
export const SERVED: readonly string[] = [
  'defusedxml',
  'crawler-commons/src/test/resources/sitemaps',
  'crawler-commons/src/test/resources/rss',
  'crawler-commons/src/test/resources/robots',
  'PayloadsAllTheThings/XXE_Injection/Files',
  'PayloadsAllTheThings/XSS_Injection/Files',
  'PayloadsAllTheThings/Server_Side_Request_Forgery/Files',
  'DOMPurify',
];

/** A file that a hostile site answers with. */
export interface HostileFile {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
}

/** DOMPurify payloads in one page. */
const PER_PAGE = 8;

const TYPES: Readonly<Record<string, string>> = {
  '.xml': 'application/xml',
  '.svg': 'image/svg+xml',
  '.xhtml': 'application/xhtml+xml',
  '.rss': 'application/rss+xml',
  '.txt': 'text/plain',
  '.gz': 'application/gzip',
  '.xsl': 'application/xslt+xml',
};

/** Returns every file of the corpora that a site can answer with: feeds, sitemaps, pictures and pages. */
export function hostileFiles(): HostileFile[] {
  const files = SERVED.flatMap((folder) => [...filesOf(folder)]);
  const payloads = domPurifyPayloads();
  const pages = Array.from({ length: Math.ceil(payloads.length / PER_PAGE) }, (_, at): HostileFile => {
    const html = payloads.slice(at * PER_PAGE, (at + 1) * PER_PAGE).join('\n');
    return {
      name: `DOMPurify payloads from ${at * PER_PAGE}`,
      type: 'text/html; charset=utf-8',
      content: Buffer.from(html),
    };
  });
  return [
    ...files
      .filter(([name]) => !/LICENSE|\.md$|\.json$/.test(name))
      .map(([name, content]) => ({ name, type: TYPES[extname(name)] ?? 'application/xml', content })),
    ...pages,
  ];
}

export interface HostileSite {
  readonly origin: string;
  close(): void;
}

/** Starts a site that answers /<n> with the n-th file; `robots` is its robots.txt. */
export async function serveFiles(files: readonly HostileFile[], robots?: Buffer): Promise<HostileSite> {
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path === '/robots.txt' && robots !== undefined)
      return response.writeHead(200, { 'content-type': 'text/plain' }).end(robots);
    const file = files[Number(/^\/(\d+)/.exec(path)?.[1] ?? -1)];
    if (file === undefined)
      return response.writeHead(path === '/' ? 200 : 404, { 'content-type': 'text/html' }).end('<p>A page.');
    return response.writeHead(200, { 'content-type': file.type }).end(file.content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
  const bound = server.address();
  return {
    origin: `http://127.0.0.2:${typeof bound === 'object' ? bound?.port : ''}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

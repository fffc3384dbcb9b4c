import { createServer, type Server } from 'node:http';
import { MARKUP_ATTACKS } from '@tidemark/testkit/cases/markup-attacks';
import { ROBOTS_FILES } from '@tidemark/testkit/cases/robots-files';
import { casesOf } from '@tidemark/testkit/cases/rule-cases';
import { HOSTILE_XML, SITEMAPS } from '@tidemark/testkit/cases/sitemaps';

/** A file that a hostile site answers with. */
export interface HostileFile {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
}

/** Attacks by markup in one page. */
const PER_PAGE = 16;
/** Files of robots.txt that are served, of each rule. */
const PER_RULE = 2;

/** The type under which a document is served: that of its root element. */
function typeOf(xml: string): string {
  const root = /<(svg|html|rss|feed)\b/.exec(xml)?.[1];
  if (root === 'svg') return 'image/svg+xml';
  if (root === 'html') return 'application/xhtml+xml';
  return root === 'rss' ? 'application/rss+xml' : 'application/xml';
}

function pagesOfAttacks(): HostileFile[] {
  const attacks = casesOf(MARKUP_ATTACKS);
  return Array.from({ length: Math.ceil(attacks.length / PER_PAGE) }, (_, at) => ({
    name: `attacks by markup from ${at * PER_PAGE}`,
    type: 'text/html; charset=utf-8',
    content: Buffer.from(attacks.slice(at * PER_PAGE, (at + 1) * PER_PAGE).join('\n')),
  }));
}

/** Returns every file that a hostile site can answer with: sitemaps, feeds, other XML and pages. */
export const hostileFiles = (): HostileFile[] => [
  ...casesOf(HOSTILE_XML).map(([title, xml]) => ({
    name: title,
    type: typeOf(xml),
    content: Buffer.from(xml, 'latin1'),
  })),
  ...casesOf(SITEMAPS).map(({ title, content }) => ({
    name: title,
    type: typeof content === 'string' ? typeOf(content) : 'application/octet-stream',
    content: Buffer.from(content),
  })),
  ...pagesOfAttacks(),
];

/** Returns robots.txt files of every rule, and of encodings other than UTF-8. */
export function hostileRobots(): Buffer[] {
  const text = '\ufeffUser-agent: *\r\nDisallow: /a\r\nSitemap: /sitemap.xml\r\n';
  const files = ROBOTS_FILES.flatMap(({ cases }) => cases.slice(0, PER_RULE)).map(({ robots }) => Buffer.from(robots));
  return [
    ...files,
    Buffer.from(text, 'utf16le'),
    Buffer.from(text, 'utf16le').swap16(),
    Buffer.from(text, 'latin1'),
    Buffer.from('User-agent: *\nDisallow: /\xe9\xff', 'latin1'),
    Buffer.alloc(600_000, 'Disallow: /a\n'),
    Buffer.alloc(600_000),
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

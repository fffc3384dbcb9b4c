import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const WORDS = 'the tide came in over the marsh and the gauge at the pier read higher than it had all winter '.repeat(6);

/** Boats beside the content of every page. */
const BOATS = 'all of them old';

const page = (title: string, text: string, { links = [], lang = 'en' }: PageParts = {}): string =>
  `<!doctype html><html lang="${lang}"><head><title>${title}</title></head><body><nav><a href="/">Home</a></nav><main><h1>${title}</h1>` +
  `<p class="lead">${text}</p><p>${WORDS}</p>${links.map((link) => `<a href="${link}">to ${link}</a>`).join(' ')}` +
  `<aside class="related"><p>Boats for sale at the pier, ${BOATS}</p></aside></main></body></html>`;

interface PageParts {
  readonly links?: readonly string[];
  readonly lang?: string;
}

/** A small site whose content, delays and access rules tests can change. */
export interface HarbourSite {
  readonly origin: string;
  /** Text of the price page. */
  fee: number;
  /** What is said of the boats beside the content of every page. */
  boats: string;
  /** The site has a page of notices, in its sitemap. */
  hasNotices: boolean;
  /** Pages below /slow wait for it if set. */
  gate: PromiseWithResolvers<void> | undefined;
  /** Returns how often a path was requested. */
  reads(path: string): number;
  close(): void;
}

/** Serves the site on a separate address. */
export async function startHarbour(address: string): Promise<HarbourSite> {
  const pages: Readonly<Record<string, () => string>> = {
    '/': () => page('The harbour', 'Boats leave at high water.', { links: ['/prices', '/marees', '/gone'] }),
    '/prices': () => page('Prices', `The fee is ${site.fee} crowns a night for a berth at the pier.`),
    '/marees': () => page('Les marées', 'La mer monte deux fois par jour.', { lang: 'fr' }),
    '/hidden': () => page('Hidden', 'Nothing leads here.'),
    '/news/1': () => page('News', 'The new gauge is in place.'),
    '/slow': () => page('Slow', 'It took its time.'),
    '/private/': () => page('Members', 'The ledger of the harbour, for members alone.'),
  };
  const urls = (): string[] => ['/', '/prices', '/hidden', ...(site.hasNotices ? ['/notices'] : [])];
  const notices = (): string => page('Notices', 'The north pier is closed for repairs until May.');
  const plain: Readonly<Record<string, () => readonly [type: string, text: string]>> = {
    '/robots.txt': () => ['text/plain', `Sitemap: ${site.origin}/sitemap.xml\n`],
    '/sitemap.xml': () => [
      'application/xml',
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls()
        .map((url) => `<url><loc>${site.origin}${url}</loc></url>`)
        .join('')}</urlset>`,
    ],
    '/feed.xml': () => [
      'application/rss+xml',
      `<rss version="2.0"><channel><title>News</title><link>${site.origin}/</link><item><title>One</title><link>${site.origin}/news/1</link></item></channel></rss>`,
    ],
  };
  const SIGN_IN =
    '<!doctype html><html lang="en"><head><title>Sign in</title></head><body><main><h1>Sign in</h1><form action="/login" method="post"><label>Name <input name="user"></label><label>Password <input type="password" name="password"></label><button>Sign in</button></form></main></body></html>';

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', site.origin).pathname;
    reads.set(path, (reads.get(path) ?? 0) + 1);
    const text = plain[path]?.();
    if (text !== undefined) return void response.setHeader('content-type', text[0]).end(text[1]);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (path === '/slow') await site.gate?.promise;
    const isSignedIn = request.headers.cookie?.split('; ').includes('member=yes') === true;
    if (path.startsWith('/private') && !isSignedIn) return void response.end(SIGN_IN);
    const made = path === '/notices' && site.hasNotices ? notices : pages[path];
    if (made === undefined) return void response.writeHead(404).end(page('Not found', 'There is no such page here.'));
    response.end(made().replace(BOATS, site.boats));
  }

  const reads = new Map<string, number>();
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const bound = server.address();
  const site: HarbourSite = {
    origin: `http://${address}:${typeof bound === 'object' ? bound?.port : ''}`,
    fee: 12,
    boats: BOATS,
    hasNotices: false,
    gate: undefined,
    reads: (path) => reads.get(path) ?? 0,
    close() {
      site.gate?.resolve();
      server.closeAllConnections();
      server.close();
    },
  };
  return site;
}

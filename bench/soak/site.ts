import { createServer } from 'node:http';
import { benchPage } from '../shared/sample-page.ts';

const ADDRESS = '127.0.0.3';
export const SECTIONS = 3;
export const PAGES = 40;
/** Pages whose text differs with each generation: those whose number is a multiple of it. */
const CHANGING = 8;

/** A site of a few sections, whose pages change from generation to generation. */
export interface SoakSite {
  readonly origin: string;
  /** URL of a page; counts over all pages again and again. */
  page(n: number): string;
  /** Changes some pages of every section. */
  change(): void;
  close(): void;
}

const SHELL = `<!doctype html><title>Built by a script</title><div id="app"></div><script>
document.getElementById('app').innerHTML = '<main><h1>Readings</h1>' + '<p>The gauge at the pier read higher than all winter.</p>'.repeat(40) + '</main>';
</script>`;

/** Starts the site on a free port. */
export async function startSoakSite(): Promise<SoakSite> {
  let generation = 0;
  const cache = new Map<number, string>();
  const textOf = (section: number, page: number): string => {
    const seed = section * 1_000 + page + (page % CHANGING === 0 ? (generation % 10) * 100_000 : 0);
    const known = cache.get(seed) ?? benchPage(seed);
    cache.set(seed, known);
    const links = Array.from({ length: PAGES }, (_, at) => `<a href="/site/${section}/${at}">Page ${at}</a>`).join(' ');
    return known.replace('</article>', () => `</article><p>${links}</p>`);
  };
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const [, section, page] = /^\/site\/(\d+)\/(\d*)$/.exec(path) ?? [];
    const html = { 'content-type': 'text/html; charset=utf-8' };
    if (section !== undefined) return response.writeHead(200, html).end(textOf(Number(section), Number(page || 0)));
    if (path === '/shell') return response.writeHead(200, html).end(SHELL);
    if (path === '/sitemap.xml') return response.writeHead(200, { 'content-type': 'application/xml' }).end(sitemap());
    if (path === '/robots.txt')
      return response.writeHead(200, { 'content-type': 'text/plain' }).end(`Sitemap: ${origin()}/sitemap.xml\n`);
    return response.writeHead(404, html).end('<p>There is no such page.');
  });
  const origin = (): string => {
    const bound = server.address();
    return `http://${ADDRESS}:${typeof bound === 'object' ? bound?.port : ''}`;
  };
  const pageOf = (n: number): string => `${origin()}/site/${Math.floor(n / PAGES) % SECTIONS}/${n % PAGES}`;
  const sitemap = (): string =>
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${Array.from({ length: SECTIONS * PAGES }, (_, n) => `<url><loc>${pageOf(n)}</loc></url>`).join('')}</urlset>`;
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  return {
    origin: origin(),
    page: pageOf,
    change() {
      generation += 1;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

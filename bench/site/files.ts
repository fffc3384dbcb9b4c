import { gzipSync } from 'node:zlib';
import { hashOf } from '../shared/random.ts';
import { FEED, feedXml } from './feed.ts';
import type { SitePlan } from './plan.ts';
import { type SiteResponse, textResponse } from './responses.ts';
import { REFUSED_FILE, SITEMAP_INDEX, type SitemapFile, sitemapFiles } from './sitemaps.ts';
import { appData, appDataPath } from './special-html.ts';
import { TRAPS, trapHtml } from './traps.ts';

const fileResponse = ({ isGzip, xml }: SitemapFile): SiteResponse => ({
  status: 200,
  headers: { 'content-type': isGzip ? 'application/gzip' : 'application/xml' },
  body: isGzip ? gzipSync(xml) : xml,
});

function assetResponse(path: string): SiteResponse {
  if (path.endsWith('.js')) return textResponse(200, '/* nothing */', 'text/javascript');
  if (!path.endsWith('.svg')) return textResponse(200, '/* nothing */', 'text/css');
  const colour = (hashOf(path) % 0xffffff).toString(16).padStart(6, '0');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="90"><rect width="160" height="90" fill="#${colour}"/></svg>`;
  return textResponse(200, svg, 'image/svg+xml');
}

/** Everything that a site serves besides its pages: robots.txt, sitemaps, the feed, assets, data of scripts and traps. */
export class SiteFiles {
  readonly #plan: SitePlan;
  #sitemaps: { readonly key: string; readonly files: ReadonlyMap<string, SitemapFile> } | undefined;
  #trapped = 0;

  constructor(plan: SitePlan) {
    this.#plan = plan;
  }

  /** Returns the response to a path that is no page, or undefined where there is none. */
  responseTo(url: URL, generation: number): SiteResponse | undefined {
    const { pathname, origin } = url;
    if (pathname === '/robots.txt') return textResponse(200, this.#robots(origin));
    if (pathname === FEED) return textResponse(200, feedXml(this.#plan, generation, origin), 'application/rss+xml');
    if (pathname === REFUSED_FILE) return textResponse(403, 'Forbidden');
    const file = this.#sitemapsOf(origin, generation).get(pathname);
    if (file !== undefined) return fileResponse(file);
    if (pathname.startsWith('/assets/')) return assetResponse(pathname);
    if (pathname.startsWith('/data/')) return this.#dataResponse(pathname);
    this.#trapped += 1;
    const trap = trapHtml(this.#plan, url, this.#trapped);
    return trap === undefined ? undefined : textResponse(200, trap, 'text/html; charset=utf-8');
  }

  #robots(origin: string): string {
    const { crawlDelay } = this.#plan.options;
    const delayLine = crawlDelay > 0 ? `Crawl-delay: ${crawlDelay}\n` : '';
    return `User-agent: *\nDisallow: /private/\n${delayLine}\nSitemap: ${origin}${SITEMAP_INDEX}\n`;
  }

  #dataResponse(path: string): SiteResponse | undefined {
    for (const page of this.#plan.specials)
      if (page.kind === 'app' && appDataPath(page) === path)
        return textResponse(200, appData(this.#plan, page), 'application/json');
    return undefined;
  }

  /** The sitemaps of the origin and generation that were requested last are kept. */
  #sitemapsOf(origin: string, generation: number): ReadonlyMap<string, SitemapFile> {
    const key = `${generation} ${origin}`;
    if (this.#sitemaps?.key === key) return this.#sitemaps.files;
    const files = new Map(sitemapFiles(this.#plan, generation, origin).map((file) => [file.path, file]));
    this.#sitemaps = { key, files };
    return files;
  }
}

/** Returns the kind under which a request for a path that is no page is counted. */
export function fileKindOf({ pathname, search }: URL): string {
  if (pathname === '/robots.txt') return 'robots';
  if (pathname === SITEMAP_INDEX || pathname.startsWith('/sitemaps/')) return 'sitemap';
  if (pathname === FEED) return 'feed';
  if (pathname.startsWith('/assets/') || pathname === '/favicon.ico') return 'asset';
  if (pathname.startsWith('/data/')) return 'data';
  if (pathname.startsWith('/zoo/')) return 'zoo';
  return TRAPS.some(({ pattern }) => new RegExp(pattern).test(pathname + search)) ? 'trap' : 'unknown';
}

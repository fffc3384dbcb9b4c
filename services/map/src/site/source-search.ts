import { FetchFailed } from '@tidemark/egress';
import { normalizeUrl } from '@tidemark/web-url';
import type { RowWriter } from '../documents/row-writer.ts';
import type { SitemapMode } from '../domain/job.ts';
import { type Refusal, refusalOf } from '../domain/outcome.ts';
import { SectionFinder } from '../domain/section.ts';
import type { Method } from '../domain/tree.ts';
import { readText } from '../web/open-file.ts';
import { type HomePage, readHome } from '../web/read-home.ts';
import type { SiteRobots } from '../web/read-robots.ts';
import { type FetchContext, type FileRequest, optionsOf, type ReadFileDeps } from './read-file.ts';
import type { TreeWalk } from './tree-walk.ts';

export const PAGE_TIMEOUT_MS = 30_000;
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
/** Tried in this order if neither the request nor robots.txt names a sitemap. */
const WELL_KNOWN_PATHS = ['/sitemap.xml', '/sitemap_index.xml', '/sitemap.xml.gz', '/sitemap.txt'];
const FILE_PATH = /\.(?:xml|txt|rss|atom)(?:\.gz)?$|\.xml\.gz$/i;

export interface SearchResult {
  readonly method: Method;
  /** Why the front page could not be fetched; undefined: it was, or was not requested, or does not exist. */
  readonly refusal: Refusal | undefined;
  /** Reason why the front page could not be read, for the user. */
  readonly reason: string | undefined;
}

export const NOT_FOUND: SearchResult = { method: 'none', refusal: undefined, reason: undefined };
const foundBy = (method: Method): SearchResult => ({ ...NOT_FOUND, method });

export interface SourceSearchDeps {
  readonly deps: Pick<ReadFileDeps, 'open'>;
  readonly context: FetchContext;
  readonly robots: SiteRobots;
  readonly walk: TreeWalk;
  readonly rows: RowWriter;
}

/**
 * Reads the first source of URLs that a site has: sitemaps of the request and of robots.txt, sitemaps at well-known paths, sitemaps of
 * the front page, feeds of the front page, links of the front page.
 */
export class SourceSearch {
  readonly #deps: SourceSearchDeps;

  constructor(deps: SourceSearchDeps) {
    this.#deps = deps;
  }

  async run(url: string, mode: SitemapMode): Promise<SearchResult> {
    const readsFiles = mode !== 'skip';
    if (readsFiles) {
      const found = await this.#searchPublished(url);
      if (found !== undefined) return found;
      if (mode === 'only' || this.#deps.walk.stop !== undefined) return NOT_FOUND;
    }
    const home = await this.#fetchHome(url);
    if ('method' in home) return home;
    const linked = readsFiles ? await this.#searchLinked(home) : undefined;
    if (linked !== undefined) return linked;
    await this.#addLinks(home, url);
    return foundBy('links');
  }

  /** Reads the files of the request, of robots.txt and of well-known paths. @returns undefined if none has entries */
  async #searchPublished(url: string): Promise<SearchResult | undefined> {
    const { walk } = this.#deps;
    await this.#readDeclared(url);
    if (!this.#hasSitemap && walk.stop === undefined) await this.#readWellKnown();
    if (this.#hasSitemap) return foundBy('sitemap');
    return walk.hasRead('feed') ? foundBy('feed') : undefined;
  }

  /** Reads the files that the front page links to. @returns undefined if none has entries */
  async #searchLinked(home: HomePage): Promise<SearchResult | undefined> {
    const { walk } = this.#deps;
    await walk.read(requestsFor(home.sitemaps, 'home'));
    if (this.#hasSitemap) return foundBy('sitemap');
    await walk.read(requestsFor(home.feeds, 'home'));
    return walk.hasRead('feed') ? foundBy('feed') : undefined;
  }

  get #hasSitemap(): boolean {
    return this.#deps.walk.hasRead('sitemap', 'index', 'text');
  }

  async #readDeclared(url: string): Promise<void> {
    const { walk, robots } = this.#deps;
    const requested = FILE_PATH.test(new URL(url).pathname) ? [url] : [];
    await walk.read([...requestsFor(requested, 'asked'), ...requestsFor(robots.report.sitemaps, 'robots')]);
  }

  /** Reads the first well-known path that has a sitemap. */
  async #readWellKnown(): Promise<void> {
    const { walk, robots } = this.#deps;
    for (const path of WELL_KNOWN_PATHS) {
      const url = new URL(path, robots.landedUrl).href;
      if (walk.stop !== undefined || !robots.allows(url)) continue;
      await walk.read(requestsFor([url], 'guess'), { omitMissing: true });
      if (this.#hasSitemap) return;
    }
  }

  /** @returns the front page, or the result of the search if it cannot be read */
  async #fetchHome(url: string): Promise<HomePage | SearchResult> {
    const { deps, context, robots } = this.#deps;
    if (!robots.report.allowed) return { ...NOT_FOUND, refusal: 'robots', reason: robots.report.reason };
    try {
      const { status, landedUrl, body } = await deps.open(url, optionsOf(context, PAGE_TIMEOUT_MS));
      if (status >= 200 && status < 300) {
        context.scope.addHost(new URL(landedUrl));
        return readHome(await readText(body, MAX_PAGE_BYTES), landedUrl);
      }
      body.destroy();
      return { ...NOT_FOUND, refusal: refusalOf(status), reason: `the page answers ${status}` };
    } catch (error) {
      context.signal.throwIfAborted();
      const reason =
        error instanceof FetchFailed ? error.message : 'the connection was closed before the response was complete';
      return { method: 'none', refusal: 'site_down', reason };
    }
  }

  async #addLinks(home: HomePage, file: string): Promise<void> {
    const { context, rows } = this.#deps;
    const links = home.links.filter((link) => context.scope.has(new URL(link))).map((link) => normalizeUrl(link));
    const sections = new SectionFinder();
    for (const link of links) sections.add(link);
    const entries = links.map((url) => ({ url, lastmod: '', changefreq: '' }));
    await rows.add(entries, 'link', { url: file, section: sections.of(file) });
  }
}

const requestsFor = (urls: readonly string[], source: FileRequest['foundBy']): FileRequest[] =>
  urls.map((url) => ({ url, parent: '', foundBy: source, level: 0 }));

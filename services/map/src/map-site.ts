import { FetchFailed } from '@tidemark/egress';
import { normalizeUrl } from '@tidemark/web-url';
import type { Job } from './domain/job.ts';
import { Scope } from './domain/scope.ts';
import { SectionFinder } from './domain/section.ts';
import { type Findings, isRead, type Method, type RobotsFacts, type Stop } from './domain/tree.ts';
import { type Charge, type Lease, Purse } from './purse.ts';
import type { FileOrder, ReadFileDeps, Visit } from './read-file.ts';
import { RowBook } from './row-book.ts';
import { TreeWalk } from './tree-walk.ts';
import { readText } from './web/open-file.ts';
import { type HomePage, readHome } from './web/read-home.ts';
import { readRobots, type SiteRobots } from './web/read-robots.ts';

/** A site that asks for more seconds between two requests than this is visited at this pace. */
const MAX_GAP_MS = 10_000;
const PAGE_MS = 30_000;
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
/** Where sitemaps are where nobody says so. */
const WELL_KNOWN = ['/sitemap.xml', '/sitemap_index.xml', '/sitemap.xml.gz', '/sitemap.txt'];
const LOOKS_LIKE_FILE = /\.(?:xml|txt|rss|atom)(?:\.gz)?$|\.xml\.gz$/i;

export interface MapDeps extends ReadFileDeps {
  readonly robotsToken: string;
  readonly lease: Lease;
}

export interface MapBudget {
  readonly signal: AbortSignal;
  readonly remainingMs: () => number;
  readonly onProgress: (done: number, total: number) => void;
}

export interface Mapped {
  readonly findings: Findings;
  readonly rows: number;
  /** Names of the documents that hold the rows, and the first of them. */
  readonly rowBlobs: readonly string[];
  readonly documents: readonly Buffer[];
  readonly charges: readonly Charge[];
}

/** Maps one site: what it declares, or what its front page links to. @throws what is wrong on our side, or the signal's reason */
export async function mapSite(deps: MapDeps, job: Job, budget: MapBudget): Promise<Mapped> {
  const { options, url } = job;
  const scope = new Scope(new URL(url), options.allowSubdomains);
  const timeoutMs = Math.min(PAGE_MS, budget.remainingMs());
  const robots = await readRobots(deps.open, deps.robotsToken, url, { signal: budget.signal, timeoutMs });
  if (robots.facts.found) scope.admit(new URL(robots.landedUrl));
  const gapMs = Math.min((robots.facts.crawlDelay ?? 0) * 1_000, MAX_GAP_MS);
  const visit: Visit = { scope, gapMs, signal: budget.signal, remainingMs: budget.remainingMs };
  // Nothing is set aside for what costs nothing.
  const purse = new Purse(job.chargeId, options.forCrawl ? async (_id, want) => want : deps.lease);
  const book = new RowBook(deps.blobs, options);
  const walk = new TreeWalk({ ...deps, purse, book, onProgress: budget.onProgress }, visit);
  const survey = new Survey(deps, visit, robots, walk, book);
  const isClosed = robots.isUnreachable || robots.facts.status === 429 || robots.facts.status >= 500;
  const method = isClosed ? 'none' : await survey.run(url, options.sitemapMode);
  await book.finish();
  const stop: Stop | undefined = isClosed ? 'site_down' : walk.stop;
  return {
    findings: findingsOf(
      walk,
      book,
      robots.facts,
      method,
      stop ?? (survey.isDown ? 'site_down' : undefined),
      survey.why,
    ),
    rows: book.rows,
    rowBlobs: book.kept,
    documents: book.documents,
    charges: options.forCrawl ? [] : purse.charges(),
  };
}

function findingsOf(
  { files }: TreeWalk,
  book: RowBook,
  robots: RobotsFacts,
  method: Method,
  stop: Stop | undefined,
  why: string | undefined,
): Findings {
  const read = files.filter(isRead);
  const totals = {
    files: read.length,
    urls: book.urls,
    indexes: read.filter(({ kind }) => kind === 'index').length,
    blocked: files.filter(({ verdict }) => verdict === 'blocked').length,
  };
  return { files, totals, robots, method, stop, error: stop === 'site_down' ? (why ?? robots.reason) : why };
}

/** The order in which a site is asked what it has. */
class Survey {
  /** What kept the front page from being read, in words. */
  why: string | undefined;
  isDown = false;
  readonly #deps: MapDeps;
  readonly #visit: Visit;
  readonly #robots: SiteRobots;
  readonly #walk: TreeWalk;
  readonly #book: RowBook;

  constructor(deps: MapDeps, visit: Visit, robots: SiteRobots, walk: TreeWalk, book: RowBook) {
    this.#deps = deps;
    this.#visit = visit;
    this.#robots = robots;
    this.#walk = walk;
    this.#book = book;
  }

  async run(url: string, mode: Job['options']['sitemapMode']): Promise<Method> {
    if (mode !== 'skip') {
      await this.#declared(url);
      if (!this.#hasSitemap && this.#walk.stop === undefined) await this.#guessed();
      if (this.#hasSitemap) return 'sitemap';
      if (this.#walk.hasRead('feed')) return 'feed';
      if (mode === 'only' || this.#walk.stop !== undefined) return 'none';
    }
    const home = await this.#home(url);
    if (home === undefined) return 'none';
    if (mode !== 'skip') {
      await this.#walk.read(orders(home.sitemaps, 'home'));
      if (this.#hasSitemap) return 'sitemap';
      await this.#walk.read(orders(home.feeds, 'home'));
      if (this.#walk.hasRead('feed')) return 'feed';
    }
    await this.#links(home, url);
    return 'links';
  }

  get #hasSitemap(): boolean {
    return this.#walk.hasRead('sitemap', 'index', 'text');
  }

  async #declared(url: string): Promise<void> {
    const asked = LOOKS_LIKE_FILE.test(new URL(url).pathname) ? [url] : [];
    await this.#walk.read([...orders(asked, 'asked'), ...orders(this.#robots.facts.sitemaps, 'robots')]);
  }

  /** One after another: the first that is there is the site's. */
  async #guessed(): Promise<void> {
    for (const path of WELL_KNOWN) {
      const url = new URL(path, this.#robots.landedUrl).href;
      if (this.#walk.stop !== undefined || !this.#robots.allows(url)) continue;
      await this.#walk.read(orders([url], 'guess'), true);
      if (this.#hasSitemap) return;
    }
  }

  async #home(url: string): Promise<HomePage | undefined> {
    if (!this.#robots.facts.allowed) {
      this.why = this.#robots.facts.reason;
      return undefined;
    }
    const { open, turns } = this.#deps;
    const turn = await turns.take(new URL(url).host, this.#visit.gapMs, this.#visit.signal);
    try {
      const timeoutMs = Math.max(1, Math.min(PAGE_MS, this.#visit.remainingMs()));
      const { status, landedUrl, body } = await open(url, { signal: this.#visit.signal, timeoutMs });
      if (status >= 200 && status < 300) {
        // Where the site itself leads to is the site.
        this.#visit.scope.admit(new URL(landedUrl));
        return readHome(await readText(body, MAX_PAGE_BYTES), landedUrl);
      }
      body.destroy();
      this.why = `the page answers ${status}`;
    } catch (error) {
      this.#visit.signal.throwIfAborted();
      this.isDown = true;
      this.why =
        error instanceof FetchFailed ? error.message : 'the connection was closed before the answer was complete';
    } finally {
      turn.done();
    }
    return undefined;
  }

  async #links(home: HomePage, file: string): Promise<void> {
    const ours = home.links.filter((link) => this.#visit.scope.has(new URL(link))).map((link) => normalizeUrl(link));
    const sections = new SectionFinder();
    for (const link of ours) sections.add(link);
    const entries = ours.map((url) => ({ url, lastmod: '', changefreq: '' }));
    await this.#book.take(entries, 'link', { url: file, section: sections.of(file) });
  }
}

const orders = (urls: readonly string[], foundBy: FileOrder['foundBy']): FileOrder[] =>
  urls.map((url) => ({ url, parent: '', foundBy, level: 0 }));

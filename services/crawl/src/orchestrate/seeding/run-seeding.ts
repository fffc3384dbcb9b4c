import type { FeedsState, Run, SitemapState } from '../../domain/run/run.ts';
import type { ScopeRules } from '../../domain/scope/scope-rules.ts';
import { type EnqueueFeedsDeps, enqueueFeedEntries } from './enqueue-feed-entries.ts';
import { enqueueSeeds, type SeedDeps } from './enqueue-seeds.ts';
import { enqueueSitemap, type SitemapDeps } from './enqueue-sitemap.ts';

export interface RunSeedingDeps extends SeedDeps, SitemapDeps, EnqueueFeedsDeps {}

export interface SeedingControl {
  readonly hasLease: () => boolean;
  /** Called when a source has been read. */
  readonly onChange: () => void;
}

/** Fills the frontier of one run from its seed, list, feeds and sitemap, and holds which of these have been read. */
export class RunSeeding {
  readonly #deps: RunSeedingDeps;
  readonly #run: Run;
  readonly #rules: ScopeRules;
  readonly #control: SeedingControl;
  #sitemap: SitemapState;
  #feeds: FeedsState;

  constructor(deps: RunSeedingDeps, { run, rules }: { run: Run; rules: ScopeRules }, control: SeedingControl) {
    this.#deps = deps;
    this.#run = run;
    this.#rules = rules;
    this.#control = control;
    this.#sitemap = run.seeded ? run.sitemap : rules.readsSitemap ? 'waiting' : 'none';
    this.#feeds = run.seeded ? run.feeds : rules.readsFeeds ? 'waiting' : 'none';
  }

  get sitemap(): SitemapState {
    return this.#sitemap;
  }

  get feeds(): FeedsState {
    return this.#feeds;
  }

  /** Enqueues the seed and the list. Safe to repeat. */
  async enqueueSeeds(): Promise<void> {
    await enqueueSeeds(this.#deps, this.#run, this.#rules);
  }

  /** Reads feeds, and the sitemap unless links come first, in the background. */
  startReading(): void {
    if (this.#feeds === 'waiting') this.#readFeedsInBackground();
    if (this.#sitemap === 'waiting' && this.#run.scope.crawlMode !== 'links_first') this.#readSitemapInBackground();
  }

  /** Reads the sitemap. Resolves when its URLs are in the frontier. */
  async readSitemap(): Promise<void> {
    const state = await enqueueSitemap(this.#deps, this.#run, this.#rules, this.#control.hasLease);
    this.#sitemap = state ?? this.#sitemap;
  }

  #readSitemapInBackground(): void {
    void this.readSitemap()
      .catch((error: unknown) => {
        this.#deps.log.warn({ err: error, run: this.#run.id }, 'sitemap failed, the run continues without it');
        this.#sitemap = 'missing';
      })
      .finally(this.#control.onChange);
  }

  #readFeedsInBackground(): void {
    void enqueueFeedEntries(this.#deps, this.#run, this.#rules, this.#control.hasLease)
      .catch((error: unknown) => {
        this.#deps.log.warn({ err: error, run: this.#run.id }, 'feeds failed, the run continues without them');
      })
      .finally(() => {
        this.#feeds = 'read';
        this.#control.onChange();
      });
  }
}

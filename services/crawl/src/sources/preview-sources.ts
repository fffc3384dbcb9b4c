import type { Caller } from '@tidemark/contracts';
import type { FeedPreview, PreviewSourcesResponse } from '@tidemark/contracts/crawl/v1/crawl';
import type { Logger } from '@tidemark/service';
import type { Run } from '../domain/run/run.ts';
import { PatternTally } from '../domain/scope/pattern-tally.ts';
import { predictVisits } from '../domain/scope/predict-visits.ts';
import { limitScope, readSeed } from '../domain/scope/scope-limits.ts';
import { checkPatterns, type FoundVia, type ScopeRules, scopeRules } from '../domain/scope/scope-rules.ts';
import { EventLoopTurns } from '../event-loop-turns.ts';
import { type FeedRead, type FeedSource, feedError } from '../peers/feed-source.ts';
import type { KnownStore } from '../store/ended-runs/known-store.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { checkList } from './check-list.ts';
import type { DeclaredEntries } from './declared-entries.ts';
import { estimateCredits, walkKnown } from './known-walk.ts';
import type { SourcesOrder } from './run-sources.ts';

const SAMPLES = 5;
/** Feeds per request to map; all requests run concurrently. */
const FEEDS_PER_REQUEST = 10;
/** Time limit of the evaluation of declared addresses and feed entries, ms. */
const MAX_EVALUATION_MS = 10_000;

interface PreviewDeps {
  readonly runs: Pick<RunStore, 'lastFull'>;
  readonly known: KnownStore;
  readonly feeds: FeedSource;
  readonly declared: DeclaredEntries;
  readonly log: Logger;
}

/** Previews what sources would yield. Queues and spends nothing. @throws AppError validation, unavailable */
export function makePreviewSources(deps: PreviewDeps) {
  return async (caller: Caller, order: SourcesOrder): Promise<PreviewSourcesResponse> => {
    checkPatterns(order.scope);
    const scope = limitScope(order.scope);
    const seed = readSeed(order.seed);
    const run = await deps.runs.lastFull(caller, order.projectId);
    const rules = scopeRules(seed, scope, run?.home);
    const { workspaceId } = caller;
    const declaredUrls: string[] = [];
    const [reads, isTreeCut] = await Promise.all([
      readFeeds(deps, workspaceId, scope.feeds),
      deps.declared(workspaceId, seed, order.projectId, (url) => void declaredUrls.push(url)),
    ]);
    const patterns = new PatternTally(scope, SAMPLES);
    const visits = new Visits(rules);
    const evaluateUntil = performance.now() + MAX_EVALUATION_MS;
    const isDeclaredCut = await inTurns(declaredUrls, evaluateUntil, (url) => {
      patterns.take(url, true);
      visits.declared(url);
    });
    const { count, isCut } = await takeKnown(deps, run, patterns, visits, predictVisits(seed, scope, rules));
    const list = checkList(scope.urlList, rules);
    for (const { normalized } of list) if (normalized !== '') visits.take(normalized, 'list');
    if (rules.fetchesSeed) visits.take(seed, 'seed');
    const feeds: FeedPreview[] = [];
    for (const read of reads) feeds.push(await preview(read, evaluateUntil, rules, visits));
    const estimatedPages = Math.min(visits.size, scope.maxPages);
    return {
      patterns: patterns.counted(),
      declared: declaredUrls.length,
      known: count,
      feeds,
      list,
      estimatedPages,
      estimatedCredits: estimateCredits(estimatedPages, run),
      isCut: isCut || isTreeCut || isDeclaredCut,
    };
  };
}

/** Reads the feeds even if a run of this scope would not, because the preview reports their content. */
async function readFeeds(
  { feeds, log }: PreviewDeps,
  workspaceId: string,
  urls: readonly string[],
): Promise<FeedRead[]> {
  const batches: string[][] = [];
  for (let from = 0; from < urls.length; from += FEEDS_PER_REQUEST)
    batches.push(urls.slice(from, from + FEEDS_PER_REQUEST));
  const answers = await Promise.all(
    batches.map((some) =>
      feeds.read(workspaceId, some).catch((error: unknown) => {
        log.warn({ err: error }, 'feeds could not be read for a preview');
        return some.map((url) => ({ url, httpStatus: 0, entries: [], error: feedError(error) }));
      }),
    ),
  );
  return answers.flat();
}

/** @returns the number of addresses of the last full run that were counted, and whether there are more */
async function takeKnown(
  { known }: PreviewDeps,
  run: Run | undefined,
  patterns: PatternTally,
  visits: Visits,
  predict: ReturnType<typeof predictVisits>,
): Promise<{ count: number; isCut: boolean }> {
  let count = 0;
  if (run === undefined) return { count, isCut: false };
  const isCut = await walkKnown(known, run, (page) => {
    count += 1;
    if (!visits.isDeclared(page.key)) patterns.take(page.url, page.inSitemap);
    const decision = predict(page);
    if (decision.follow) visits.add(decision.page.key);
  });
  return { count, isCut };
}

async function preview(read: FeedRead, until: number, rules: ScopeRules, visits: Visits): Promise<FeedPreview> {
  const { url, httpStatus, entries, error } = read;
  const inScope: string[] = [];
  await inTurns(entries, until, (entry) => {
    const decision = rules.evaluate(entry, 'feed');
    if (!decision.follow) return;
    inScope.push(entry);
    if (rules.readsFeeds && rules.maxDepth >= 1) visits.add(decision.page.key);
  });
  return {
    url,
    httpStatus,
    entries: entries.length,
    inScope: inScope.length,
    samples: inScope.slice(0, SAMPLES),
    error,
  };
}

/** The set of pages a run would visit. */
class Visits {
  readonly #rules: ScopeRules;
  readonly #keys = new Set<string>();
  readonly #declared = new Set<string>();

  constructor(rules: ScopeRules) {
    this.#rules = rules;
  }

  get size(): number {
    return this.#keys.size;
  }

  isDeclared(key: Buffer): boolean {
    return this.#declared.has(shortOf(key));
  }

  declared(url: string): void {
    const address = this.#rules.addressOf(url);
    if (address !== undefined) this.#declared.add(shortOf(address.key));
    if (this.#rules.readsSitemap) this.take(url, 'sitemap');
  }

  take(url: string, via: FoundVia): void {
    const isDeep = (via === 'sitemap' || via === 'feed') && this.#rules.maxDepth < 1;
    const decision = this.#rules.evaluate(url, via);
    if (decision.follow && !isDeep) this.add(decision.page.key);
  }

  add(key: Buffer): void {
    this.#keys.add(shortOf(key));
  }
}

/** A prefix of the key, long enough to be unique among some hundred thousand keys. */
const shortOf = (key: Buffer): string => key.toString('latin1', 0, 12);

/** Takes items until a point in time. @returns whether some were left out */
async function inTurns<T>(items: readonly T[], until: number, take: (item: T) => void): Promise<boolean> {
  const turns = new EventLoopTurns();
  for (const item of items) {
    take(item);
    if (!turns.isOver) continue;
    if (performance.now() > until) return true;
    await turns.next();
  }
  return false;
}

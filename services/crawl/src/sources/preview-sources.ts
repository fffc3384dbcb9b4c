import type { Caller } from '@tidemark/contracts';
import { textOrEmpty } from '@tidemark/contracts';
import type { FeedPreview, PreviewSourcesResponse } from '@tidemark/contracts/crawl/v1/crawl';
import type { Logger } from '@tidemark/service';
import type { Run } from '../domain/run/run.ts';
import { PatternTally } from '../domain/scope/pattern-tally.ts';
import { type EarlierPage, predictVisits, type VisitPredictor } from '../domain/scope/predict-visits.ts';
import { limitScope, readSeed } from '../domain/scope/scope-limits.ts';
import { checkPatterns, type FoundVia, type ScopeRules, scopeRules } from '../domain/scope/scope-rules.ts';
import { type FeedRead, type FeedSource, feedError } from '../peers/feed-source.ts';
import type { KnownStore } from '../store/ended-runs/known-store.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { checkList } from './check-list.ts';
import type { DeclaredEntries } from './declared-entries.ts';
import { DeclaredFiles, inTurns, shortOf } from './declared-files.ts';
import { estimateCredits, MAX_URLS, type PagePrice, walkKnown } from './known-walk.ts';
import type { SourcesOrder } from './run-sources.ts';

const SAMPLES = 5;
/** Feeds per request to map; all requests run concurrently. */
const FEEDS_PER_REQUEST = 10;
/** Time of a whole preview, ms, which the description of the route states: whatever a host does, a person waits no longer. */
const PREVIEW_MS = 15_000;
/** Part of it in which feeds and the stored tree are read, then declared URLs and the entries of feeds evaluated; the rest is for known pages. */
const READ_MS = 8_000;
const EVALUATED_AFTER_MS = 12_000;

export interface PreviewOrder extends SourcesOrder {
  readonly price: PagePrice;
}

interface PreviewDeps {
  readonly runs: Pick<RunStore, 'lastFull'>;
  readonly known: KnownStore;
  readonly feeds: FeedSource;
  readonly declared: DeclaredEntries;
  readonly log: Logger;
}

/** Previews what sources would yield. Queues and spends nothing. @throws AppError validation, unavailable */
export function makePreviewSources(deps: PreviewDeps) {
  return async (caller: Caller, order: PreviewOrder): Promise<PreviewSourcesResponse> => {
    const startedMs = performance.now();
    checkPatterns(order.scope);
    const scope = limitScope(order.scope);
    const seed = readSeed(order.seed);
    const run = await deps.runs.lastFull(caller, order.projectId);
    const rules = scopeRules(seed, scope, run?.home);
    const { workspaceId } = caller;
    const declaredUrls: { url: string; file: string }[] = [];
    const [reads, isTreeCut] = await Promise.all([
      readFeeds(deps, workspaceId, scope.feeds),
      deps.declared(workspaceId, seed, order.projectId, (url, file) => void declaredUrls.push({ url, file }), {
        withinMs: READ_MS,
      }),
    ]);
    const patterns = new PatternTally(scope, SAMPLES);
    const visits = new Visits(rules);
    const files = new DeclaredFiles(rules, patterns);
    const evaluateUntil = startedMs + EVALUATED_AFTER_MS;
    const isDeclaredCut = await inTurns(declaredUrls, evaluateUntil, ({ url, file }) => {
      patterns.take(url);
      if (files.add(url, file) && rules.readsSitemap) visits.take(url, 'sitemap');
    });
    const feeds: FeedPreview[] = [];
    for (const read of reads) feeds.push(await preview(read, evaluateUntil, rules, visits));
    const withinMs = startedMs + PREVIEW_MS - performance.now();
    const into = { patterns, visits, files };
    const { count, isCut } = await takeKnown(deps, run, into, { predict: predictVisits(seed, scope, rules), withinMs });
    const list = checkList(scope.urlList, rules);
    for (const { normalized } of list) if (normalized !== '') visits.take(normalized, 'list');
    if (rules.fetchesSeed) visits.take(seed, 'seed');
    const estimatedPages = Math.min(visits.size, scope.maxPages);
    return {
      patterns: patterns.counted(),
      declared: declaredUrls.length,
      known: count,
      feeds,
      list,
      estimatedPages,
      estimatedCredits: estimateCredits(estimatedPages, run, order.price),
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
  const responses = await Promise.all(
    batches.map((some) =>
      feeds.read(workspaceId, some, { withinMs: READ_MS }).catch((error: unknown) => {
        log.warn({ err: error }, 'feeds could not be read for a preview');
        return some.map((url) => ({ url, httpStatus: 0, entries: [], error: feedError(error) }));
      }),
    ),
  );
  return responses.flat();
}

/** @returns the number of URLs of the last full run that were counted, and whether there are more */
async function takeKnown(
  { known }: PreviewDeps,
  run: Run | undefined,
  { patterns, visits, files }: { patterns: PatternTally; visits: Visits; files: DeclaredFiles },
  { predict, withinMs }: { readonly predict: VisitPredictor; readonly withinMs: number },
): Promise<{ count: number; isCut: boolean }> {
  let count = 0;
  if (run === undefined) return { count, isCut: false };
  const take = (page: EarlierPage): void => {
    count += 1;
    if (!files.has(page.key)) patterns.take(page.url);
    const decision = predict(files.locate(page));
    if (decision.follow) visits.add(decision.page.key);
  };
  const isCut = await walkKnown(known, run, take, { urls: MAX_URLS, ms: withinMs });
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
    error: textOrEmpty(error),
  };
}

/** The set of pages a run would visit. */
class Visits {
  readonly #rules: ScopeRules;
  readonly #keys = new Set<string>();

  constructor(rules: ScopeRules) {
    this.#rules = rules;
  }

  get size(): number {
    return this.#keys.size;
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

import type { Caller } from '@tidemark/contracts';
import type { FeedPreview, PreviewSourcesResponse } from '@tidemark/contracts/crawl/v1/crawl';
import type { Logger } from '@tidemark/service';
import { foresight } from '../domain/foresight.ts';
import { PatternTally } from '../domain/pattern-tally.ts';
import type { Run } from '../domain/run.ts';
import { checkPatterns, type FoundVia, type ScopeRules, scopeRules } from '../domain/scope-rules.ts';
import { type FeedRead, type FeedSource, feedFault } from '../feed-source.ts';
import { bounded, readSeed } from '../run-desk.ts';
import type { KnownStore } from '../store/known-store.ts';
import type { RunStore } from '../store/run-store.ts';
import { checkList } from './check-list.ts';
import type { DeclaredEntries } from './declared-entries.ts';
import { creditsOf, walkKnown } from './known-walk.ts';
import type { SourcesOrder } from './run-sources.ts';

const SAMPLES = 5;
/** Feeds read in one question to whoever reads them; all questions are asked at once. */
const FEEDS_A_QUESTION = 10;
/** Entries judged between two turns of others. */
const A_TURN = 1_000;

interface PreviewDeps {
  readonly runs: Pick<RunStore, 'lastFull'>;
  readonly known: KnownStore;
  readonly feeds: FeedSource;
  readonly declared: DeclaredEntries;
  readonly log: Logger;
}

/** What sources would give. Nothing is queued or spent. @throws AppError validation, unavailable */
export function makePreviewSources(deps: PreviewDeps) {
  return async (caller: Caller, order: SourcesOrder): Promise<PreviewSourcesResponse> => {
    checkPatterns(order.scope);
    const scope = bounded(order.scope);
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
    await inTurns(declaredUrls, (url) => {
      patterns.take(url, true);
      visits.declared(url);
    });
    const { count, isCut } = await takeKnown(deps, run, patterns, visits, foresight(seed, scope, rules));
    const list = checkList(scope.urlList, rules);
    for (const { normalized } of list) if (normalized !== '') visits.take(normalized, 'list');
    if (rules.wantsSeed) visits.take(seed, 'seed');
    const feeds = reads.map((read) => preview(read, rules, visits));
    const estimatedPages = Math.min(visits.size, scope.maxPages);
    return {
      patterns: patterns.counted(),
      declared: declaredUrls.length,
      known: count,
      feeds,
      list,
      estimatedPages,
      estimatedCredits: creditsOf(estimatedPages, run),
      isCut: isCut || isTreeCut,
    };
  };
}

/** Feeds are read though a run of this scope would not read them: whoever asks wants to know what they give. */
async function readFeeds(
  { feeds, log }: PreviewDeps,
  workspaceId: string,
  urls: readonly string[],
): Promise<FeedRead[]> {
  const questions: string[][] = [];
  for (let from = 0; from < urls.length; from += FEEDS_A_QUESTION)
    questions.push(urls.slice(from, from + FEEDS_A_QUESTION));
  const answers = await Promise.all(
    questions.map((some) =>
      feeds.read(workspaceId, some).catch((error: unknown) => {
        log.warn({ err: error }, 'feeds could not be read for a preview');
        return some.map((url) => ({ url, httpStatus: 0, entries: [], error: feedFault(error) }));
      }),
    ),
  );
  return answers.flat();
}

/** @returns how many addresses the last full run knows that were counted, and whether there are more */
async function takeKnown(
  { known }: PreviewDeps,
  run: Run | undefined,
  patterns: PatternTally,
  visits: Visits,
  foresee: ReturnType<typeof foresight>,
): Promise<{ count: number; isCut: boolean }> {
  let count = 0;
  if (run === undefined) return { count, isCut: false };
  const isCut = await walkKnown(known, run, (page) => {
    count += 1;
    if (!visits.isDeclared(page.key)) patterns.take(page.url, page.inSitemap);
    const judgement = foresee(page);
    if (judgement.follow) visits.add(judgement.page.key);
  });
  return { count, isCut };
}

function preview({ url, httpStatus, entries, error }: FeedRead, rules: ScopeRules, visits: Visits): FeedPreview {
  const inScope = entries.filter((entry) => rules.judge(entry, 'feed').follow);
  if (rules.wantsFeeds) for (const entry of inScope) visits.take(entry, 'feed');
  return {
    url,
    httpStatus,
    entries: entries.length,
    inScope: inScope.length,
    samples: inScope.slice(0, SAMPLES),
    error,
  };
}

/** Pages a run would visit of what is known by now, each once. */
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
    if (this.#rules.wantsSitemap) this.take(url, 'sitemap');
  }

  take(url: string, via: FoundVia): void {
    const isDeep = (via === 'sitemap' || via === 'feed') && this.#rules.maxDepth < 1;
    const judgement = this.#rules.judge(url, via);
    if (judgement.follow && !isDeep) this.add(judgement.page.key);
  }

  add(key: Buffer): void {
    this.#keys.add(shortOf(key));
  }
}

/** Enough of a key to tell some hundred thousand apart. */
const shortOf = (key: Buffer): string => key.toString('latin1', 0, 12);

async function inTurns<T>(items: readonly T[], take: (item: T) => void): Promise<void> {
  for (const [at, item] of items.entries()) {
    take(item);
    if (at % A_TURN === A_TURN - 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

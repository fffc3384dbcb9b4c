import type { Caller } from '@tidemark/contracts';
import type { ListedSource, Scope, SourcesResponse } from '@tidemark/contracts/crawl/v1/crawl';
import type { Run } from '../domain/run/run.ts';
import { PatternTally } from '../domain/scope/pattern-tally.ts';
import { limitScope, readSeed } from '../domain/scope/scope-limits.ts';
import { checkPatterns, scopeRules } from '../domain/scope/scope-rules.ts';
import type { KnownStore } from '../store/ended-runs/known-store.ts';
import type { FeedResult, FeedStore } from '../store/runs/feed-store.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import type { DeclaredEntries } from './declared-entries.ts';
import { DeclaredFiles } from './declared-files.ts';
import { walkKnown } from './known-walk.ts';

const SAMPLES = 5;

export interface SourcesOrder {
  readonly projectId: string;
  readonly seed: string;
  readonly scope: Scope;
}

interface SourcesDeps {
  readonly runs: Pick<RunStore, 'lastFull'>;
  readonly known: KnownStore;
  readonly feeds: Pick<FeedStore, 'of'>;
  readonly declared: DeclaredEntries;
}

/** Returns the sources of a project's pages and what its last full run found through each. @throws AppError validation, unavailable */
export function makeSources({ runs, known, feeds, declared }: SourcesDeps) {
  return async (caller: Caller, order: SourcesOrder): Promise<SourcesResponse> => {
    checkPatterns(order.scope);
    const scope = limitScope(order.scope);
    const seed = readSeed(order.seed);
    const run = await runs.lastFull(caller, order.projectId);
    const patterns = new PatternTally(scope, SAMPLES);
    if (run === undefined) return nothingFound(scope, patterns);
    const files = new DeclaredFiles(scopeRules(seed, scope, run.home), patterns);
    const isTreeCut =
      patterns.hasSitemapPatterns &&
      (await declared(caller.workspaceId, seed, order.projectId, (_, file) => files.addFile(file)));
    const isCut = !patterns.isEmpty && (await walkKnown(known, run, ({ url }) => patterns.take(url)));
    const gave = new Map((await feeds.of(run.no)).map((feed) => [feed.url, feed]));
    return {
      runId: run.id,
      found: await known.foundThrough(run),
      sitemap: run.sitemap,
      list: await listed(known, seed, scope, run),
      feeds: scope.feeds.map((url) => toListedFeed(url, gave.get(url))),
      patterns: patterns.counted(),
      isCut: isCut || isTreeCut,
    };
  };
}

async function listed(known: KnownStore, seed: string, scope: Scope, run: Run): Promise<ListedSource[]> {
  // The run computed its keys with its own ignored parameters.
  const { ignoreQuery, keepTracking } = run.scope;
  const rules = scopeRules(seed, { ...scope, ignoreQuery, keepTracking }, run.home);
  const keys = scope.urlList.map((url) => rules.pageUrlOf(url)?.key);
  const verdicts = await known.verdictsOf(
    run.no,
    keys.flatMap((key) => key ?? []),
  );
  return scope.urlList.map((url, at): ListedSource => {
    const verdict = verdicts.get(keys[at]?.toString('hex') ?? '');
    return verdict === undefined ? notVisited(url) : { url, urls: 0, outcome: { $case: 'verdict', value: verdict } };
  });
}

function toListedFeed(url: string, found: FeedResult | undefined): ListedSource {
  if (found === undefined) return notVisited(url);
  const { outcome, urls, error } = found;
  return { url, urls, error, outcome: { $case: 'feed', value: outcome } };
}

const notVisited = (url: string): ListedSource => ({ url, urls: 0, outcome: undefined });

const nothingFound = (scope: Scope, patterns: PatternTally): SourcesResponse => ({
  found: [],
  sitemap: 'none',
  list: scope.urlList.map(notVisited),
  feeds: scope.feeds.map(notVisited),
  patterns: patterns.counted(),
  isCut: false,
});

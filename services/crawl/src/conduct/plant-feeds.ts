import { isDatabaseUnavailable, type Logger } from '@tidemark/service';
import type { NewPage, Run } from '../domain/run.ts';
import { addresses, type LogNote } from '../domain/run-words.ts';
import type { ScopeRules } from '../domain/scope-rules.ts';
import { type FeedRead, type FeedSource, feedFault } from '../feed-source.ts';
import type { FeedOutcome, FeedStore } from '../store/feed-store.ts';
import type { FrontierStore } from '../store/frontier-store.ts';
import { batchesOf, rankOfDeclared, toNewPage, unique } from './seed-run.ts';

const TRIES = 3;
const RETRY_MS = 2_000;
/** Feeds whose entries are held at once. */
const FEEDS_AT_ONCE = 10;

export interface PlantFeedsDeps {
  readonly frontier: FrontierStore;
  readonly feeds: FeedSource;
  readonly feedStore: FeedStore;
  readonly log: Logger;
}

/**
 * Puts the entries of a run's feeds into its frontier, and notes what each gave. A feed that fails is a line of the log: it never fails the
 * run. Safe to repeat. @returns false where the run was lost meanwhile
 */
export async function plantFeeds(
  deps: PlantFeedsDeps,
  run: Run,
  rules: ScopeRules,
  isOurs: () => boolean,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await plantAll(deps, run, rules, isOurs);
    } catch (error) {
      // A database that is away comes back, to this conductor or to the next one.
      if (!isOurs() || (attempt >= TRIES && !isDatabaseUnavailable(error))) throw error;
      deps.log.warn({ err: error, run: run.id, attempt }, 'feeds could not be planted; trying again');
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

async function plantAll(deps: PlantFeedsDeps, run: Run, rules: ScopeRules, isOurs: () => boolean): Promise<boolean> {
  const urls = [...new Set(run.scope.feeds)];
  const outcomes: FeedOutcome[] = [];
  for (let from = 0; from < urls.length; from += FEEDS_AT_ONCE) {
    const some = urls.slice(from, from + FEEDS_AT_ONCE);
    const reads = await readTrying(deps, run, some, isOurs);
    if (!isOurs() || !(await plantEntries(deps, run, rules, reads))) return false;
    outcomes.push(...reads.map(outcomeOf));
  }
  return deps.feedStore.write(run.id, outcomes, outcomes.map(noteOf));
}

async function readTrying(
  { feeds, log }: PlantFeedsDeps,
  run: Run,
  urls: readonly string[],
  isOurs: () => boolean,
): Promise<FeedRead[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await feeds.read(run.workspaceId, urls);
    } catch (error) {
      log.warn({ err: error, run: run.id, attempt }, 'feeds could not be read');
      const failed = { httpStatus: 0, entries: [], error: feedFault(error) };
      if (attempt >= TRIES || !isOurs()) return urls.map((url) => ({ url, ...failed }));
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** @returns false where the run isn't ours any more */
async function plantEntries(
  { frontier }: PlantFeedsDeps,
  run: Run,
  rules: ScopeRules,
  reads: readonly FeedRead[],
): Promise<boolean> {
  if (rules.maxDepth < 1) return true;
  const pages: NewPage[] = reads.flatMap(({ entries }) =>
    entries.flatMap((url) => {
      const judgement = rules.judge(url, 'feed');
      return judgement.follow ? [toNewPage(judgement.page, 'feed', 1, rankOfDeclared(run))] : [];
    }),
  );
  for (const batch of batchesOf(unique(pages))) {
    if ((await frontier.add(run.id, run.scope.maxPages, batch)) === undefined) return false;
  }
  return true;
}

/** What can be read of a broken feed is read. */
const outcomeOf = ({ url, entries, error }: FeedRead): FeedOutcome => ({
  url,
  outcome: entries.length > 0 ? 'read' : error === '' ? 'empty' : 'failed',
  addresses: entries.length,
  error,
});

function noteOf({ url, outcome, addresses: given, error }: FeedOutcome): LogNote {
  const came = outcome === 'failed' ? 'could not be read' : `gave ${addresses(given)}`;
  return { what: 'feed', alike: url, once: true, why: `${url} ${came}${error === '' ? '' : `: ${error}`}` };
}

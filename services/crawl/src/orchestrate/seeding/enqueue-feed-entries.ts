import { setTimeout as sleep } from 'node:timers/promises';
import { textOrEmpty } from '@tidemark/contracts';
import { isDatabaseUnavailable, type Logger } from '@tidemark/service';
import type { NewPage, Run } from '../../domain/run/run.ts';
import { type LogNote, urlCount } from '../../domain/run/run-log-text.ts';
import type { ScopeRules } from '../../domain/scope/scope-rules.ts';
import { EventLoopTurns } from '../../event-loop/event-loop-turns.ts';
import { type FeedRead, type FeedSource, feedError } from '../../peers/feed-source.ts';
import type { FrontierStore } from '../../store/frontier/frontier-store.ts';
import type { FeedResult, FeedStore } from '../../store/runs/feed-store.ts';
import { batchesOf, rankOfDeclared, toNewPage, unique } from './new-pages.ts';

const MAX_ATTEMPTS = 3;
const RETRY_MS = 2_000;
/** Feeds whose entries are in memory at once. */
const BATCH_FEEDS = 10;

export interface EnqueueFeedsDeps {
  readonly frontier: FrontierStore;
  readonly feeds: FeedSource;
  readonly feedStore: FeedStore;
  readonly log: Logger;
}

/**
 * Adds the entries of a run's feeds to its frontier and stores the result of each feed. A failed feed is logged and never fails the run.
 * Safe to repeat. @returns false if the lease was lost
 */
export async function enqueueFeedEntries(
  deps: EnqueueFeedsDeps,
  run: Run,
  rules: ScopeRules,
  hasLease: () => boolean,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await enqueueAll(deps, run, rules, hasLease);
    } catch (error) {
      // An unavailable database is retried without limit while the lease is held.
      if (!hasLease() || (attempt >= MAX_ATTEMPTS && !isDatabaseUnavailable(error))) throw error;
      deps.log.warn({ err: error, run: run.id, attempt }, 'enqueueing of feed entries failed, will retry');
      await sleep(RETRY_MS);
    }
  }
}

async function enqueueAll(
  deps: EnqueueFeedsDeps,
  run: Run,
  rules: ScopeRules,
  hasLease: () => boolean,
): Promise<boolean> {
  const urls = [...new Set(run.scope.feeds)];
  const results: FeedResult[] = [];
  for (let from = 0; from < urls.length; from += BATCH_FEEDS) {
    const some = urls.slice(from, from + BATCH_FEEDS);
    const reads = await readWithRetries(deps, run, some, hasLease);
    if (!hasLease() || !(await enqueueBatch(deps, run, rules, reads))) return false;
    results.push(...reads.map(resultOf));
  }
  return deps.feedStore.write(run.id, results, results.map(noteOf));
}

async function readWithRetries(
  { feeds, log }: EnqueueFeedsDeps,
  run: Run,
  urls: readonly string[],
  hasLease: () => boolean,
): Promise<FeedRead[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await feeds.read(run.workspaceId, urls);
    } catch (error) {
      log.warn({ err: error, run: run.id, attempt }, 'feeds could not be read');
      const failed = { httpStatus: 0, entries: [], error: feedError(error) };
      if (attempt >= MAX_ATTEMPTS || !hasLease()) return urls.map((url) => ({ url, ...failed }));
      await sleep(RETRY_MS);
    }
  }
}

/** @returns false if the lease was lost */
async function enqueueBatch(
  { frontier }: EnqueueFeedsDeps,
  run: Run,
  rules: ScopeRules,
  reads: readonly FeedRead[],
): Promise<boolean> {
  if (rules.maxDepth < 1) return true;
  const pages: NewPage[] = [];
  const turns = new EventLoopTurns();
  for (const url of reads.flatMap(({ entries }) => entries)) {
    const decision = rules.evaluate(url, 'feed');
    if (decision.follow) pages.push(toNewPage(decision.page, 'feed', 1, rankOfDeclared(run)));
    if (turns.isOver) await turns.next();
  }
  for (const batch of batchesOf(unique(pages))) {
    if ((await frontier.add(run.id, run.scope.maxPages, batch)) === undefined) return false;
  }
  return true;
}

/** A broken feed with entries counts as read. */
const resultOf = ({ url, entries, error }: FeedRead): FeedResult => ({
  url,
  outcome: entries.length > 0 ? 'read' : error === undefined ? 'empty' : 'failed',
  urls: entries.length,
  error: textOrEmpty(error),
});

function noteOf({ url, outcome, urls: given, error }: FeedResult): LogNote {
  const outcomeText = outcome === 'failed' ? 'could not be read' : `gave ${urlCount(given)}`;
  return { what: 'feed', subject: url, once: true, why: `${url} ${outcomeText}${error === '' ? '' : `: ${error}`}` };
}

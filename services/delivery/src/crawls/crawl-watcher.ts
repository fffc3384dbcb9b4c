import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunWatched } from '@tidemark/contracts/crawl/v1/events';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { inTransaction, type Logger, retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';
import { enqueueAll } from '../domain/enqueue-all.ts';
import type { NewMessage } from '../domain/new-message.ts';
import type { MessageQueue } from '../domain/ports.ts';
import type { Crawled, PageRange, PeerQueries } from '../peers/peer-queries.ts';
import { isSubscribed } from '../webhook-messages/compose-message.ts';
import { crawlMessages, type JobWebhook, jobReceiver } from '../webhook-messages/job-messages.ts';
import type { CrawlProgress, WatchClaim, WatchStore } from './watch-store.ts';

/** Crawls looked at together. */
const MAX_CRAWLS = 32;
/** Pages told together, and how long fewer than that wait for more. */
const PAGES = 50;
const GATHER_MS = 5_000;
/** Told in one look at a crawl: then it is the others' turn. */
const BATCHES_PER_POLL = 10;
/** Seconds between two looks at one crawl: the longer nothing has come of it, the longer, and the longest where it is paused. */
const POLL_SECONDS = { least: 0.5, most: 3 };
/** A crawl is looked at again after this part of the time for which nothing has come of it. */
const IDLE_SHARE = 0.1;
const MAX_RETRY_SECONDS = 60;
/** The end of a crawl waits so long for what was told before it to be sent, that receivers hear it last; not for one that doesn't answer. */
const END_DELAY_MS = 700;
const END_POLL_SECONDS = 0.2;

export interface CrawlWatcherDeps {
  readonly pool: pg.Pool;
  readonly watches: WatchStore;
  readonly peerQueries: PeerQueries;
  readonly queue: MessageQueue;
  readonly now: () => Date;
  readonly log: Logger;
}

/** How a look at a crawl ended: nothing more is to be told of it, ever; there is more at once; or look again after so many seconds. */
type PollResult = 'over' | 'more' | { readonly pollInSeconds: number };

/** What a look at a crawl found to tell. */
interface Found {
  readonly pages: readonly RunPage[];
  /** Every page of it is told. */
  readonly isEnd: boolean;
}

/** What a look found, and where it goes. */
interface CrawlUpdate {
  readonly run: Run;
  readonly webhook: JobWebhook;
  readonly found: Found;
}

/** Pages to read with the crawl: one where none are told, as the smallest number that can be asked for. */
const rangeOf = ({ number, isStarted, events }: WatchClaim): PageRange => ({
  after: number,
  limit: isStarted && isSubscribed(events, 'crawl.page') ? PAGES : 1,
});

/** Tells the webhooks of crawls: that one began, its pages as they end, and how it ended. */
export class CrawlWatcher {
  readonly #deps: CrawlWatcherDeps;

  constructor(deps: CrawlWatcherDeps) {
    this.#deps = deps;
  }

  /** Follows these crawls from now on, and keeps their webhooks, whose secrets stay sealed. Safe to repeat, even once they are over. */
  async watch(runs: readonly RunWatched[]): Promise<void> {
    const { pool, watches, queue } = this.#deps;
    const receivers = runs.map((run) => jobReceiver(run.workspaceId, run.runId, run));
    await retryWhileDatabaseUnavailable(
      () =>
        inTransaction(pool, async (client) => {
          await queue.upsertReceivers(client, receivers);
          await watches.add(client, runs);
        }),
      20_000,
    );
  }

  /** Looks at some crawls whose turn it is. @returns whether there may be more */
  async pollDue(isOpen: () => boolean): Promise<boolean> {
    const claims = await this.#deps.watches.claim(MAX_CRAWLS);
    const result = await Promise.all(claims.map((claim) => this.#poll(claim, isOpen)));
    return claims.length === MAX_CRAWLS || result.includes('more');
  }

  async #poll(claim: WatchClaim, isOpen: () => boolean): Promise<PollResult | undefined> {
    const { watches, log } = this.#deps;
    try {
      const result = await this.#sendUpdates(claim, isOpen);
      if (result !== 'over') await watches.reschedule(claim, result === 'more' ? 0 : result.pollInSeconds, false);
      return result;
    } catch (error) {
      log.warn({ err: error, run: claim.runId }, 'a crawl could not be told of; it is gone on with later');
      const seconds = Math.min(2 ** claim.attempts / 2, MAX_RETRY_SECONDS);
      await watches.reschedule(claim, seconds, true).catch(() => undefined);
      return undefined;
    }
  }

  async #sendUpdates(claim: WatchClaim, isOpen: () => boolean): Promise<PollResult> {
    let webhook: JobWebhook | undefined;
    let at = claim;
    for (let batches = 0; batches < BATCHES_PER_POLL && isOpen(); batches += 1) {
      const crawled = await this.#deps.peerQueries.crawled(claim.workspaceId, claim.runId, rangeOf(at));
      if (crawled === undefined) return this.#stopWatching(claim);
      const { run } = crawled;
      if (run.status === 'queued') return this.#nextPoll(at, run);
      const found = this.#newContent(at, crawled);
      if (at.isStarted && found.pages.length === 0 && !found.isEnd) return this.#nextPoll(at, run);
      if (found.isEnd && (await this.#isSending(at))) return { pollInSeconds: END_POLL_SECONDS };
      webhook ??= await this.#webhookOf(at);
      if (webhook === undefined) return this.#stopWatching(claim);
      const progress = await this.#enqueue(at, { run, webhook, found });
      if (progress === undefined || found.isEnd) return 'over';
      at = { ...at, ...progress, isStarted: true };
    }
    return 'more';
  }

  #nextPoll({ lastSentAt }: WatchClaim, run: Run): PollResult {
    const { least, most } = POLL_SECONDS;
    if (run.paused) return { pollInSeconds: most };
    const idleSince = lastSentAt ?? run.createdAt;
    const idleMs = idleSince === undefined ? 0 : this.#deps.now().getTime() - idleSince.getTime();
    return { pollInSeconds: Math.min(Math.max((idleMs / 1_000) * IDLE_SHARE, least), most) };
  }

  async #stopWatching(claim: WatchClaim): Promise<PollResult> {
    await this.#deps.watches.stopWatching(claim);
    return 'over';
  }

  /** Its webhook, as it was kept with the watch. */
  async #webhookOf({ runId, events, metadataJson }: WatchClaim): Promise<JobWebhook | undefined> {
    const receiver = await this.#deps.queue.openReceiver(runId);
    return receiver && { receiver, events, metadataJson };
  }

  /** What is to be told now: pages by fifty, fewer where they have waited long enough or no more will come. */
  #newContent({ isStarted, events, lastSentAt }: WatchClaim, { run, pages }: Crawled): Found {
    // Its beginning is told by itself.
    if (!isStarted) return { pages: [], isEnd: false };
    const isOver = run.status !== 'running';
    if (!isSubscribed(events, 'crawl.page')) return { pages: [], isEnd: isOver };
    if (pages.length >= PAGES) return { pages, isEnd: false };
    if (isOver) return { pages, isEnd: pages.length === 0 };
    const hasWaited = this.#deps.now().getTime() - (lastSentAt?.getTime() ?? 0) >= GATHER_MS;
    return { pages: hasWaited ? pages : [], isEnd: false };
  }

  async #isSending({ workspaceId, runId, lastSentAt }: WatchClaim): Promise<boolean> {
    const sinceMs = this.#deps.now().getTime() - (lastSentAt?.getTime() ?? 0);
    return sinceMs < END_DELAY_MS && (await this.#deps.watches.isSending(workspaceId, runId));
  }

  /** Queues what was found and notes how far that reaches, together. @returns undefined where another tells it by now, or it is over */
  async #enqueue(claim: WatchClaim, { run, webhook, found }: CrawlUpdate): Promise<CrawlProgress | undefined> {
    const { pool, watches, queue, now } = this.#deps;
    const at = now();
    const composed = crawlMessages(webhook, run, at);
    const messages: NewMessage[] = [
      // A crawl that was called off while it waited has never begun.
      ...(claim.isStarted || run.startedAt === undefined ? [] : composed.started()),
      ...composed.pages(claim.number, found.pages),
      ...(found.isEnd ? composed.ended() : []),
    ];
    const progress = { number: found.pages.at(-1)?.number ?? claim.number, lastSentAt: at };
    const queueKeys = await inTransaction(pool, async (client) => {
      const moved = found.isEnd ? watches.end(client, claim) : watches.advance(client, claim, progress);
      if (!(await moved)) return undefined;
      return enqueueAll(queue, client, messages);
    });
    if (queueKeys === undefined) return undefined;
    queue.wake(queueKeys);
    return progress;
  }
}

import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunWatched } from '@tidemark/contracts/crawl/v1/events';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { isPoison, poisonReason } from '@tidemark/leased-work';
import { inTransaction, type Logger, retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';
import type { NewMessage } from '../domain/new-message.ts';
import { enqueueAll } from '../notifications/enqueue-all.ts';
import type { MessageQueue } from '../notifications/ports.ts';
import type { Crawled, PageRange, PeerQueries } from '../peers/peer-queries.ts';
import type { CrawlProgress, WatchClaim, WatchStore } from '../store/watch-store.ts';
import type { ApiLinks } from '../webhook-messages/api-links.ts';
import { isSubscribed } from '../webhook-messages/compose-message.ts';
import { crawlMessages, type JobWebhook, jobReceiver, type OpenUrl } from '../webhook-messages/job-messages.ts';

/** Crawls per poll. */
const MAX_CRAWLS = 32;
/** Pages per message, and how long fewer pages wait for more, ms. */
const PAGES = 50;
const GATHER_MS = 5_000;
/** Messages per crawl and poll; then other crawls have their turn. */
const BATCHES_PER_POLL = 10;
/** Poll interval per crawl, s: it grows with the time without new pages, and is the longest for a paused crawl. */
const POLL_SECONDS = { least: 0.5, most: 3 };
/** Poll interval as a share of the time without new pages. */
const IDLE_SHARE = 0.1;
/** Longest delay of the end message until earlier messages are sent, ms, so that receivers get it last. */
const END_DELAY_MS = 700;
const END_POLL_SECONDS = 0.2;

export interface CrawlWatcherDeps {
  readonly pool: pg.Pool;
  readonly watches: WatchStore;
  readonly peerQueries: PeerQueries;
  readonly queue: MessageQueue;
  readonly openUrl: OpenUrl;
  readonly links: ApiLinks;
  readonly now: () => Date;
  readonly log: Logger;
  /** Shortest and longest poll interval per crawl, s; default 0.5 and 3. */
  readonly pollSeconds?: { readonly least: number; readonly most: number } | undefined;
}

/** Result of a poll: the crawl is over, there is more to send now, or the next poll is due after so many seconds. */
type PollResult = 'over' | 'more' | { readonly pollInSeconds: number };

/** New content of a crawl. */
interface Found {
  readonly pages: readonly RunPage[];
  /** The crawl is over and no page follows these. */
  readonly isLast: boolean;
  /** The crawl is over and all its pages are sent. */
  readonly isEnd: boolean;
}

/** New content and its receiver. */
interface CrawlUpdate {
  readonly run: Run;
  readonly webhook: JobWebhook;
  readonly found: Found;
}

/** Returns the range of pages to read; one page, the minimum, where none are sent. */
const rangeOf = ({ number, isStarted, events }: WatchClaim): PageRange => ({
  after: number,
  limit: isStarted && isSubscribed(events, 'crawl.page') ? PAGES : 1,
});

const isNothingNew = ({ isStarted }: WatchClaim, { pages, isEnd }: Found): boolean =>
  isStarted && pages.length === 0 && !isEnd;

/** Queues the messages to the webhooks of crawls: start, pages as they end, and end. */
export class CrawlWatcher {
  readonly #deps: CrawlWatcherDeps;

  constructor(deps: CrawlWatcherDeps) {
    this.#deps = deps;
  }

  /** Starts watching crawls and stores their webhooks with sealed secrets. Idempotent, also after their end. */
  async watch(runs: readonly RunWatched[]): Promise<void> {
    const { pool, watches, queue, openUrl } = this.#deps;
    const receivers = runs.map(({ workspaceId, runId, sealedUrl, sealedSecret }) =>
      jobReceiver(workspaceId, runId, { url: openUrl(sealedUrl, runId), sealedSecret }),
    );
    await retryWhileDatabaseUnavailable(
      () =>
        inTransaction(pool, async (client) => {
          await queue.upsertReceivers(client, receivers);
          await watches.add(client, runs);
        }),
      20_000,
    );
  }

  /** Polls a batch of due crawls. @returns whether there may be more */
  async pollDue(isOpen: () => boolean): Promise<boolean> {
    const claims = await this.#deps.watches.claim(MAX_CRAWLS);
    const result = await Promise.all(claims.map((claim) => this.#poll(claim, isOpen)));
    return claims.length === MAX_CRAWLS || result.includes('more');
  }

  async #poll(claim: WatchClaim, isOpen: () => boolean): Promise<PollResult | undefined> {
    const { watches, log } = this.#deps;
    try {
      if (isPoison(claim.interruptions)) {
        log.error({ run: claim.runId }, `crawl webhook gets no more messages: ${poisonReason('prepared them')}`);
        return await this.#stopWatching(claim);
      }
      const result = await this.#sendUpdates(claim, isOpen);
      if (result !== 'over') await watches.reschedule(claim, result === 'more' ? 0 : result.pollInSeconds);
      return result;
    } catch (error) {
      log.warn({ err: error, run: claim.runId }, 'crawl webhook update failed, will retry');
      await watches.retry(claim).catch(() => undefined);
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
      const found = this.#newContent(at, crawled);
      if (run.status === 'queued' || isNothingNew(at, found)) return this.#nextPoll(at, run);
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
    const { least, most } = this.#deps.pollSeconds ?? POLL_SECONDS;
    if (run.paused) return { pollInSeconds: most };
    const idleSince = lastSentAt ?? run.createdAt;
    const idleMs = idleSince === undefined ? 0 : this.#deps.now().getTime() - idleSince.getTime();
    return { pollInSeconds: Math.min(Math.max((idleMs / 1_000) * IDLE_SHARE, least), most) };
  }

  async #stopWatching(claim: WatchClaim): Promise<PollResult> {
    await this.#deps.watches.stopWatching(claim);
    return 'over';
  }

  /** Returns the webhook stored with the watch. */
  async #webhookOf({ runId, events, metadataJson }: WatchClaim): Promise<JobWebhook | undefined> {
    const receiver = await this.#deps.queue.openReceiver(runId);
    return receiver && { receiver, events, metadataJson };
  }

  /** Returns what is to be sent now: fifty pages, or fewer where they have waited long enough or the crawl is over. */
  #newContent({ isStarted, events, lastSentAt }: WatchClaim, { run, pages }: Crawled): Found {
    // The start is a separate message.
    if (!isStarted) return { pages: [], isLast: false, isEnd: false };
    const isOver = run.status !== 'running';
    const isLast = isOver && pages.at(-1)?.number === run.done;
    if (!isSubscribed(events, 'crawl.page')) return { pages: [], isLast, isEnd: isOver };
    if (pages.length >= PAGES) return { pages, isLast, isEnd: false };
    if (isOver) return { pages, isLast, isEnd: pages.length === 0 };
    const hasWaited = this.#deps.now().getTime() - (lastSentAt?.getTime() ?? 0) >= GATHER_MS;
    return { pages: hasWaited ? pages : [], isLast, isEnd: false };
  }

  async #isSending({ workspaceId, runId, lastSentAt }: WatchClaim): Promise<boolean> {
    const sinceMs = this.#deps.now().getTime() - (lastSentAt?.getTime() ?? 0);
    return sinceMs < END_DELAY_MS && (await this.#deps.watches.isSending(workspaceId, runId));
  }

  /** Queues messages and stores the progress in one transaction. @returns undefined where another instance holds the lease, or it has ended */
  async #enqueue(claim: WatchClaim, { run, webhook, found }: CrawlUpdate): Promise<CrawlProgress | undefined> {
    const { pool, watches, queue, links, now } = this.#deps;
    const at = now();
    const composed = crawlMessages(webhook, run, { at, links });
    const messages: NewMessage[] = [
      // A crawl that was cancelled while queued has never started.
      ...(claim.isStarted || run.startedAt === undefined ? [] : composed.started()),
      ...composed.pages(claim.number, found.pages, found.isLast),
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

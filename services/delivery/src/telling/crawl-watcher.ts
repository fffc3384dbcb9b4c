import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunWatched } from '@tidemark/contracts/crawl/v1/events';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { inTransaction, type Logger, retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';
import type { NewMessage } from '../domain/new-message.ts';
import { wants } from './compose.ts';
import { enqueueAll } from './enqueue-all.ts';
import type { Crawled, Fleet, PageRange } from './fleet.ts';
import { crawlMessages, type JobWebhook, jobReceiver } from './job-messages.ts';
import type { Queue } from './ports.ts';
import type { Reached, WatchClaim, WatchStore } from './watch-store.ts';

/** Crawls looked at together. */
const AT_ONCE = 32;
/** Pages told together, and how long fewer than that wait for more. */
const PAGES = 50;
const GATHER_MS = 5_000;
/** Told in one look at a crawl: then it is the others' turn. */
const BATCHES_A_LOOK = 10;
/** Seconds between two looks at one crawl: the longer nothing has come of it, the longer, and the longest where it is paused. */
const LOOK_SECONDS = { least: 0.5, most: 3 };
/** A crawl is looked at again after this part of the time for which nothing has come of it. */
const QUIET_PART = 0.1;
const LATER_MAX_SECONDS = 60;
/** The end of a crawl waits so long for what was told before it to be sent, that receivers hear it last; not for one that doesn't answer. */
const LAST_WAITS_MS = 700;
const LAST_LOOK_SECONDS = 0.2;

export interface CrawlWatcherDeps {
  readonly pool: pg.Pool;
  readonly watches: WatchStore;
  readonly fleet: Fleet;
  readonly queue: Queue;
  readonly now: () => Date;
  readonly log: Logger;
}

/** How a look at a crawl ended: nothing more is to be told of it, ever; there is more at once; or look again after so many seconds. */
type Looked = 'over' | 'more' | { readonly againSeconds: number };

/** What a look at a crawl found to tell. */
interface Found {
  readonly pages: readonly RunPage[];
  /** Every page of it is told. */
  readonly isEnd: boolean;
}

/** What a look found, and where it goes. */
interface ToTell {
  readonly run: Run;
  readonly webhook: JobWebhook;
  readonly found: Found;
}

/** Pages to read with the crawl: one where none are told, as the smallest number that can be asked for. */
const rangeOf = ({ number, isStarted, events }: WatchClaim): PageRange => ({
  after: number,
  limit: isStarted && wants(events, 'crawl.page') ? PAGES : 1,
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
          await queue.keepReceivers(client, receivers);
          await watches.note(client, runs);
        }),
      20_000,
    );
  }

  /** Looks at some crawls whose turn it is. @returns whether there may be more */
  async lookAround(goesOn: () => boolean): Promise<boolean> {
    const claims = await this.#deps.watches.claim(AT_ONCE);
    const looked = await Promise.all(claims.map((claim) => this.#look(claim, goesOn)));
    return claims.length === AT_ONCE || looked.includes('more');
  }

  async #look(claim: WatchClaim, goesOn: () => boolean): Promise<Looked | undefined> {
    const { watches, log } = this.#deps;
    try {
      const looked = await this.#tell(claim, goesOn);
      if (looked !== 'over') await watches.lookAgain(claim, looked === 'more' ? 0 : looked.againSeconds, false);
      return looked;
    } catch (error) {
      log.warn({ err: error, run: claim.runId }, 'a crawl could not be told of; it is gone on with later');
      const seconds = Math.min(2 ** claim.attempts / 2, LATER_MAX_SECONDS);
      await watches.lookAgain(claim, seconds, true).catch(() => undefined);
      return undefined;
    }
  }

  async #tell(claim: WatchClaim, goesOn: () => boolean): Promise<Looked> {
    let webhook: JobWebhook | undefined;
    let at = claim;
    for (let batches = 0; batches < BATCHES_A_LOOK && goesOn(); batches += 1) {
      const crawled = await this.#deps.fleet.crawled(claim.workspaceId, claim.runId, rangeOf(at));
      if (crawled === undefined) return this.#letGo(claim);
      const { run } = crawled;
      if (run.status === 'queued') return this.#later(at, run);
      const found = this.#find(at, crawled);
      if (at.isStarted && found.pages.length === 0 && !found.isEnd) return this.#later(at, run);
      if (found.isEnd && (await this.#isSending(at))) return { againSeconds: LAST_LOOK_SECONDS };
      webhook ??= await this.#webhookOf(at);
      if (webhook === undefined) return this.#letGo(claim);
      const reached = await this.#keep(at, { run, webhook, found });
      if (reached === undefined || found.isEnd) return 'over';
      at = { ...at, ...reached, isStarted: true };
    }
    return 'more';
  }

  #later({ toldAt }: WatchClaim, run: Run): Looked {
    const { least, most } = LOOK_SECONDS;
    if (run.paused) return { againSeconds: most };
    const quietSince = toldAt ?? run.createdAt;
    const quietMs = quietSince === undefined ? 0 : this.#deps.now().getTime() - quietSince.getTime();
    return { againSeconds: Math.min(Math.max((quietMs / 1_000) * QUIET_PART, least), most) };
  }

  async #letGo(claim: WatchClaim): Promise<Looked> {
    await this.#deps.watches.letGo(claim);
    return 'over';
  }

  /** Its webhook, as it was kept with the watch. */
  async #webhookOf({ runId, events, metadataJson }: WatchClaim): Promise<JobWebhook | undefined> {
    const receiver = await this.#deps.queue.openReceiver(runId);
    return receiver && { receiver, events, metadataJson };
  }

  /** What is to be told now: pages by fifty, fewer where they have waited long enough or no more will come. */
  #find({ isStarted, events, toldAt }: WatchClaim, { run, pages }: Crawled): Found {
    // Its beginning is told by itself.
    if (!isStarted) return { pages: [], isEnd: false };
    const isOver = run.status !== 'running';
    if (!wants(events, 'crawl.page')) return { pages: [], isEnd: isOver };
    if (pages.length >= PAGES) return { pages, isEnd: false };
    if (isOver) return { pages, isEnd: pages.length === 0 };
    const hasWaited = this.#deps.now().getTime() - (toldAt?.getTime() ?? 0) >= GATHER_MS;
    return { pages: hasWaited ? pages : [], isEnd: false };
  }

  async #isSending({ workspaceId, runId, toldAt }: WatchClaim): Promise<boolean> {
    const sinceMs = this.#deps.now().getTime() - (toldAt?.getTime() ?? 0);
    return sinceMs < LAST_WAITS_MS && (await this.#deps.watches.isSending(workspaceId, runId));
  }

  /** Queues what was found and notes how far that reaches, together. @returns undefined where another tells it by now, or it is over */
  async #keep(claim: WatchClaim, { run, webhook, found }: ToTell): Promise<Reached | undefined> {
    const { pool, watches, queue, now } = this.#deps;
    const at = now();
    const composed = crawlMessages(webhook, run, at);
    const messages: NewMessage[] = [
      // A crawl that was called off while it waited has never begun.
      ...(claim.isStarted || run.startedAt === undefined ? [] : composed.started()),
      ...composed.pages(claim.number, found.pages),
      ...(found.isEnd ? composed.ended() : []),
    ];
    const reached = { number: found.pages.at(-1)?.number ?? claim.number, toldAt: at };
    const lanes = await inTransaction(pool, async (client) => {
      const moved = found.isEnd ? watches.end(client, claim) : watches.reach(client, claim, reached);
      if (!(await moved)) return undefined;
      return enqueueAll(queue, client, messages);
    });
    if (lanes === undefined) return undefined;
    queue.wake(lanes);
    return reached;
  }
}

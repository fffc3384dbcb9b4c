import type { PageWork } from '@tidemark/contracts/scrape/v1/work';
import { AppError } from '@tidemark/errors';
import { ATTEMPT_POLICIES, afterFailure } from '@tidemark/leased-work';
import type { RobotsPolicy } from '@tidemark/robots';
import type { Logger } from '@tidemark/service';
import { LRUCache } from 'lru-cache';
import type { Captured } from '../capture/capture-deps.ts';
import { HELD_MAX, holdSeconds } from '../domain/batch.ts';
import { unfetchedRow } from '../domain/page-row.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { Budget } from '../domain/ports.ts';
import { acquireOrGivenUp, acquirePermit, type HostLimiter, type Pace } from '../pace/acquire-permit.ts';
import type { HostReport } from '../pace/host-health.ts';
import { type HostState, isPermit, type Permit, type Wait } from '../pace/host-limiter.ts';
import { givenUp, hostReportOf, isWorthAnother, noAnswer, type Tries, whyHeld } from './host-report.ts';
import { SlowFolders } from './slow-folders.ts';

export interface PageVisitorDeps {
  readonly capture: (task: PageTask, creditsLeased: number, budget: Budget) => Promise<Captured>;
  readonly robots: {
    policyOf(url: string): Promise<Pick<RobotsPolicy, 'kind' | 'crawlDelaySeconds' | 'decide'>>;
  };
  readonly pace: HostLimiter;
  readonly log: Logger;
  readonly now: () => Date;
  /** Pause between two fetches of a page whose host is not held, ms; default 1,000. */
  readonly failedPauseMs?: number;
}

/** The fetch of one page, with its waits and retries. */
export interface Visit {
  readonly work: PageWork;
  readonly task: PageTask;
  readonly credits: number;
  readonly signal: AbortSignal;
  /** Called before the page waits for a fetch, also after a fetch that is repeated. @returns false if it must not be fetched any more */
  readonly mayWait: () => boolean;
  /** Called when a fetch begins. @returns false if it must not */
  readonly mayFetch: () => boolean;
  /** Called while the page waits for its host: the reason, if it is more than its turn, and the wait. */
  readonly onWait: (wait: Wait) => void;
}

export interface Visited extends Captured {
  /** The page was not fetched, or not read, as its host is given up. */
  readonly isHostGivenUp: boolean;
}

/** Milliseconds one capture may take, all engines together. */
const CAPTURE_MS = 120_000;
const FAILED_PAUSE_MS = 1_000;
/** Shortest crawl-delay that is reported as the reason of a wait, ms. */
const LONG_DELAY_MS = 10_000;
const HOSTS_MAX = 10_000;
const MET_MS = 5 * 60_000;

/** What robots.txt requires for a page. */
interface PageRobots {
  /** Seconds between two fetches. */
  readonly delaySeconds: number;
  /** Why the host must not be fetched from, if its robots.txt is unreachable. */
  readonly fault: string | undefined;
  readonly isForbidden: boolean;
}
const NO_POLICY: PageRobots = { delaySeconds: 0, fault: undefined, isForbidden: false };

/** Fetches pages at the pace of their hosts, with retries. A host that requests a wait costs a page no attempt. */
export class PageVisitor {
  readonly #deps: PageVisitorDeps;
  readonly #failedPauseMs: number;
  readonly #slow = new SlowFolders();
  /** Crawl-delay of hosts, seconds, as last read. */
  readonly #delays = new LRUCache<string, number>({ max: HOSTS_MAX });
  /** Hosts whose robots.txt is cached. */
  readonly #met = new LRUCache<string, true>({ max: HOSTS_MAX, ttl: MET_MS });

  constructor(deps: PageVisitorDeps) {
    this.#deps = deps;
    this.#failedPauseMs = deps.failedPauseMs ?? FAILED_PAUSE_MS;
  }

  /** @returns the page, after all waits and retries; undefined if it was cancelled or withdrawn */
  async visit(visit: Visit): Promise<Visited | undefined> {
    const { task, signal } = visit;
    const tries: Tries = { held: 0, failed: 0, attempts: 1 };
    while (visit.mayWait()) {
      const isForbidden = await this.#isForbidden(visit);
      const folder = isForbidden ? undefined : await this.#folderTurn(visit);
      try {
        if (isForbidden) return { ...(await this.#capture(visit)), isHostGivenUp: false };
        const pace = this.#paceOf(visit);
        const turn = await this.#turn(visit, pace);
        if (turn === undefined) return undefined;
        if (!isPermit(turn)) return { ...this.#unread(task, givenUp(turn)), isHostGivenUp: true };
        const visited = await this.#fetch(visit, turn, { pace, tries, folder });
        if (visited !== undefined) return visited;
      } catch (error) {
        if (signal.aborted) throw error;
        const why = this.#logFailure(task, tries.attempts, error);
        const after = afterFailure(ATTEMPT_POLICIES['scrape.run_pages'], tries.attempts);
        if (after.next === 'give_up') return { ...this.#unread(task, noAnswer(why)), isHostGivenUp: false };
        await new Promise((resolve) => setTimeout(resolve, after.inSeconds * 1000));
        tries.attempts += 1;
      } finally {
        await folder?.release();
      }
    }
    return undefined;
  }

  /** Returns the current pace: the slower of the run's and the crawl-delay of robots.txt. */
  #paceOf({ work, task }: Visit): Pace {
    const seconds = task.options.respectRobots ? (this.#delays.get(work.host) ?? 0) : 0;
    return { concurrency: work.concurrency, delayMs: Math.max(work.delayMs, seconds * 1000) };
  }

  #turn({ work, signal, onWait }: Visit, pace: Pace): Promise<Permit | Wait | undefined> {
    const isLong = pace.delayMs >= LONG_DELAY_MS && pace.delayMs > work.delayMs;
    const whySlow = `robots.txt requires ${pace.delayMs / 1000} s between two fetches`;
    const report = (wait: Wait) => onWait(wait.why === undefined && isLong ? { ...wait, why: whySlow } : wait);
    return acquireOrGivenUp(this.#deps.pace, work.host, pace, { signal, onWait: report });
  }

  /** Fetches the page once under a permit. @returns undefined if the page needs another permit */
  async #fetch(
    visit: Visit,
    turn: Permit,
    { pace, tries, folder }: { readonly pace: Pace; readonly tries: Tries; readonly folder: Permit | undefined },
  ): Promise<Visited | undefined> {
    let isOver = false;
    const end = (outcome?: HostReport): Promise<HostState> => {
      isOver = true;
      return turn.release(outcome);
    };
    try {
      const policy = await this.#robotsOf(visit.task);
      this.#noteDelay(visit, policy.delaySeconds);
      if (policy.delaySeconds * 1000 > pace.delayMs) return undefined;
      if (policy.fault !== undefined) {
        const state = await end({ trouble: 'robots', why: policy.fault });
        return state === 'given_up' ? { ...(await this.#capture(visit)), isHostGivenUp: true } : undefined;
      }
      const captured = await this.#capturedAfter(visit, pace.delayMs);
      const outcome = hostReportOf(captured);
      await this.#applyBackoff(visit, captured, tries.held, folder);
      const state = await end(outcome);
      if (captured.requestedWait !== undefined && tries.held < HELD_MAX) tries.held += 1;
      else if (!isWorthAnother(tries, visit.task.options.retries, { outcome, state }))
        return { ...captured, isHostGivenUp: state === 'given_up' };
      else if (state === 'up') await new Promise((resolve) => setTimeout(resolve, this.#failedPauseMs));
      return undefined;
    } finally {
      if (!isOver) await turn.release();
    }
  }

  #noteDelay({ work, task }: Visit, delaySeconds: number): void {
    if (!task.options.respectRobots) return;
    if (delaySeconds > 0) this.#delays.set(work.host, delaySeconds);
    else this.#delays.delete(work.host);
  }

  /** Acquires a permit of the page's folder if it is slow: its pages are fetched one at a time. */
  async #folderTurn({ task, signal }: Visit): Promise<Permit | undefined> {
    const folder = this.#slow.find(task.url);
    if (folder === undefined) return undefined;
    return acquirePermit(this.#deps.pace, folder.name, { concurrency: 1, delayMs: 0 }, signal);
  }

  /** Holds the host if it requested a wait, and records the result for its folder. */
  async #applyBackoff(
    { task, work }: Visit,
    captured: Captured,
    held: number,
    folder: Permit | undefined,
  ): Promise<void> {
    const { pace } = this.#deps;
    const { requestedWait, row } = captured;
    if (requestedWait !== undefined) {
      const seconds = holdSeconds(requestedWait.seconds, held);
      this.#slow.sentBack(task.url, seconds, folder !== undefined);
      await pace.hold(work.host, seconds * 1000, whyHeld(row.httpStatus, requestedWait.seconds));
    } else if (folder !== undefined) this.#slow.passed(task.url);
    const slow = folder === undefined ? undefined : this.#slow.find(task.url);
    if (slow !== undefined && slow.gapMs > 0) await pace.hold(slow.name, slow.gapMs);
  }

  /** Captures the page. The delay to the next fetch counts from the actual start, which is later than the permit. */
  async #capturedAfter(visit: Visit, delayMs: number): Promise<Captured> {
    if (delayMs === 0) return this.#capture(visit);
    const { pace } = this.#deps;
    await pace.hold(visit.work.host, delayMs);
    const captured = await this.#capture(visit);
    const { fetch = 0, render = 0, read = 0 } = captured.row.timingsMs;
    const leftMs = delayMs - fetch - render - read;
    if (leftMs > 0) await pace.hold(visit.work.host, leftMs);
    return captured;
  }

  async #capture({ task, credits, signal, mayFetch }: Visit): Promise<Captured> {
    if (!mayFetch()) throw new AppError('conflict', 'the page was withdrawn');
    const endsAtMs = Date.now() + CAPTURE_MS;
    return this.#deps.capture(task, credits, { remainingMs: () => Math.max(1, endsAtMs - Date.now()), signal });
  }

  /** Returns true if a cached robots.txt forbids the page, which then needs no permit. */
  async #isForbidden({ work, task }: Visit): Promise<boolean> {
    if (!task.options.respectRobots || !this.#met.has(work.host)) return false;
    const { fault, isForbidden } = await this.#robotsOf(task);
    return isForbidden && fault === undefined;
  }

  /** Called under a permit: robots.txt of a held host is not fetched either. */
  async #robotsOf({ options, url }: PageTask): Promise<PageRobots> {
    if (!options.respectRobots) return NO_POLICY;
    // If robots.txt is unreachable, so is the page; its row records the failure.
    const policy = await this.#deps.robots.policyOf(url).catch(() => undefined);
    if (policy === undefined) return NO_POLICY;
    const { allowed, reason } = policy.decide(url);
    // A refusal of the whole host is its fault, not a rule (RFC 9309 2.3.1.4).
    const fault = policy.kind === 'refused' ? reason : undefined;
    if (fault === undefined) this.#met.set(new URL(url).host, true);
    return { delaySeconds: policy.crawlDelaySeconds ?? 0, fault, isForbidden: !allowed };
  }

  #logFailure(task: PageTask, attempts: number, error: unknown): string {
    const about = { err: error, run: task.jobId, page: task.captureId, attempts };
    this.#deps.log.warn(about, 'page attempt failed');
    return error instanceof AppError ? error.message : 'internal error';
  }

  #unread(task: PageTask, why: Parameters<typeof unfetchedRow>[2]): Captured {
    return { row: unfetchedRow(task, this.#deps.now(), why), bodies: undefined };
  }
}

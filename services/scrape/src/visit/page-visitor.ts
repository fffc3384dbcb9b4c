import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@tidemark/errors';
import {
  acquireOrGivenUp,
  HELD_MAX,
  type HostLimiter,
  type HostReport,
  type HostState,
  holdSeconds,
  isPermit,
  type Pace,
  type Permit,
  type Wait,
  whyHeld,
  withCrawlDelay,
} from '@tidemark/host-pace';
import type { RobotsPolicy } from '@tidemark/robots';
import { LRUCache } from 'lru-cache';
import type { Captured } from '../capture/capture-deps.ts';
import { unfetchedRow } from '../domain/page-row.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { Budget } from '../domain/ports.ts';
import { givenUp, hostReportOf, isWorthAnother, type Tries } from './host-report.ts';
import { SlowFolders } from './slow-folders.ts';
import { recordVisit } from './visit-metrics.ts';

export interface PageVisitorDeps {
  readonly capture: (task: PageTask, creditsLeased: number, budget: Budget) => Promise<Captured>;
  readonly robots: {
    policyOf(url: string): Promise<Pick<RobotsPolicy, 'kind' | 'crawlDelaySeconds' | 'decide'>>;
  };
  readonly pace: HostLimiter;
  readonly now: () => Date;
  /** Pause between two fetches of a page whose host is not held, ms; default 1,000. */
  readonly failedPauseMs?: number;
}

/** What a source decides about a page while it waits. */
export interface VisitControl {
  /** Called before the page waits for a fetch, also after a fetch that is repeated. @returns false if it must not be fetched any more */
  mayWait(): boolean;
  /** Called when a fetch begins. @returns false if it must not */
  mayFetch(): boolean;
  /** Called while the page waits for its host for another reason than its turn. */
  onWait(wait: Wait): void;
}

/** For a page that only its signal stops. */
export const UNCONTROLLED: VisitControl = { mayWait: () => true, mayFetch: () => true, onWait: () => undefined };

/** What a page is captured for. */
export type VisitKind = 'scrape' | 'batch' | 'run' | 'recapture';

/** One page to capture, from any source, with its waits and retries. */
export interface Visit {
  readonly kind: VisitKind;
  readonly task: PageTask;
  /** The pace that the source requests; a crawl delay makes it slower. */
  readonly pace: Pace;
  /** Leases the credits of a capture; called when it begins. The same lease for each call. */
  readonly leaseCredits: () => Promise<number>;
  readonly signal: AbortSignal;
  /** Longest time until the last fetch begins, ms. A page that would wait longer for its host is postponed. */
  readonly waitBudgetMs: number;
  /** Time limit of one capture, ms; default 120,000. */
  readonly captureMs?: number;
  /** Waits that the host requested of this page in earlier visits. */
  readonly held: number;
  /** False: a page whose robots.txt is unreachable ends as forbidden by it, instead of waiting until it can be read. */
  readonly waitsForRobots: boolean;
  readonly control: VisitControl;
}

export type Visited =
  /** `isHostGivenUp`: the page was not fetched, or not read, because its host is given up. */
  | { readonly kind: 'captured'; readonly captured: Captured; readonly isHostGivenUp: boolean }
  /** The page would wait longer than its source allows. `captured`: what it got before; undefined: it was not fetched. */
  | { readonly kind: 'postponed'; readonly wait: Wait; readonly captured: Captured | undefined }
  /** The page was cancelled or withdrawn. */
  | { readonly kind: 'stopped' };

const STOPPED: Visited = { kind: 'stopped' };

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

/** The state of one visit. */
interface Progress {
  readonly host: string;
  readonly endsAtMs: number;
  readonly tries: Tries;
  /** The last capture, which is repeated. */
  last: Captured | undefined;
  repeats: number;
}

/**
 * Visits pages for every source (single scrapes, batches, runs, recaptures): waits for a permit of the host, reads its
 * robots.txt, captures the page, and reports the result to the host's pace. A host that requests a wait costs a page no
 * attempt. The source stores the page.
 */
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

  /** Captures the page after all waits and retries. @throws AppError on internal failures, so that the source retries it */
  async visit(visit: Visit): Promise<Visited> {
    const { task, signal, waitBudgetMs, held } = visit;
    const progress: Progress = {
      host: new URL(task.url).host,
      endsAtMs: performance.now() + waitBudgetMs,
      tries: { held, failed: 0 },
      last: undefined,
      repeats: 0,
    };
    const startedAtMs = performance.now();
    while (visit.control.mayWait() && !signal.aborted) {
      const visited = await this.#tryOnce(visit, progress);
      if (visited === undefined) continue;
      const result = withRetries(visited, progress);
      if (result.kind === 'captured') recordVisit(visit.kind, result.captured, startedAtMs);
      return result;
    }
    return STOPPED;
  }

  /** Waits for a permit and fetches the page once. @returns undefined if the page needs another permit */
  async #tryOnce(visit: Visit, progress: Progress): Promise<Visited | undefined> {
    if (await this.#isForbidden(visit, progress)) return captured(await this.#capture(visit), false);
    const folder = await this.#folderTurn(visit, progress);
    if (folder !== undefined && !isPermit(folder)) return this.#refused(visit, progress, folder);
    try {
      const pace = this.#paceOf(visit, progress);
      const turn = await this.#turn(visit, progress, progress.host, pace);
      if (!isPermit(turn)) {
        const isRobots = turn.trouble === 'robots' && !visit.waitsForRobots && !visit.signal.aborted;
        return isRobots ? captured(await this.#capture(visit), false) : this.#refused(visit, progress, turn);
      }
      return await this.#fetch(visit, progress, { turn, pace, folder });
    } finally {
      await folder?.release();
    }
  }

  /** Returns the result of a page that got no permit. */
  #refused({ task, signal }: Visit, { last }: Progress, wait: Wait): Visited {
    if (signal.aborted) return STOPPED;
    if (wait.isGivenUp === true) return captured(this.#unread(task, givenUp(wait)), true);
    return { kind: 'postponed', wait, captured: last };
  }

  /** Returns the current pace: the slower of the source's and the crawl-delay of robots.txt. */
  #paceOf({ pace, task }: Visit, { host }: Progress): Pace {
    return withCrawlDelay(pace, task.options.respectRobots ? this.#delays.get(host) : undefined);
  }

  /** Waits for a permit as long as the source allows. @returns the last refusal if none came */
  async #turn(visit: Visit, { endsAtMs }: Progress, name: string, pace: Pace): Promise<Permit | Wait> {
    const isLong = pace.delayMs >= LONG_DELAY_MS && pace.delayMs > visit.pace.delayMs;
    const whySlow = `robots.txt requires ${pace.delayMs / 1000} s between two fetches`;
    const limit = endsAtMs === Number.POSITIVE_INFINITY ? undefined : new AbortController();
    let last: Wait = { ms: 0 };
    const onWait = (wait: Wait) => {
      last = wait.why === undefined && isLong ? { ...wait, why: whySlow } : wait;
      visit.control.onWait(last);
      const isOver = wait.trouble === 'robots' && !visit.waitsForRobots;
      if (isOver || performance.now() + wait.ms > endsAtMs) limit?.abort();
    };
    const timer = limit && setTimeout(() => limit.abort(), Math.max(0, endsAtMs - performance.now()));
    const signal = limit === undefined ? visit.signal : AbortSignal.any([visit.signal, limit.signal]);
    try {
      return (await acquireOrGivenUp(this.#deps.pace, name, pace, { signal, onWait })) ?? last;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Fetches the page once under a permit. @returns undefined if the page needs another permit */
  async #fetch(
    visit: Visit,
    progress: Progress,
    { turn, pace, folder }: { readonly turn: Permit; readonly pace: Pace; readonly folder: Permit | undefined },
  ): Promise<Visited | undefined> {
    let isOver = false;
    const end = (outcome?: HostReport): Promise<HostState> => {
      isOver = true;
      return turn.release(outcome);
    };
    try {
      const policy = await this.#robotsOf(visit.task);
      this.#noteDelay(visit, progress, policy.delaySeconds);
      if (policy.delaySeconds * 1000 > pace.delayMs) {
        await end({ kind: 'unused', latency: undefined });
        return undefined;
      }
      if (policy.fault !== undefined) {
        const state = await end({ kind: 'failed', trouble: 'robots', why: policy.fault, latency: undefined });
        if (state !== 'given_up' && visit.waitsForRobots) return undefined;
        return captured(await this.#capture(visit), state === 'given_up');
      }
      const page = await this.#capturedAfter(visit, progress, pace.delayMs);
      const outcome = hostReportOf(page);
      await this.#applyBackoff(visit, progress, page, folder);
      const state = await end(outcome);
      if (!(await this.#isRepeated(visit, progress, page, { outcome, state })))
        return captured(progress.last ?? page, state === 'given_up');
      progress.repeats += 1;
      return undefined;
    } finally {
      if (!isOver) await turn.release();
    }
  }

  /** Decides whether the page is fetched again, and waits before it is. */
  async #isRepeated(
    { task, signal }: Visit,
    progress: Progress,
    page: Captured,
    result: { readonly outcome: HostReport | undefined; readonly state: HostState },
  ): Promise<boolean> {
    const { tries, endsAtMs } = progress;
    // A response is not replaced by a repeated fetch without one.
    if (page.row.httpStatus > 0 || progress.last === undefined) progress.last = page;
    if (page.requestedWait !== undefined && tries.held < HELD_MAX) {
      tries.held += 1;
      return true;
    }
    if (!isWorthAnother(tries, task.options.retries, result)) return false;
    if (result.state !== 'up') return true;
    if (performance.now() + this.#failedPauseMs > endsAtMs) return false;
    await sleep(this.#failedPauseMs, undefined, { signal }).catch(() => undefined);
    return true;
  }

  #noteDelay({ task }: Visit, { host }: Progress, delaySeconds: number): void {
    if (!task.options.respectRobots) return;
    if (delaySeconds > 0) this.#delays.set(host, delaySeconds);
    else this.#delays.delete(host);
  }

  /** Waits for a permit of the page's folder if it is slow: its pages are fetched one at a time. @returns undefined if it is not slow */
  async #folderTurn(visit: Visit, progress: Progress): Promise<Permit | Wait | undefined> {
    const folder = this.#slow.find(visit.task.url);
    if (folder === undefined) return undefined;
    return this.#turn(visit, progress, folder.name, { concurrency: 1, delayMs: 0 });
  }

  /** Holds the host if it requested a wait, and records the result for its folder. */
  async #applyBackoff(
    { task }: Visit,
    { host, tries }: Progress,
    { requestedWait, row }: Captured,
    folder: Permit | undefined,
  ): Promise<void> {
    const { pace } = this.#deps;
    if (requestedWait !== undefined) {
      const seconds = holdSeconds(requestedWait, tries.held);
      this.#slow.sentBack(task.url, seconds, folder !== undefined);
      await pace.hold(host, seconds * 1000, whyHeld(row.httpStatus, requestedWait));
    } else if (folder !== undefined) this.#slow.passed(task.url);
    const slow = folder === undefined ? undefined : this.#slow.find(task.url);
    if (slow !== undefined && slow.gapMs > 0) await pace.hold(slow.name, slow.gapMs);
  }

  /** Captures the page. The delay to the next fetch counts from the actual start, which is later than the permit. */
  async #capturedAfter(visit: Visit, { host }: Progress, delayMs: number): Promise<Captured> {
    if (delayMs === 0) return this.#capture(visit);
    const { pace } = this.#deps;
    await pace.hold(host, delayMs);
    const page = await this.#capture(visit);
    const { fetch = 0, render = 0, read = 0 } = page.row.timingsMs;
    const leftMs = delayMs - fetch - render - read;
    if (leftMs > 0) await pace.hold(host, leftMs);
    return page;
  }

  async #capture({ task, leaseCredits, signal, captureMs = CAPTURE_MS, control }: Visit): Promise<Captured> {
    const credits = await leaseCredits();
    if (!control.mayFetch()) throw new AppError('conflict', 'the page was withdrawn');
    const endsAtMs = performance.now() + captureMs;
    return this.#deps.capture(task, credits, {
      remainingMs: () => Math.max(1, endsAtMs - performance.now()),
      signal,
    });
  }

  /** Returns true if a cached robots.txt forbids the page, which then needs no permit. */
  async #isForbidden({ task }: Visit, { host }: Progress): Promise<boolean> {
    if (!task.options.respectRobots || !this.#met.has(host)) return false;
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

  #unread(task: PageTask, why: Parameters<typeof unfetchedRow>[2]): Captured {
    return { row: unfetchedRow(task, this.#deps.now(), why), bodies: undefined };
  }
}

const captured = (page: Captured, isHostGivenUp: boolean): Visited => ({
  kind: 'captured',
  captured: page,
  isHostGivenUp,
});

/** Returns the result with a warning that names the number of repeated fetches. */
function withRetries(visited: Visited, { repeats }: Progress): Visited {
  if (repeats === 0 || visited.kind !== 'captured') return visited;
  const { row } = visited.captured;
  const warnings = [...row.warnings, `retried ${repeats} times`];
  return { ...visited, captured: { ...visited.captured, row: { ...row, warnings } } };
}

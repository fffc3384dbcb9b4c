import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { FetchFailed } from '@tidemark/egress';
import { requestedWaitOf } from '@tidemark/host-pace';
import { BLOCKS_VERSION } from '@tidemark/page-reader';
import { retryAfterSeconds } from '@tidemark/web-url';
import type { Evidence } from '../domain/attempt.ts';
import { holdsComparison } from '../domain/compared.ts';
import {
  type Climb,
  firstRung,
  type Halt,
  nameOf,
  needAfter,
  nextRung,
  type Rung,
  rungsFor,
  type Tier,
} from '../domain/ladder.ts';
import { loginGone } from '../domain/login.ts';
import { cachedRow, fetchedRow, type Reading, unfetchedRow } from '../domain/page-row.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { Budget, NoResponse } from '../domain/ports.ts';
import { noResponse } from '../engines/no-response.ts';
import type { CaptureDeps, Captured, Earlier } from './capture-deps.ts';
import { RungFetcher } from './fetch-rung.ts';
import { StageClock } from './stage-clock.ts';

export type { CaptureDeps, Captured, Earlier } from './capture-deps.ts';

const HALTED: Readonly<Record<Halt, string>> = {
  TIER_LIMIT: 'a higher tier than this request allows would have read it',
  BUDGET_EXHAUSTED: 'the credits this page may cost could not buy the engine that would have read it',
};

/**
 * Captures one page: robots.txt, the archived page, then the rungs of the ladder until one of them reads it or none is left. Failures
 * of the site are data in the row.
 */
export class PageCapture {
  readonly #deps: CaptureDeps;

  constructor(deps: CaptureDeps) {
    this.#deps = deps;
  }

  /** @throws AppError on internal failures, so that the capture is retried */
  async capture(task: PageTask, creditsLeased: number, budget: Budget): Promise<Captured> {
    if (task.options.loginId !== '') return this.#captureSignedIn(task, creditsLeased, budget);
    const capture = new OneCapture(this.#deps, task, budget);
    return withEvidence(task, capture, await capture.run(creditsLeased));
  }

  /** Captures with a saved login. The capture ends when the login is deleted. */
  async #captureSignedIn(task: PageTask, creditsLeased: number, budget: Budget): Promise<Captured> {
    const deletion = new AbortController();
    const { workspaceId, options } = task;
    const unwatch = this.#deps.loginDeletions.watch({ workspaceId, loginId: options.loginId }, () => deletion.abort());
    try {
      const signal = AbortSignal.any([budget.signal, deletion.signal]);
      const capture = new OneCapture(this.#deps, task, { remainingMs: () => budget.remainingMs(), signal });
      return withEvidence(task, capture, await capture.runSignedIn(creditsLeased, deletion.signal));
    } finally {
      unwatch();
    }
  }
}

const withEvidence = (task: PageTask, capture: OneCapture, captured: Captured): Captured => ({
  ...captured,
  row: { ...captured.row, timingsMs: capture.clock.timings },
  ...(task.options.explain ? { evidence: capture.evidence } : {}),
});

/** One capture and its evidence. */
class OneCapture {
  readonly clock = new StageClock();
  readonly #deps: CaptureDeps;
  readonly #task: PageTask;
  readonly #budget: Budget;
  readonly #rungs: RungFetcher;
  #robots: Evidence['robots'] = null;
  #begunOn: string | null = null;
  #halt: Halt | null = null;

  constructor(deps: CaptureDeps, task: PageTask, budget: Budget) {
    this.#deps = deps;
    this.#task = task;
    this.#budget = budget;
    this.#rungs = new RungFetcher(deps, task, { budget, clock: this.clock });
  }

  get evidence(): Evidence {
    return {
      robots: this.#robots,
      begunOn: this.#begunOn,
      halted: this.#halt,
      attempts: this.#rungs.attempts,
      removed: this.#rungs.removed,
    };
  }

  /** Runs with the saved login. What was read with a login that was deleted meanwhile is dropped. */
  async runSignedIn(creditsLeased: number, deletion: AbortSignal): Promise<Captured> {
    if (!(await this.#signIn())) return this.#unread(loginGone());
    const captured = await this.run(creditsLeased).catch((error: unknown) => {
      if (deletion.aborted) return undefined;
      throw error;
    });
    // The message about a deletion may be lost, so the login is opened again. That reads it at most once a second.
    const isUsable = captured !== undefined && !deletion.aborted && (await this.#signIn());
    return isUsable ? captured : this.#unread(loginGone());
  }

  async run(creditsLeased: number): Promise<Captured> {
    const refused = await this.#refusedByRobots();
    if (refused !== undefined) return refused;
    const { maxAgeSeconds } = this.#task.options;
    const earlier = await this.#earlier();
    if (earlier !== undefined && maxAgeSeconds > 0 && ageSeconds(earlier.row, this.#deps.now()) <= maxAgeSeconds) {
      const bodies = await this.#deps.readBodies(earlier.row);
      if (bodies !== undefined) return { row: cachedRow(this.#task, earlier.row), bodies, kept: earlier.row.content };
    }
    return this.#climb(creditsLeased, earlier);
  }

  /** Opens the login before the page is fetched. @returns false if the login does not exist */
  async #signIn(): Promise<boolean> {
    const { workspaceId, options } = this.#task;
    this.#rungs.login = await this.#deps.openLogin(workspaceId, options.loginId);
    return this.#rungs.login !== undefined;
  }

  /** Returns the earlier page that may be compared with or reused: from the task or the archive. */
  async #earlier(): Promise<Earlier | undefined> {
    const found = await this.#stored();
    // A page without comparison hashes can't replace one that needs them.
    const stands = found !== undefined && holdsComparison(found.row, this.#task.options, BLOCKS_VERSION);
    return stands ? found : undefined;
  }

  async #stored(): Promise<Earlier | undefined> {
    const { earlier, options } = this.#task;
    if (earlier !== undefined) return { row: earlier };
    return options.maxAgeSeconds === 0
      ? undefined
      : this.clock.time('recall', () => this.#deps.findEarlier(this.#task));
  }

  async #refusedByRobots(): Promise<Captured | undefined> {
    if (!this.#task.options.respectRobots) return undefined;
    try {
      const { allowed, reason } = await this.clock.time('robots', () =>
        this.#deps.robots.check(this.#task.url, this.#budget.remainingMs()),
      );
      this.#robots = { allowed, reason };
      if (allowed) return undefined;
      return this.#unread({ verdict: 'robots', errorCode: 'BLOCKED', reason, signals: ['robots.txt'] });
    } catch (error) {
      if (!(error instanceof FetchFailed)) throw error;
      return this.#noResponse('http', noResponse(error.kind, error.message));
    }
  }

  /** Tries the rungs in order, from the cheapest or the one that last read similar pages. */
  async #climb(creditsLeased: number, earlier: Earlier | undefined): Promise<Captured> {
    const { ladder, exits, memory } = this.#deps;
    const { options, url } = this.#task;
    const rungs = rungsFor(ladder, options, !exits.isEmpty);
    const budget = Math.min(creditsLeased, options.maxCredits ?? creditsLeased);
    const climb: Climb = { ladder, rungs, budget };
    const remembered = memory.startRung(url);
    let rung = firstRung(climb, remembered);
    if (rung === undefined || rung.credits > budget) return this.#halted(undefined, 'BUDGET_EXHAUSTED');
    const startedFromFingerprint = rung !== rungs[0];
    this.#begunOn = startedFromFingerprint ? nameOf(rung) : null;
    let last: Reading | undefined;
    for (;;) {
      const outcome = await this.#rungs.try(rung, earlier);
      if ('row' in outcome) return outcome;
      if ('kind' in outcome) return this.#endWithoutResponse(rung, outcome, last);
      const need = needAfter(outcome.classification);
      if (need === 'nothing') {
        this.#remember(outcome, rung, { cheapest: rungs[0], startedFromFingerprint });
        return this.#row(outcome, last);
      }
      const next = nextRung(climb, rung, need);
      if ('halt' in next) return this.#halted(outcome, next.halt);
      last = outcome;
      rung = next.rung;
    }
  }

  /** The result of a cheaper rung stands if the dearer one got no response. */
  #endWithoutResponse(rung: Rung, outcome: NoResponse, last: Reading | undefined): Captured {
    return last === undefined ? this.#noResponse(rung.tier, outcome) : this.#halted(last, undefined);
  }

  /** Stores which rung reads the site's pages, if the ladder was free to begin with its cheapest. */
  #remember(
    { classification }: Reading,
    rung: Rung,
    {
      cheapest,
      startedFromFingerprint,
    }: { readonly cheapest: Rung | undefined; readonly startedFromFingerprint: boolean },
  ): void {
    if (cheapest?.tier !== 'http' || cheapest.exit) return;
    const readBy = classification.verdict === 'blocked' ? undefined : nameOf(rung);
    const isCheapest = rung === cheapest;
    this.#deps.memory.updateFingerprint(this.#task.url, { readBy, isCheapest, startedFromFingerprint });
  }

  #row(reading: Reading, cheaper: Reading | undefined): Captured {
    const row = fetchedRow(this.#task, this.#deps.now(), reading, cheaper);
    const signals = this.#begunOn === null ? row.signals : [...row.signals, 'host fingerprint'];
    return {
      row: { ...row, signals, exitBytes: this.#rungs.exitBytes },
      bodies: reading.bodies,
      kept: reading.kept,
      graph: reading.graph,
      ...(reading.screenshot === undefined ? {} : { screenshot: reading.screenshot }),
      requestedWait: requestedWaitOf(reading.status, retryAfterSeconds(reading.headers)),
      latencyMs: reading.latencyMs,
    };
  }

  /** Returns the page as read so far, with the limit that stopped it. */
  #halted(last: Reading | undefined, halt: Halt | undefined): Captured {
    this.#halt = halt ?? null;
    if (last === undefined) {
      const errorCode = halt ?? 'TIER_LIMIT';
      return this.#unread({ verdict: 'blocked', errorCode, reason: HALTED[errorCode], signals: [] });
    }
    const captured = this.#row(last, undefined);
    if (halt === undefined) return captured;
    const reason = `${captured.row.reason}; ${HALTED[halt]}`;
    const row = { ...captured.row, errorCode: halt, reason, credits: 0, climbedTo: last.rung.tier };
    return { ...captured, row };
  }

  #noResponse(tier: Tier, { errorCode, reason, signal }: NoResponse): Captured {
    return this.#unread({ verdict: 'blocked', errorCode, reason, signals: [signal], tier });
  }

  #unread(why: Parameters<typeof unfetchedRow>[2]): Captured {
    const row = unfetchedRow(this.#task, this.#deps.now(), why);
    return { row: { ...row, exitBytes: this.#rungs.exitBytes }, bodies: undefined };
  }
}

const ageSeconds = (row: PageRow, now: Date): number => (now.getTime() - (row.crawledAt?.getTime() ?? 0)) / 1000;

import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { FetchFailed } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import type { Job } from './domain/job.ts';
import { type Halt, nextRung, type Rung, rungsFor, type Tier } from './domain/ladder.ts';
import { fetchedRow, type Reading, unfetchedRow } from './domain/page-row.ts';
import type { Budget, Engine, Fetched, FetchOrder, Unanswered } from './domain/ports.ts';
import { unanswered } from './engines/unanswered.ts';
import type { ReadResult, ReadTask } from './reader/read-body.ts';
import { Unreadable } from './reader/read-pool.ts';
import type { RobotsAnswer } from './robots/robots-gate.ts';
import { StageClock } from './stage-clock.ts';

/** A captured page: its row, and its bodies as PageBodies bytes where there are any. */
export interface Captured {
  readonly row: PageRow;
  readonly bodies: Uint8Array | undefined;
}

export interface CaptureDeps {
  readonly ladder: readonly Rung[];
  readonly engines: ReadonlyMap<string, Engine>;
  readonly robots: { ask(url: string): Promise<RobotsAnswer> };
  readonly reader: { read(task: ReadTask): Promise<ReadResult> };
  readonly now: () => Date;
}

const HALTED: Readonly<Record<Halt, string>> = {
  TIER_LIMIT: 'a higher tier than this request allows would have read it',
  BUDGET_EXHAUSTED: 'the credits this page may cost could not buy the engine that would have read it',
};

/**
 * Captures one page: robots, then engine after engine up the ladder until one of them reads it or none is left. What the web
 * does is data in the row.
 */
export class PageCapture {
  readonly #deps: CaptureDeps;

  constructor(deps: CaptureDeps) {
    this.#deps = deps;
  }

  /** @throws AppError where something of ours failed, so that the capture is tried again */
  async capture(job: Job, creditsLeased: number, budget: Budget): Promise<Captured> {
    const clock = new StageClock();
    const captured =
      (await this.#refusedByRobots(job, clock)) ?? (await this.#climb(job, creditsLeased, budget, clock));
    return { ...captured, row: { ...captured.row, timingsMs: clock.timings } };
  }

  async #refusedByRobots(job: Job, clock: StageClock): Promise<Captured | undefined> {
    if (!job.options.respectRobots) return undefined;
    try {
      const { allowed, reason } = await clock.time('robots', () => this.#deps.robots.ask(job.url));
      if (allowed) return undefined;
      return this.#unread(job, { verdict: 'robots', errorCode: 'BLOCKED', reason, signals: ['robots.txt'] });
    } catch (error) {
      if (!(error instanceof FetchFailed)) throw error;
      return this.#unanswered(job, 'http', unanswered(error.kind, error.message));
    }
  }

  /** Engine after engine, cheapest first. */
  async #climb(job: Job, creditsLeased: number, budget: Budget, clock: StageClock): Promise<Captured> {
    const { ladder, now } = this.#deps;
    const rungs = rungsFor(ladder, job.options);
    const affordable = Math.min(creditsLeased, job.options.maxCredits ?? creditsLeased);
    let last: Reading | undefined;
    for (let tried = 0; ; tried += 1) {
      const next = nextRung(ladder, rungs, tried, affordable);
      if ('halt' in next) return this.#halted(job, last, next.halt);
      const reading = await this.#tryRung(job, next.rung, budget, clock);
      if ('kind' in reading) {
        // A page plain http has read stays what it is where only the browser got no answer.
        return last === undefined ? this.#unanswered(job, next.rung.tier, reading) : this.#halted(job, last, undefined);
      }
      if (!reading.judgement.climb)
        return { row: fetchedRow(job.captureId, job.url, now(), reading, last), bodies: reading.bodies };
      last = reading;
    }
  }

  async #tryRung(job: Job, rung: Rung, budget: Budget, clock: StageClock): Promise<Reading | Unanswered> {
    const engine = this.#deps.engines.get(rung.tier);
    if (engine === undefined) throw new AppError('internal', `the ladder names an engine nobody built: ${rung.tier}`);
    const stage = rung.tier === 'browser' ? 'render' : 'fetch';
    const answer = await clock.time(stage, () => engine.fetch(orderOf(job), budget));
    return answer.kind === 'fetched' ? this.#read(job, rung, answer, clock) : answer;
  }

  async #read(job: Job, rung: Rung, answer: Fetched, clock: StageClock): Promise<Reading | Unanswered> {
    const { body, contentType, status, headers, landedUrl, redirects } = answer;
    const { minWords, languages, parseDocuments, formats } = job.options;
    const rendered = rung.tier === 'browser';
    try {
      const result = await clock.time('read', () =>
        this.#deps.reader.read({
          body,
          contentType,
          status,
          headers,
          askedUrl: job.url,
          landedUrl,
          rendered,
          minWords,
          languages,
          content: job.options,
          parseDocuments,
          formats,
        }),
      );
      return { rung, status, landedUrl, redirects, ...result };
    } catch (error) {
      if (error instanceof Unreadable)
        return { kind: 'unanswered', errorCode: 'TIMEOUT', reason: error.message, signal: 'unreadable page' };
      throw error;
    }
  }

  /** A page that needed more than it could have: what was read of it, and what stopped it. */
  #halted(job: Job, last: Reading | undefined, halt: Halt | undefined): Captured {
    if (last === undefined) {
      const errorCode = halt ?? 'TIER_LIMIT';
      return this.#unread(job, { verdict: 'blocked', errorCode, reason: HALTED[errorCode], signals: [] });
    }
    const row = fetchedRow(job.captureId, job.url, this.#deps.now(), last, undefined);
    if (halt === undefined) return { row, bodies: last.bodies };
    const reason = `${row.reason}; ${HALTED[halt]}`;
    return {
      row: { ...row, verdict: 'blocked', errorCode: halt, reason, credits: 0, climbedTo: last.rung.tier },
      bodies: last.bodies,
    };
  }

  #unanswered(job: Job, tier: Tier, { errorCode, reason, signal }: Unanswered): Captured {
    return this.#unread(job, { verdict: 'blocked', errorCode, reason, signals: [signal], tier });
  }

  #unread(job: Job, why: Parameters<typeof unfetchedRow>[3]): Captured {
    return { row: unfetchedRow(job.captureId, job.url, this.#deps.now(), why), bodies: undefined };
  }
}

const orderOf = ({ url, options, workspaceId }: Job): FetchOrder => ({
  url,
  options,
  workspaceId,
  exit: undefined,
  session: '',
  unlessStill: undefined,
});

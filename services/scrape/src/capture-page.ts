import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { FetchFailed } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import { tracer } from '@tidemark/service';
import type { Job } from './domain/job.ts';
import { type Halt, nextRung, type Rung, rungsFor } from './domain/ladder.ts';
import { fetchedRow, type Reading, unfetchedRow } from './domain/page-row.ts';
import type { Budget, Engine, Fetched, Unanswered } from './domain/ports.ts';
import { unanswered } from './engines/unanswered.ts';
import type { ReadResult, ReadTask } from './reader/read-body.ts';
import { Unreadable } from './reader/read-pool.ts';
import type { RobotsAnswer } from './robots/robots-gate.ts';

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

type Timings = Record<string, number>;

const HALTED: Readonly<Record<Halt, string>> = {
  TIER_LIMIT: 'a higher tier than this request allows would have read it',
  BUDGET_EXHAUSTED: 'the credits this page may cost could not buy the engine that would have read it',
};

/**
 * Captures one page: robots, then engine after engine up the ladder until one of them reads it or none is left. What the web
 * does is data in the row.
 * @throws AppError where something of ours failed, so that the capture is tried again
 */
export function makeCapturePage(deps: CaptureDeps) {
  async function timed<T>(timings: Timings, stage: string, run: () => Promise<T>): Promise<T> {
    const startedAtMs = performance.now();
    return tracer.startActiveSpan(`capture ${stage}`, async (span) => {
      try {
        return await run();
      } finally {
        span.end();
        timings[stage] = (timings[stage] ?? 0) + Math.round((performance.now() - startedAtMs) * 100) / 100;
      }
    });
  }

  async function refusedByRobots(job: Job, timings: Timings): Promise<PageRow | undefined> {
    if (!job.options.respectRobots) return undefined;
    try {
      const { allowed, reason } = await timed(timings, 'robots', () => deps.robots.ask(job.url));
      if (allowed) return undefined;
      return unfetchedRow(job.captureId, job.url, deps.now(), {
        verdict: 'robots',
        errorCode: 'BLOCKED',
        reason,
        signals: ['robots.txt'],
      });
    } catch (error) {
      if (!(error instanceof FetchFailed)) throw error;
      const { errorCode, reason, signal } = unanswered(error.kind, error.message);
      return unfetchedRow(job.captureId, job.url, deps.now(), {
        verdict: 'blocked',
        errorCode,
        reason,
        signals: [signal],
        tier: 'http',
      });
    }
  }

  async function read(job: Job, rung: Rung, answer: Fetched, timings: Timings): Promise<Reading | Unanswered> {
    const task: ReadTask = {
      body: answer.body,
      contentType: answer.contentType,
      status: answer.status,
      headers: answer.headers,
      askedUrl: job.url,
      landedUrl: answer.landedUrl,
      rendered: rung.tier === 'browser',
      onlyMainContent: job.options.onlyMainContent,
      minWords: job.options.minWords,
      formats: job.options.formats,
    };
    try {
      const result = await timed(timings, 'read', () => deps.reader.read(task));
      return { rung, status: answer.status, landedUrl: answer.landedUrl, redirects: answer.redirects, ...result };
    } catch (error) {
      if (error instanceof Unreadable)
        return { kind: 'unanswered', errorCode: 'TIMEOUT', reason: error.message, signal: 'unreadable page' };
      throw error;
    }
  }

  return async (job: Job, creditsLeased: number, budget: Budget): Promise<Captured> => {
    const timings: Timings = {};
    const finish = (row: PageRow, bodies?: Uint8Array): Captured => ({ row: { ...row, timingsMs: timings }, bodies });

    const refused = await refusedByRobots(job, timings);
    if (refused !== undefined) return finish(refused);

    const rungs = rungsFor(deps.ladder, job.options);
    const affordable = Math.min(creditsLeased, job.options.maxCredits ?? creditsLeased);
    let last: Reading | undefined;
    for (let tried = 0; ; tried += 1) {
      const next = nextRung(deps.ladder, rungs, tried, affordable);
      if ('halt' in next) return finish(...haltedRow(job, deps.now(), last, next.halt));
      const engine = deps.engines.get(next.rung.tier);
      if (engine === undefined)
        throw new AppError('internal', `the ladder names an engine nobody built: ${next.rung.tier}`);

      const answer = await timed(timings, next.rung.tier === 'browser' ? 'render' : 'fetch', () =>
        engine.fetch(job.url, job.options, budget, job.workspaceId),
      );
      const reading = answer.kind === 'fetched' ? await read(job, next.rung, answer, timings) : answer;
      if ('kind' in reading) {
        // A page plain http has read stays what it is where only the browser got no answer.
        if (last !== undefined) return finish(...haltedRow(job, deps.now(), last, undefined));
        const { errorCode, reason, signal } = reading;
        return finish(
          unfetchedRow(job.captureId, job.url, deps.now(), {
            verdict: 'blocked',
            errorCode,
            reason,
            signals: [signal],
            tier: next.rung.tier,
          }),
        );
      }
      if (!reading.judgement.climb)
        return finish(fetchedRow(job.captureId, job.url, deps.now(), reading, last), reading.bodies);
      last = reading;
    }
  };
}

/** The row of a page that needed more than it could have: what was read of it, and what stopped it. */
function haltedRow(
  job: Job,
  at: Date,
  last: Reading | undefined,
  halt: Halt | undefined,
): [PageRow, Uint8Array | undefined] {
  if (last === undefined) {
    const errorCode = halt ?? 'TIER_LIMIT';
    return [
      unfetchedRow(job.captureId, job.url, at, {
        verdict: 'blocked',
        errorCode,
        reason: HALTED[errorCode],
        signals: [],
      }),
      undefined,
    ];
  }
  const row = fetchedRow(job.captureId, job.url, at, last, undefined);
  if (halt === undefined) return [row, last.bodies];
  return [
    {
      ...row,
      verdict: 'blocked',
      errorCode: halt,
      reason: `${row.reason}; ${HALTED[halt]}`,
      credits: 0,
      climbedTo: last.rung.tier,
    },
    last.bodies,
  ];
}

import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { ATTEMPT_POLICIES } from '@tidemark/leased-work';
import { createLogger } from '@tidemark/service';
import { until } from '@tidemark/testkit';
import type { AnyJob } from './any-job.ts';
import { type AttemptResult, toAttemptResult } from './attempt-result.ts';
import { JobAttempts, type JobAttemptsOptions } from './job-attempts.ts';
import { makeSettleFailure, type SettleFailureDeps } from './settle-failure.ts';

type Ended = { readonly job: AnyJob };

const jobOf = (id: string, attempts = 1): AnyJob => ({
  id,
  workspaceId: 'w',
  requestId: 'r',
  status: 'running',
  attempts,
  createdAt: new Date(0),
});
const doneOf = (job: AnyJob): Ended => ({ job: { ...job, status: 'done' } });

type Work = (signal: AbortSignal) => Promise<Ended | undefined>;
type Overrides = Partial<JobAttemptsOptions & Pick<SettleFailureDeps<AnyJob, Ended>, 'failJob'>> & {
  readonly find?: (workspaceId: string, id: string) => Promise<AnyJob>;
  readonly leases?: SettleFailureDeps<AnyJob, Ended>['leases'] & JobAttemptsOptions['leases'];
};

/** The attempts of a process, and `run`, which makes one as a use case does. */
function open({ find, leases, failJob, ...options }: Overrides = {}) {
  const released: [string, number][] = [];
  const postponed: [string, number][] = [];
  const failures: string[] = [];
  const log = createLogger('jobs', 'silent');
  const jobs = { find: find ?? (async (_: string, id: string) => ({ ...jobOf(id), status: 'cancelled' })) };
  const recorded: NonNullable<Overrides['leases']> = leases ?? {
    retry: async (id, seconds) => void released.push([id, seconds]),
    postpone: async (id, seconds) => void postponed.push([id, seconds]),
  };
  const attempts = new JobAttempts({
    leases: recorded,
    log,
    maxRunning: 2,
    maxQueued: 3,
    closeTimeoutMs: 50,
    ...options,
  });
  const settleFailure = makeSettleFailure<AnyJob, Ended>({
    jobs,
    leases: recorded,
    policy: ATTEMPT_POLICIES.jobs,
    failJob:
      failJob ??
      (async (job, reason) => {
        failures.push(reason);
        return { job: { ...job, status: 'error' } };
      }),
    log,
  });
  async function run(job: AnyJob, work: Work, committed?: Promise<unknown>): Promise<AttemptResult<AnyJob, Ended>> {
    using attempt = attempts.begin(job, committed);
    if (attempt === undefined) return toAttemptResult(jobs, job, undefined);
    const { signal } = attempt;
    try {
      await attempt.acquireSlot();
      return await toAttemptResult(jobs, job, await work(signal));
    } catch (error) {
      return await (signal.aborted ? toAttemptResult<AnyJob, Ended>(jobs, job, undefined) : settleFailure(job, error));
    }
  }
  return { attempts, run, released, postponed, failures };
}

/** Returns work that lasts until `release` is called or its attempt is aborted. */
function blockingWork() {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const work = (job: AnyJob) => async (signal: AbortSignal) => {
    started.push(job.id);
    await new Promise<void>((resolve, reject) => {
      ends.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    return doneOf(job);
  };
  return { started, work, release: () => ends.shift()?.() };
}

describe('JobAttempts with settled failures', () => {
  it('returns the end of the job', async () => {
    const { attempts, run } = open();
    const result = await run(jobOf('a'), async () => doneOf(jobOf('a')));
    expect(result).toMatchObject({ job: { status: 'done' }, end: { job: { id: 'a' } } });
    expect(attempts.runningJobIds).toEqual([]);
  });

  it('releases the job of a failed attempt for a retry with increasing delays', async () => {
    const { run, released } = open();
    for (const attempt of [1, 2, 3, 4]) {
      const result = await run(jobOf('a', attempt), () => Promise.reject(new Error('broken')));
      expect(result).toMatchObject({ job: { status: 'running' }, end: undefined });
    }
    expect(released.map(([, seconds]) => seconds)).toEqual([1, 5, 15, 30]);
  });

  it('fails the job after the fifth failed attempt, with a reason that contains no internal details', async () => {
    const { run, released, failures } = open();
    const result = await run(jobOf('a', 5), () => Promise.reject(new AppError('unavailable', 'every browser is busy')));
    await run(jobOf('b', 5), () => Promise.reject(new Error('secret detail')));
    expect(result.job.status).toBe('error');
    expect(failures).toEqual(['every browser is busy', 'internal error']);
    expect(released).toEqual([]);
  });

  it('returns the current job if the lease was lost', async () => {
    const { run } = open({ failJob: async () => undefined });
    const ended = await run(jobOf('a'), async () => undefined);
    const failed = await run(jobOf('b', 5), () => Promise.reject(new Error('broken')));
    expect([ended, failed]).toMatchObject([{ job: { status: 'cancelled' } }, { job: { status: 'cancelled' } }]);
  });

  it('never rejects, also if the database is unavailable', async () => {
    const unavailable = () => Promise.reject(new Error('the database is unavailable'));
    const { run } = open({
      find: unavailable,
      leases: { retry: unavailable, postpone: unavailable },
      failJob: unavailable,
    });
    const fails = () => Promise.reject(new Error('broken'));
    expect((await run(jobOf('a'), fails)).job.status).toBe('running');
    expect((await run(jobOf('b', 5), fails)).job.status).toBe('running');
    expect((await run(jobOf('c'), async () => undefined)).job.status).toBe('running');
    expect((await run(jobOf('d'), fails, unavailable())).job.status).toBe('running');
  });

  it('neither retries nor fails the job of an attempt that was stopped', async () => {
    const { attempts, run, released, failures } = open();
    const { work } = blockingWork();
    const result = run(jobOf('a', 5), work(jobOf('a', 5)));
    attempts.stop('a');
    expect((await result).job.status).toBe('cancelled');
    expect([released, failures]).toEqual([[], []]);
  });

  it('lists an attempt as committed only after its job row is committed', async () => {
    const { attempts, run } = open();
    const { started, work, release } = blockingWork();
    let commit = (): void => undefined;
    const committed = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const result = run(jobOf('a'), work(jobOf('a')), committed);
    expect([attempts.committed(), attempts.runningJobIds]).toEqual([[], ['a']]);
    commit();
    await until('the attempt to be committed', () => attempts.committed().length === 1 && started.length === 1);
    release();
    await result;
  });

  it('does not start a second attempt at a job that has a running attempt', async () => {
    const { run } = open();
    const { started, work, release } = blockingWork();
    const first = run(jobOf('a'), work(jobOf('a')));
    const second = await run(jobOf('a'), work(jobOf('a')));
    expect(second.end).toBeUndefined();
    await until('the first attempt', () => started.length === 1);
    release();
    expect((await first).end).toBeDefined();
    expect(started).toEqual(['a']);
  });
});

describe('JobAttempts limits', () => {
  it('runs at most maxRunning attempts in order of arrival and has no capacity when the queue is full', async () => {
    const { attempts, run } = open({ maxQueued: 6 });
    const { started, work, release } = blockingWork();
    const capacity: boolean[] = [];
    const results = ['a', 'b', 'c', 'd', 'e'].map((id) => {
      capacity.push(attempts.hasCapacityFor('w'));
      return run(jobOf(id), work(jobOf(id)));
    });
    expect([capacity, attempts.hasCapacityFor('w'), attempts.freeSlots]).toEqual([
      [true, true, true, true, true],
      false,
      0,
    ]);
    await until('the first two attempts', () => started.length === 2);
    release();
    // A new attempt does not overtake queued attempts.
    const late = results[0]?.then(() => run(jobOf('f'), work(jobOf('f'))));
    await until('the next attempt', () => started.length === 3);
    for (const count of [4, 5, 6]) {
      release();
      await until('the next attempt', () => started.length === count);
    }
    release();
    release();
    await Promise.all([...results, late]);
    expect(started).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(attempts.freeSlots).toBe(2);
  });

  it('starts the attempt of a workspace without one while the attempts of another fill the slots', async () => {
    const { attempts, run } = open({ maxQueued: 4 });
    const { started, work, release } = blockingWork();
    const results = ['a', 'b', 'c', 'd'].map((id) => run(jobOf(id), work(jobOf(id))));
    const other = { ...jobOf('other'), workspaceId: 'v' };
    expect([attempts.hasCapacityFor('w'), attempts.hasCapacityFor('v')]).toEqual([false, true]);
    const result = run(other, work(other));
    await until('the attempt of the other workspace', () => started.includes('other'));
    expect(started).toEqual(['a', 'b', 'other']);
    for (const count of [4, 5]) {
      release();
      release();
      await until('the next attempts', () => started.length >= count);
    }
    for (let at = 0; at < 3; at += 1) release();
    await Promise.all([...results, result]);
  });

  it('does not start a queued attempt that was stopped', async () => {
    const { attempts, run } = open({ maxRunning: 1 });
    const { started, work, release } = blockingWork();
    const results = ['a', 'b'].map((id) => run(jobOf(id), work(jobOf(id))));
    attempts.stop('b');
    await until('the first attempt', () => started.length === 1);
    release();
    expect((await Promise.all(results)).map(({ job }) => job.status)).toEqual(['done', 'cancelled']);
    expect(started).toEqual(['a']);
  });

  it('releases the jobs that a shutdown interrupts to other instances at once, without counting the attempt', async () => {
    const { attempts, run, released, postponed, failures } = open({
      find: async (_, id) => jobOf(id, 5),
    });
    const { work } = blockingWork();
    const running = run(jobOf('a', 5), work(jobOf('a', 5)));
    await attempts.close();
    expect(await running).toMatchObject({ job: { status: 'running' }, end: undefined });
    expect([postponed, released, failures]).toEqual([[['a', 0]], [], []]);
  });

  it('accepts no attempts after close and aborts running attempts after the timeout', async () => {
    const { attempts, run, postponed } = open();
    const { work } = blockingWork();
    const result = run(jobOf('a'), work(jobOf('a')));
    const closing = attempts.close();
    expect([attempts.hasCapacityFor('w'), attempts.freeSlots]).toEqual([false, 0]);
    await closing;
    expect((await result).end).toBeUndefined();
    expect(postponed).toEqual([['a', 0]]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { ATTEMPT_POLICIES } from '@tidemark/leased-work';
import { createLogger } from '@tidemark/service';
import { until } from '@tidemark/testkit';
import type { AnyJob } from './any-job.ts';
import { AttemptRunner, type AttemptRunnerDeps } from './attempt-runner.ts';

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

function open(overrides: Partial<AttemptRunnerDeps<AnyJob, Ended>> = {}) {
  const released: [string, number][] = [];
  const postponed: [string, number][] = [];
  const failures: string[] = [];
  const attempts = new AttemptRunner<AnyJob, Ended>({
    jobs: { find: async (_, id) => ({ ...jobOf(id), status: 'cancelled' }) },
    leases: {
      retry: async (id, seconds) => void released.push([id, seconds]),
      postpone: async (id, seconds) => void postponed.push([id, seconds]),
    },
    policy: ATTEMPT_POLICIES.jobs,
    failJob: async (job, reason) => {
      failures.push(reason);
      return { job: { ...job, status: 'error' } };
    },
    log: createLogger('jobs', 'silent'),
    maxRunning: 2,
    maxQueued: 3,
    closeTimeoutMs: 50,
    ...overrides,
  });
  return { attempts, released, postponed, failures };
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

describe('AttemptRunner.run', () => {
  it('returns the end of the job', async () => {
    const { attempts } = open();
    const result = await attempts.run(jobOf('a'), async () => doneOf(jobOf('a')));
    expect(result).toMatchObject({ job: { status: 'done' }, end: { job: { id: 'a' } } });
    expect(attempts.runningJobIds).toEqual([]);
  });

  it('releases the job of a failed attempt for a retry with increasing delays', async () => {
    const { attempts, released } = open();
    for (const attempt of [1, 2, 3, 4]) {
      const result = await attempts.run(jobOf('a', attempt), () => Promise.reject(new Error('broken')));
      expect(result).toMatchObject({ job: { status: 'running' }, end: undefined });
    }
    expect(released.map(([, seconds]) => seconds)).toEqual([1, 5, 15, 30]);
  });

  it('fails the job after the fifth failed attempt, with a reason that contains no internal details', async () => {
    const { attempts, released, failures } = open();
    const result = await attempts.run(jobOf('a', 5), () =>
      Promise.reject(new AppError('unavailable', 'every browser is busy')),
    );
    await attempts.run(jobOf('b', 5), () => Promise.reject(new Error('secret detail')));
    expect(result.job.status).toBe('error');
    expect(failures).toEqual(['every browser is busy', 'internal error']);
    expect(released).toEqual([]);
  });

  it('returns the current job if the lease was lost', async () => {
    const { attempts } = open({ failJob: async () => undefined });
    const ended = await attempts.run(jobOf('a'), async () => undefined);
    const failed = await attempts.run(jobOf('b', 5), () => Promise.reject(new Error('broken')));
    expect([ended, failed]).toMatchObject([{ job: { status: 'cancelled' } }, { job: { status: 'cancelled' } }]);
  });

  it('never rejects, also if the database is unavailable', async () => {
    const unavailable = () => Promise.reject(new Error('the database is unavailable'));
    const { attempts } = open({
      jobs: { find: unavailable },
      leases: { retry: unavailable, postpone: unavailable },
      failJob: unavailable,
    });
    const fails = () => Promise.reject(new Error('broken'));
    expect((await attempts.run(jobOf('a'), fails)).job.status).toBe('running');
    expect((await attempts.run(jobOf('b', 5), fails)).job.status).toBe('running');
    expect((await attempts.run(jobOf('c'), async () => undefined)).job.status).toBe('running');
    expect((await attempts.run(jobOf('d'), fails, unavailable())).job.status).toBe('running');
  });

  it('neither retries nor fails the job of an attempt that was stopped', async () => {
    const { attempts, released, failures } = open();
    const { work } = blockingWork();
    const result = attempts.run(jobOf('a', 5), work(jobOf('a', 5)));
    attempts.stop('a');
    expect((await result).job.status).toBe('cancelled');
    expect([released, failures]).toEqual([[], []]);
  });

  it('lists an attempt as committed only after its job row is committed', async () => {
    const { attempts } = open();
    const { started, work, release } = blockingWork();
    let commit = (): void => undefined;
    const committed = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const result = attempts.run(jobOf('a'), work(jobOf('a')), committed);
    expect([attempts.committed(), attempts.runningJobIds]).toEqual([[], ['a']]);
    commit();
    await until('the attempt to be committed', () => attempts.committed().length === 1 && started.length === 1);
    release();
    await result;
  });

  it('does not start a second attempt at a job that has a running attempt', async () => {
    const { attempts } = open();
    const { started, work, release } = blockingWork();
    const first = attempts.run(jobOf('a'), work(jobOf('a')));
    const second = await attempts.run(jobOf('a'), work(jobOf('a')));
    expect(second.end).toBeUndefined();
    await until('the first attempt', () => started.length === 1);
    release();
    expect((await first).end).toBeDefined();
    expect(started).toEqual(['a']);
  });
});

describe('AttemptRunner limits', () => {
  it('runs at most maxRunning attempts in order of arrival and has no capacity when the queue is full', async () => {
    const { attempts } = open({ maxQueued: 6 });
    const { started, work, release } = blockingWork();
    const capacity: boolean[] = [];
    const results = ['a', 'b', 'c', 'd', 'e'].map((id) => {
      capacity.push(attempts.hasCapacityFor('w'));
      return attempts.run(jobOf(id), work(jobOf(id)));
    });
    expect([capacity, attempts.hasCapacityFor('w'), attempts.freeSlots]).toEqual([
      [true, true, true, true, true],
      false,
      0,
    ]);
    await until('the first two attempts', () => started.length === 2);
    release();
    // A new attempt does not overtake queued attempts.
    const late = results[0]?.then(() => attempts.run(jobOf('f'), work(jobOf('f'))));
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
    const { attempts } = open({ maxQueued: 4 });
    const { started, work, release } = blockingWork();
    const results = ['a', 'b', 'c', 'd'].map((id) => attempts.run(jobOf(id), work(jobOf(id))));
    const other = { ...jobOf('other'), workspaceId: 'v' };
    expect([attempts.hasCapacityFor('w'), attempts.hasCapacityFor('v')]).toEqual([false, true]);
    const result = attempts.run(other, work(other));
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
    const { attempts } = open({ maxRunning: 1 });
    const { started, work, release } = blockingWork();
    const results = ['a', 'b'].map((id) => attempts.run(jobOf(id), work(jobOf(id))));
    attempts.stop('b');
    await until('the first attempt', () => started.length === 1);
    release();
    expect((await Promise.all(results)).map(({ job }) => job.status)).toEqual(['done', 'cancelled']);
    expect(started).toEqual(['a']);
  });

  it('releases the jobs that a shutdown interrupts to other instances at once, without counting the attempt', async () => {
    const { attempts, released, postponed, failures } = open({
      jobs: { find: async (_, id) => jobOf(id, 5) },
    });
    const { work } = blockingWork();
    const running = attempts.run(jobOf('a', 5), work(jobOf('a', 5)));
    await attempts.close();
    expect(await running).toMatchObject({ job: { status: 'running' }, end: undefined });
    expect([postponed, released, failures]).toEqual([[['a', 0]], [], []]);
  });

  it('accepts no attempts after close and aborts running attempts after the timeout', async () => {
    const { attempts, postponed } = open();
    const { work } = blockingWork();
    const result = attempts.run(jobOf('a'), work(jobOf('a')));
    const closing = attempts.close();
    expect([attempts.hasCapacityFor('w'), attempts.freeSlots]).toEqual([false, 0]);
    await closing;
    expect((await result).end).toBeUndefined();
    expect(postponed).toEqual([['a', 0]]);
  });
});

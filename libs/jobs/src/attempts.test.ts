import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { createLogger } from '@tidemark/service';
import { until } from '@tidemark/testkit';
import type { AnyJob } from './any-job.ts';
import { Attempts, type AttemptsDeps } from './attempts.ts';

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

function open(some: Partial<AttemptsDeps<AnyJob, Ended>> = {}) {
  const released: [string, number][] = [];
  const givenUp: string[] = [];
  const attempts = new Attempts<AnyJob, Ended>({
    jobs: { find: async (_, id) => ({ ...jobOf(id), status: 'cancelled' }) },
    leases: { release: async (id, seconds) => void released.push([id, seconds]) },
    giveUp: async (job, why) => {
      givenUp.push(why);
      return { job: { ...job, status: 'error' } };
    },
    log: createLogger('jobs', 'silent'),
    maxRunning: 2,
    maxWaiting: 3,
    closeWithinMs: 50,
    ...some,
  });
  return { attempts, released, givenUp };
}

/** Work that takes until it is told to go on, or is stopped. */
function held() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (job: AnyJob) => async (signal: AbortSignal) => {
    begun.push(job.id);
    await new Promise<void>((resolve, reject) => {
      ends.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    return doneOf(job);
  };
  return { begun, work, release: () => ends.shift()?.() };
}

describe('an attempt', () => {
  it('tells how it ended its job', async () => {
    const { attempts } = open();
    const outcome = await attempts.run(jobOf('a'), async () => doneOf(jobOf('a')));
    expect(outcome).toMatchObject({ job: { status: 'done' }, end: { job: { id: 'a' } } });
    expect(attempts.jobsUnderWay).toEqual([]);
  });

  it('that fails leaves its job to be tried again, later each time', async () => {
    const { attempts, released } = open();
    for (const made of [1, 2, 3, 4]) {
      const outcome = await attempts.run(jobOf('a', made), () => Promise.reject(new Error('broken')));
      expect(outcome).toMatchObject({ job: { status: 'running' }, end: undefined });
    }
    expect(released.map(([, seconds]) => seconds)).toEqual([1, 5, 15, 30]);
  });

  it('that fails for the fifth time ends its job, with what may be told of why', async () => {
    const { attempts, released, givenUp } = open();
    const outcome = await attempts.run(jobOf('a', 5), () =>
      Promise.reject(new AppError('unavailable', 'every browser is busy')),
    );
    await attempts.run(jobOf('b', 5), () => Promise.reject(new Error('secret detail')));
    expect(outcome.job.status).toBe('error');
    expect(givenUp).toEqual(['every browser is busy', 'something went wrong on our side']);
    expect(released).toEqual([]);
  });

  it('at a job that was not ours to end shows the job as it stands', async () => {
    const { attempts } = open({ giveUp: async () => undefined });
    const ended = await attempts.run(jobOf('a'), async () => undefined);
    const givenUp = await attempts.run(jobOf('b', 5), () => Promise.reject(new Error('broken')));
    expect([ended, givenUp]).toMatchObject([{ job: { status: 'cancelled' } }, { job: { status: 'cancelled' } }]);
  });

  it('never rejects, even where nothing can be noted or looked up', async () => {
    const away = () => Promise.reject(new Error('the database is away'));
    const { attempts } = open({ jobs: { find: away }, leases: { release: away }, giveUp: away });
    const fails = () => Promise.reject(new Error('broken'));
    expect((await attempts.run(jobOf('a'), fails)).job.status).toBe('running');
    expect((await attempts.run(jobOf('b', 5), fails)).job.status).toBe('running');
    expect((await attempts.run(jobOf('c'), async () => undefined)).job.status).toBe('running');
    expect((await attempts.run(jobOf('d'), fails, away())).job.status).toBe('running');
  });

  it('that was stopped is neither tried again nor counted', async () => {
    const { attempts, released, givenUp } = open();
    const { work } = held();
    const outcome = attempts.run(jobOf('a', 5), work(jobOf('a', 5)));
    attempts.stop('a');
    expect((await outcome).job.status).toBe('cancelled');
    expect([released, givenUp]).toEqual([[], []]);
  });

  it('is not kept or stopped for its lease before its row is committed', async () => {
    const { attempts } = open();
    const { begun, work, release } = held();
    let commit = (): void => undefined;
    const recorded = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const outcome = attempts.run(jobOf('a'), work(jobOf('a')), recorded);
    expect([attempts.recorded(), attempts.jobsUnderWay]).toEqual([[], ['a']]);
    commit();
    await until('it counts as recorded', () => attempts.recorded().length === 1 && begun.length === 1);
    release();
    await outcome;
  });

  it('is not begun while another at the same job is under way here', async () => {
    const { attempts } = open();
    const { begun, work, release } = held();
    const first = attempts.run(jobOf('a'), work(jobOf('a')));
    const second = await attempts.run(jobOf('a'), work(jobOf('a')));
    expect(second.end).toBeUndefined();
    await until('the first', () => begun.length === 1);
    release();
    expect((await first).end).toBeDefined();
    expect(begun).toEqual(['a']);
  });
});

describe('the attempts of a process', () => {
  it('go so many at once, in the order they came, and refuse more than may wait', async () => {
    const { attempts } = open();
    const { begun, work, release } = held();
    const room: boolean[] = [];
    const outcomes = ['a', 'b', 'c', 'd', 'e'].map((id) => {
      room.push(attempts.hasRoom);
      return attempts.run(jobOf(id), work(jobOf(id)));
    });
    expect([room, attempts.hasRoom, attempts.freeSlots]).toEqual([[true, true, true, true, true], false, 0]);
    await until('the first two', () => begun.length === 2);
    release();
    // One that comes now does not slip in before those who wait.
    const late = outcomes[0]?.then(() => attempts.run(jobOf('f'), work(jobOf('f'))));
    await until('the next', () => begun.length === 3);
    for (const count of [4, 5, 6]) {
      release();
      await until('the next', () => begun.length === count);
    }
    release();
    release();
    await Promise.all([...outcomes, late]);
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(attempts.freeSlots).toBe(2);
  });

  it('that is stopped while it waits never begins', async () => {
    const { attempts } = open({ maxRunning: 1 });
    const { begun, work, release } = held();
    const outcomes = ['a', 'b'].map((id) => attempts.run(jobOf(id), work(jobOf(id))));
    attempts.stop('b');
    await until('the first', () => begun.length === 1);
    release();
    expect((await Promise.all(outcomes)).map(({ job }) => job.status)).toEqual(['done', 'cancelled']);
    expect(begun).toEqual(['a']);
  });

  it('take on nothing once the process is ending, and are stopped where they do not end by themselves', async () => {
    const { attempts, released } = open();
    const { work } = held();
    const outcome = attempts.run(jobOf('a'), work(jobOf('a')));
    const closing = attempts.close();
    expect([attempts.hasRoom, attempts.freeSlots]).toEqual([false, 0]);
    await closing;
    expect((await outcome).end).toBeUndefined();
    expect(released).toEqual([]);
  });
});

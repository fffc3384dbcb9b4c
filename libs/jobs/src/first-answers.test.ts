import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { until } from '@tidemark/testkit';
import type { AnyJob } from './any-job.ts';
import type { Outcome } from './attempts.ts';
import { FirstAnswers, type Started } from './first-answers.ts';
import type { EarlierRequest } from './idempotency-keys.ts';

type Ended = { readonly job: AnyJob; readonly page: string };

/** The tables of jobs and keys, and requests that come to one process or more. */
class Tables {
  readonly jobs = new Map<string, AnyJob>();
  readonly keys = new Map<string, EarlierRequest>();
  readonly #ends = new Map<string, (outcome: Outcome<AnyJob, Ended>) => void>();

  open(): FirstAnswers<AnyJob, Ended> {
    return new FirstAnswers<AnyJob, Ended>({
      jobs: {
        find: async (_, id) => this.jobs.get(id),
        findEarlier: async (workspaceId, key) => this.keys.get(`${workspaceId} ${key}`),
      },
      keys: { markAnswered: async (jobId) => this.mark(jobId, 'running') },
      isFinished: ({ status }) => status !== 'running',
      asBegun: (job) => ({ ...job, status: 'running' }),
      now: () => new Date(),
    });
  }

  mark(jobId: string, left: 'running' | 'done'): 'running' | 'done' {
    for (const [name, earlier] of this.keys) {
      if (earlier.jobId !== jobId) continue;
      const answered = earlier.answered ?? left;
      this.keys.set(name, { ...earlier, answered });
      return answered;
    }
    return left;
  }

  /** Makes a job, unless its key has made one. */
  start = async (key = ''): Promise<Started<AnyJob, Ended> | undefined> => {
    await new Promise((resolve) => setImmediate(resolve));
    const id = `job ${this.jobs.size + 1}`;
    if (key !== '' && this.keys.has(`w ${key}`)) return undefined;
    const job = { id, workspaceId: 'w', requestId: 'r', status: 'running', attempts: 1, createdAt: new Date() };
    this.jobs.set(id, job);
    if (key !== '') this.keys.set(`w ${key}`, { jobId: id, requestHash: 'h', answered: undefined });
    return { job, outcome: new Promise((resolve) => this.#ends.set(id, resolve)) };
  };

  /** Ends a job, as the statement that does also notes how its first answer leaves. */
  end(id: string, isToldHere = true): void {
    const job = { ...(this.jobs.get(id) ?? never()), status: 'done' };
    this.jobs.set(id, job);
    this.mark(id, 'done');
    if (isToldHere) this.#ends.get(id)?.({ job, end: { job, page: 'page' } });
  }

  /** An attempt that left its job running: it failed, or the job was taken over. */
  letGo(id: string): void {
    this.#ends.get(id)?.({ job: this.jobs.get(id) ?? never(), end: undefined });
  }
}

const never = (): never => {
  throw new Error('there is no such job');
};
const asked = (idempotencyKey = '', waitMs = 5_000, requestHash = 'h') => ({
  workspaceId: 'w',
  idempotencyKey,
  requestHash,
  waitMs,
});
const made = (tables: Tables) => until('the job', () => tables.jobs.size === 1);

describe('who waits for a job', () => {
  it('is answered with its end, and what it brought', async () => {
    const tables = new Tables();
    const answer = tables.open().answer(asked(), () => tables.start());
    await made(tables);
    tables.end('job 1');
    expect(await answer).toMatchObject({ job: { status: 'done' }, end: { page: 'page' }, replayed: false });
  });

  it('is answered with the running job when the time is up', async () => {
    const tables = new Tables();
    const answer = await tables.open().answer(asked('', 10), () => tables.start());
    expect(answer).toMatchObject({ job: { id: 'job 1', status: 'running' }, end: undefined, replayed: false });
  });

  it('is answered with the end that another attempt brings in time', async () => {
    const tables = new Tables();
    const answer = tables.open().answer(asked(), () => tables.start());
    await made(tables);
    tables.letGo('job 1');
    tables.end('job 1', false);
    expect(await answer).toMatchObject({ job: { status: 'done' }, end: undefined });
  });

  it('is told of the end where that came just before the answer left', async () => {
    const tables = new Tables();
    const answers = tables.open();
    const answer = answers.answer(asked('k', 20), () => tables.start('k'));
    await made(tables);
    tables.end('job 1', false);
    expect(await answer).toMatchObject({ job: { status: 'done' }, replayed: false });
    expect(await answers.answer(asked('k'), () => tables.start('k'))).toMatchObject({ job: { status: 'done' } });
  });
});

describe('an idempotency key', () => {
  it('makes one job of fifty requests at once in two processes, all answered alike', async () => {
    const tables = new Tables();
    const processes = [tables.open(), tables.open()];
    const answers = Array.from({ length: 50 }, (_, at) =>
      (processes[at % 2] ?? tables.open()).answer(asked('k'), () => tables.start('k')),
    );
    await made(tables);
    tables.end('job 1');
    const told = await Promise.all(answers);
    expect(new Set(told.map(({ job }) => `${job.id} ${job.status}`))).toEqual(new Set(['job 1 done']));
    expect(told.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(tables.jobs.size).toBe(1);
  });

  it('is answered with the running job as long as that was the first answer', async () => {
    const tables = new Tables();
    const answers = tables.open();
    await answers.answer(asked('k', 10), () => tables.start('k'));
    tables.end('job 1');
    const again = await answers.answer(asked('k'), () => tables.start('k'));
    expect(again).toMatchObject({ job: { id: 'job 1', status: 'running' }, replayed: true });
  });

  it('is answered in time where the first request’s process died before it answered', async () => {
    const tables = new Tables();
    void tables.open().answer(asked('k', 60_000), () => tables.start('k'));
    await made(tables);
    const again = await tables.open().answer(asked('k', 10), () => tables.start('k'));
    expect(again).toMatchObject({ job: { status: 'running' }, replayed: true });
    expect(tables.keys.get('w k')?.answered).toBe('running');
  });

  it('used with another body is a conflict', async () => {
    const tables = new Tables();
    const answers = tables.open();
    await answers.answer(asked('k', 10), () => tables.start('k'));
    const other = answers.answer(asked('k', 10, 'other'), () => tables.start('k'));
    await expect(other).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is not spent on a request that was refused', async () => {
    const tables = new Tables();
    const answers = tables.open();
    const refuse = () => Promise.reject(new AppError('credits_exhausted', 'there are none left'));
    const refused = [1, 2].map(() => answers.answer(asked('k'), refuse));
    expect((await Promise.allSettled(refused)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await answers.answer(asked('k', 10), () => tables.start('k'))).job.id).toBe('job 1');
  });

  it('whose job is gone again by the time it is looked for is to be tried again', async () => {
    const answer = new Tables().open().answer(asked('k'), async () => undefined);
    await expect(answer).rejects.toMatchObject({ code: 'unavailable' });
  });
});

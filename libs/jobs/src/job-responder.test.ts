import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { until } from '@tidemark/testkit';
import type { AnyJob } from './any-job.ts';
import type { AttemptResult } from './attempt-result.ts';
import type { EarlierRequest } from './idempotency-keys.ts';
import { JobResponder, type JobResponse, type StartedJob, type WaitingRequest } from './job-responder.ts';

type Ended = { readonly job: AnyJob; readonly page: string };

/** In-memory tables of jobs and keys, shared by the responders of several processes. */
class Tables {
  readonly jobs = new Map<string, AnyJob>();
  readonly keys = new Map<string, EarlierRequest>();
  readonly #ends = new Map<string, (outcome: AttemptResult<AnyJob, Ended>) => void>();

  open(): JobResponder<AnyJob, Ended> {
    return new JobResponder<AnyJob, Ended>({
      jobs: {
        find: async (_, id) => this.jobs.get(id),
        findEarlier: async (workspaceId, key) => this.keys.get(`${workspaceId} ${key}`),
      },
      keys: { recordFirstResponse: async (jobId) => this.mark(jobId, 'running') },
      isFinished: ({ status }) => status !== 'running',
      toInitialState: (job) => ({ ...job, status: 'running' }),
      now: () => new Date(),
    });
  }

  mark(jobId: string, state: 'running' | 'done'): 'running' | 'done' {
    for (const [name, earlier] of this.keys) {
      if (earlier.jobId !== jobId) continue;
      const firstStatus = earlier.firstStatus ?? state;
      this.keys.set(name, { ...earlier, firstStatus });
      return firstStatus;
    }
    return state;
  }

  /** Creates a job, unless its key has created one. */
  start = async (key = ''): Promise<StartedJob<AnyJob, Ended> | undefined> => {
    await new Promise((resolve) => setImmediate(resolve));
    const id = `job ${this.jobs.size + 1}`;
    if (key !== '' && this.keys.has(`w ${key}`)) return undefined;
    const job = { id, workspaceId: 'w', requestId: 'r', status: 'running', attempts: 1, createdAt: new Date() };
    this.jobs.set(id, job);
    if (key !== '') this.keys.set(`w ${key}`, { jobId: id, requestHash: 'h', firstStatus: undefined });
    return { job, result: new Promise((resolve) => this.#ends.set(id, resolve)) };
  };

  /** Ends a job and records its first response, as the real statement does. `byThisProcess`: the running attempt returns the end. */
  end(id: string, byThisProcess = true): void {
    const job = { ...(this.jobs.get(id) ?? never()), status: 'done' };
    this.jobs.set(id, job);
    this.mark(id, 'done');
    if (byThisProcess) this.#ends.get(id)?.({ job, end: { job, page: 'page' } });
  }

  /** Ends the attempt and leaves the job running, as if it had failed or the job had been reassigned. */
  interrupt(id: string): void {
    this.#ends.get(id)?.({ job: this.jobs.get(id) ?? never(), end: undefined });
  }
}

const never = (): never => {
  throw new Error('job not found');
};
const requestWith = (key?: string, waitMs = 5_000, requestHash = 'h'): WaitingRequest => ({
  workspaceId: 'w',
  idempotency: key === undefined ? undefined : { key, requestHash },
  waitMs,
});

type Start = () => Promise<StartedJob<AnyJob, Ended> | undefined>;

/** Responds as a use case does that starts a job with `start`. */
async function respond(
  responder: JobResponder<AnyJob, Ended>,
  request: WaitingRequest,
  start: Start,
): Promise<JobResponse<AnyJob, Ended>> {
  const turn = await responder.begin(request);
  if (turn.kind === 'repeated') return responder.replay(request, turn.earlier);
  const started = await start().finally(turn.end);
  return started === undefined ? responder.replay(request) : responder.respond(request, started);
}
const made = (tables: Tables) => until('the job', () => tables.jobs.size === 1);

describe('JobResponder', () => {
  it('returns the finished job and its end', async () => {
    const tables = new Tables();
    const response = respond(tables.open(), requestWith(), () => tables.start());
    await made(tables);
    tables.end('job 1');
    expect(await response).toMatchObject({ job: { status: 'done' }, end: { page: 'page' }, replayed: false });
  });

  it('returns the running job when the waiting time is over', async () => {
    const tables = new Tables();
    const response = await respond(tables.open(), requestWith(undefined, 10), () => tables.start());
    expect(response).toMatchObject({ job: { id: 'job 1', status: 'running' }, end: undefined, replayed: false });
  });

  it('returns the finished job if another attempt ends it in time', async () => {
    const tables = new Tables();
    const response = respond(tables.open(), requestWith(), () => tables.start());
    await made(tables);
    tables.interrupt('job 1');
    tables.end('job 1', false);
    expect(await response).toMatchObject({ job: { status: 'done' }, end: undefined });
  });

  it('returns the finished job if it ended immediately before the response', async () => {
    const tables = new Tables();
    const responder = tables.open();
    const response = respond(responder, requestWith('k', 20), () => tables.start('k'));
    await made(tables);
    tables.end('job 1', false);
    expect(await response).toMatchObject({ job: { status: 'done' }, replayed: false });
    expect(await respond(responder, requestWith('k'), () => tables.start('k'))).toMatchObject({
      job: { status: 'done' },
    });
  });
});

describe('JobResponder with an idempotency key', () => {
  it('creates one job from 50 concurrent requests in two processes and responds equally to all', async () => {
    const tables = new Tables();
    const processes = [tables.open(), tables.open()];
    const pending = Array.from({ length: 50 }, (_, at) =>
      respond(processes[at % 2] ?? tables.open(), requestWith('k'), () => tables.start('k')),
    );
    await made(tables);
    tables.end('job 1');
    const responses = await Promise.all(pending);
    expect(new Set(responses.map(({ job }) => `${job.id} ${job.status}`))).toEqual(new Set(['job 1 done']));
    expect(responses.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(tables.jobs.size).toBe(1);
  });

  it('replays the running job if the first response showed it as running', async () => {
    const tables = new Tables();
    const responder = tables.open();
    await respond(responder, requestWith('k', 10), () => tables.start('k'));
    tables.end('job 1');
    const again = await respond(responder, requestWith('k'), () => tables.start('k'));
    expect(again).toMatchObject({ job: { id: 'job 1', status: 'running' }, replayed: true });
  });

  it('responds in time if the process of the first request crashed before its response', async () => {
    const tables = new Tables();
    void respond(tables.open(), requestWith('k', 60_000), () => tables.start('k'));
    await made(tables);
    const again = await respond(tables.open(), requestWith('k', 10), () => tables.start('k'));
    expect(again).toMatchObject({ job: { status: 'running' }, replayed: true });
    expect(tables.keys.get('w k')?.firstStatus).toBe('running');
  });

  it('refuses a repeated key with another body as a conflict', async () => {
    const tables = new Tables();
    const responder = tables.open();
    await respond(responder, requestWith('k', 10), () => tables.start('k'));
    const other = respond(responder, requestWith('k', 10, 'other'), () => tables.start('k'));
    await expect(other).rejects.toMatchObject({ code: 'conflict' });
  });

  it('accepts a key again after its request was refused', async () => {
    const tables = new Tables();
    const responder = tables.open();
    const refuse = () => Promise.reject(new AppError('credits_exhausted', 'no credits left'));
    const refused = [1, 2].map(() => respond(responder, requestWith('k'), refuse));
    expect((await Promise.allSettled(refused)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await respond(responder, requestWith('k', 10), () => tables.start('k'))).job.id).toBe('job 1');
  });

  it('answers a request as unavailable after waiting for three refused requests with its key', async () => {
    const responder = new Tables().open();
    const refuse = () => Promise.reject(new AppError('credits_exhausted', 'no credits left'));
    const refused = await Promise.allSettled(
      Array.from({ length: 5 }, () => respond(responder, requestWith('k'), refuse)),
    );
    const codes = refused.map((one) => (one.status === 'rejected' ? one.reason.code : 'responded')).sort();
    expect(codes).toEqual([
      'credits_exhausted',
      'credits_exhausted',
      'credits_exhausted',
      'unavailable',
      'unavailable',
    ]);
  });

  it('responds with unavailable if the job of the key was deleted in the meantime', async () => {
    const response = respond(new Tables().open(), requestWith('k'), async () => undefined);
    await expect(response).rejects.toMatchObject({ code: 'unavailable' });
  });
});

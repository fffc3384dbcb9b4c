import { AppError } from '@tidemark/errors';
import type { AnyJob } from './any-job.ts';
import type { Outcome } from './attempts.ts';
import { type EarlierRequest, type IdempotencyKeys, requireSameBody } from './idempotency-keys.ts';

const LOOK_EVERY_MS = 200;

/** How long a request waits, and as which. */
export interface Waiting {
  readonly workspaceId: string;
  /** Empty: none. */
  readonly idempotencyKey: string;
  readonly requestHash: string;
  readonly waitMs: number;
}

export interface Started<Job, End> {
  readonly job: Job;
  readonly outcome: Promise<Outcome<Job, End>>;
}

export interface Answer<Job, End> extends Outcome<Job, End> {
  readonly replayed: boolean;
}

export interface FirstAnswersDeps<Job> {
  readonly jobs: {
    find(workspaceId: string, id: string): Promise<Job | undefined>;
    findEarlier(workspaceId: string, key: string): Promise<EarlierRequest | undefined>;
  };
  readonly keys: Pick<IdempotencyKeys, 'markAnswered'>;
  readonly isFinished: (job: Job) => boolean;
  /** The job as a first answer that left early showed it. */
  readonly asBegun: (job: Job) => Job;
  readonly now: () => Date;
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** What a promise brings in time. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms).unref();
  });
  return Promise.race([promise, over]).finally(() => clearTimeout(timer));
}

/**
 * Answers who waits for a job: with its end if that comes in time, with the running job otherwise. The same idempotency key is
 * answered as its first request was; fifty at once make one job.
 */
export class FirstAnswers<Job extends AnyJob, End> {
  readonly #deps: FirstAnswersDeps<Job>;
  /** Requests whose job is being made right now, by workspace and key, so that twins wait for it instead of racing it. */
  readonly #making = new Map<string, Promise<Started<Job, End> | undefined>>();

  constructor(deps: FirstAnswersDeps<Job>) {
    this.#deps = deps;
  }

  /**
   * `start` makes the job and its first attempt; it answers undefined where the key belongs to an earlier request after all.
   * @throws AppError conflict, unavailable, not_found, and whatever `start` throws
   */
  async answer(asked: Waiting, start: () => Promise<Started<Job, End> | undefined>): Promise<Answer<Job, End>> {
    const { workspaceId, idempotencyKey } = asked;
    if (idempotencyKey === '') {
      const started = await start();
      if (started === undefined) throw new AppError('internal', 'a job without a key met an earlier one');
      return this.#first(asked, started);
    }
    const name = `${workspaceId} ${idempotencyKey}`;
    await this.#making.get(name)?.catch(() => undefined);
    const earlier = await this.#deps.jobs.findEarlier(workspaceId, idempotencyKey);
    if (earlier !== undefined) return this.#replay(asked, earlier);
    // Looked for again: a twin may have begun while the table was read.
    const twin = this.#making.get(name);
    const making = twin ?? start();
    this.#making.set(name, making);
    const started = await making.finally(() => this.#making.delete(name));
    if (twin === undefined && started !== undefined) return this.#first(asked, started);
    const made = await this.#deps.jobs.findEarlier(workspaceId, idempotencyKey);
    if (made !== undefined) return this.#replay(asked, made);
    const why = 'an earlier request with this key is being undone; try again';
    throw new AppError('unavailable', why, { retryAfterSeconds: 1 });
  }

  async #first(asked: Waiting, { job, outcome }: Started<Job, End>): Promise<Answer<Job, End>> {
    const result = await within(asked.waitMs, outcome);
    if (result !== undefined && this.#deps.isFinished(result.job)) return { ...result, replayed: false };
    const settled = result && (await this.#untilFinished(job, job.createdAt.getTime() + asked.waitMs));
    if (settled !== undefined) return { job: settled, end: undefined, replayed: false };
    return { job: asked.idempotencyKey === '' ? job : await this.#leave(job), end: undefined, replayed: false };
  }

  /** Looks at a job that is tried again, or by another process, until it has ended or the time is up. */
  async #untilFinished({ workspaceId, id }: Job, untilMs: number): Promise<Job | undefined> {
    for (;;) {
      const job = await this.#deps.jobs.find(workspaceId, id);
      if (job !== undefined && this.#deps.isFinished(job)) return job;
      if (this.#deps.now().getTime() >= untilMs) return undefined;
      await after(LOOK_EVERY_MS);
    }
  }

  /** What the first request with the key was answered, once it was. */
  async #replay(asked: Waiting, { jobId, requestHash }: EarlierRequest): Promise<Answer<Job, End>> {
    requireSameBody({ requestHash }, asked.requestHash);
    const { jobs, isFinished, asBegun, now } = this.#deps;
    const untilMs = now().getTime() + asked.waitMs;
    for (;;) {
      const job = await jobs.find(asked.workspaceId, jobId);
      if (job === undefined) throw new AppError('not_found', 'the job this Idempotency-Key made is gone');
      // Read after the job: one that has ended by then is not answered as running from there on.
      const first = await jobs.findEarlier(asked.workspaceId, asked.idempotencyKey);
      if (first?.answered === 'running') return { job: asBegun(job), end: undefined, replayed: true };
      if (isFinished(job)) return { job, end: undefined, replayed: true };
      if (now().getTime() >= untilMs) return { job: await this.#leave(job), end: undefined, replayed: true };
      await after(LOOK_EVERY_MS);
    }
  }

  /** The job a first answer leaves with while it runs, or as it ended where that came first. */
  async #leave(job: Job): Promise<Job> {
    if ((await this.#deps.keys.markAnswered(job.id)) === 'running') return this.#deps.asBegun(job);
    return (await this.#deps.jobs.find(job.workspaceId, job.id)) ?? job;
  }
}

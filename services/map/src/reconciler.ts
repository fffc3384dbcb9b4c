import { openKeeper } from '@tidemark/jobs';
import type { Logger, Rounds } from '@tidemark/service';
import type { Job } from './domain/job.ts';
import type { JobRunner, RunJob } from './job-runner.ts';
import type { JobStore, Progress } from './store/job-store.ts';

interface Deps {
  readonly jobs: JobStore;
  readonly runner: JobRunner;
  readonly run: RunJob;
  readonly giveUp: (job: Job, why: string) => Promise<unknown>;
  /** How far the maps under way are, by job. */
  readonly progress: ReadonlyMap<string, Progress>;
  readonly log: Logger;
}

/** Brings every accepted map to its end, whoever died, and notes how far those under way are. */
export function openReconciler({ jobs, runner, run, giveUp, progress, log }: Deps): Rounds {
  return openKeeper<Job>({
    attempts: runner,
    renew: (ids) => jobs.renew(ids.map((id) => progress.get(id) ?? { id, done: 0, total: 0 })),
    takeOver: (limit, except) => jobs.takeOver(limit, except),
    resume: (job) => void run(job),
    giveUp: (job) => giveUp(job, 'every attempt at this map ended before it was done'),
    log,
  });
}

import { AppError } from '@tidemark/errors';
import type { Outbox } from '@tidemark/service';
import type { Job } from './domain/job.ts';
import { creditSpent } from './finish-job.ts';
import type { JobRunner } from './job-runner.ts';
import type { JobStore } from './store/job-store.ts';

/** Cancels a job: it never becomes done, and costs nothing. One that has ended stays as it is. @throws AppError not_found */
export function makeCancelJob(deps: { jobs: JobStore; runner: JobRunner; outbox: Outbox; now: () => Date }) {
  return async (workspaceId: string, id: string): Promise<Job> => {
    const result = await deps.jobs.cancel(workspaceId, id, (job) => [creditSpent(job, 0, 0, deps.now())]);
    if (result === undefined) throw new AppError('not_found', 'there is no such job');
    if (result.cancelled) {
      deps.runner.stop(id);
      deps.outbox.send([creditSpent(result.job, 0, 0, deps.now())]);
    }
    return result.job;
  };
}

import { AppError } from '@tidemark/errors';
import type { Outbox } from '@tidemark/service';
import type { Job } from '../domain/job.ts';
import { batchEnded } from '../store/batch-ended.ts';
import type { BatchStore } from '../store/batch-store.ts';
import type { JobStore } from '../store/job-store.ts';
import { creditSpent } from './finish-job.ts';
import type { JobRunner } from './job-runner.ts';

/** Cancels a job: it never becomes done and is not charged. An ended job stays as it is. @throws AppError not_found */
export function makeCancelJob(deps: {
  jobs: JobStore;
  batches: BatchStore;
  runner: JobRunner;
  batchRunner: { stop(captureIds: readonly string[]): void };
  outbox: Outbox;
  now: () => Date;
}) {
  /** Cancels the pages of a batch. Safe to repeat after an interrupted call. */
  async function cancelPages({ id, workspaceId, actorId }: Job): Promise<void> {
    const underWay = await deps.batches.cancelPages(id);
    deps.batchRunner.stop(underWay);
    deps.outbox.send(underWay.map((captureId) => creditSpent({ captureId, workspaceId, actorId }, 0, 0, deps.now())));
  }

  return async (workspaceId: string, id: string): Promise<Job> => {
    const result = await deps.jobs.cancel(workspaceId, id, async (job, client) => {
      const ended = job.kind === 'batch' ? await batchEnded(client, id) : [];
      return [creditSpent(job, 0, 0, deps.now()), ...ended];
    });
    if (result === undefined) throw new AppError('not_found', 'job not found');
    deps.outbox.send(result.events);
    if (result.job.kind === 'batch' && result.job.status === 'cancelled') await cancelPages(result.job);
    else if (result.cancelled) deps.runner.stop(id);
    return result.job;
  };
}

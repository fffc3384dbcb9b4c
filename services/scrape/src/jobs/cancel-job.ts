import { AppError } from '@tidemark/errors';
import type { JobAttempts } from '@tidemark/jobs';
import type { Outbox } from '@tidemark/service';
import type { ScrapeJob } from '../domain/job.ts';
import type { BatchStore } from '../store/batch-store.ts';
import type { JobStore } from '../store/job-store.ts';
import { creditSpent } from './finish-job.ts';

const notFound = () => new AppError('not_found', 'job not found');

interface CancelJobDeps {
  readonly jobs: Pick<JobStore, 'find' | 'cancel'>;
  readonly batches: Pick<BatchStore, 'cancelPages'>;
  readonly attempts: Pick<JobAttempts, 'stop'>;
  readonly batchRunner: { stop(captureIds: readonly string[]): void };
  readonly outbox: Pick<Outbox, 'send'>;
  readonly now: () => Date;
}

/** Cancels a job: it never becomes done and is not charged. An ended job stays as it is. @throws AppError not_found */
export type CancelJob = (workspaceId: string, id: string) => Promise<ScrapeJob>;

export function makeCancelJob({ jobs, batches, attempts, batchRunner, outbox, now }: CancelJobDeps): CancelJob {
  /** Cancels the pages of a batch. Safe to repeat after an interrupted call. */
  async function cancelPages({ id, workspaceId, actorId }: ScrapeJob): Promise<void> {
    const underWay = await batches.cancelPages(id);
    batchRunner.stop(underWay);
    outbox.send(underWay.map((captureId) => creditSpent({ captureId, workspaceId, actorId }, 0, 0, now())));
  }

  return async (workspaceId, id) => {
    const requested = await jobs.find(workspaceId, id);
    if (requested === undefined) throw notFound();
    const events = await jobs.cancel(requested, [creditSpent(requested, 0, 0, now())]);
    const job = await jobs.find(workspaceId, id);
    if (job === undefined) throw notFound();
    outbox.send(events ?? []);
    if (job.kind === 'batch' && job.status === 'cancelled') await cancelPages(job);
    else if (events !== undefined) attempts.stop(id);
    return job;
  };
}

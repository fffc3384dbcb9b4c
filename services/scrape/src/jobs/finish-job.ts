import type { BlobStore } from '@tidemark/blobs';
import { events } from '@tidemark/contracts';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { type Outbox, type OutgoingEvent, outgoingEvent } from '@tidemark/service';
import type { Captured } from '../capture/capture-deps.ts';
import { storeBodies } from '../capture/store-bodies.ts';
import type { Batch, BatchPage } from '../domain/batch.ts';
import type { ScrapeJob } from '../domain/job.ts';
import { jobEnded } from '../store/batch-ended.ts';
import type { BatchStore } from '../store/batch-store.ts';
import type { JobStore } from '../store/job-store.ts';
import type { JobResult } from './run-job.ts';

interface Deps {
  readonly jobs: JobStore;
  readonly blobs: BlobStore;
  readonly outbox: Outbox;
  readonly now: () => Date;
}

/** Returns the charge event of a capture. Also sent for free captures, as it ends the credit lease. Idempotent by capture id. */
export function creditSpent(
  job: Pick<ScrapeJob, 'captureId' | 'workspaceId' | 'actorId'>,
  credits: number,
  pages: number,
  at: Date,
): OutgoingEvent {
  return outgoingEvent(events.creditSpent, `credit:${job.captureId}`, {
    ref: job.captureId,
    workspaceId: job.workspaceId,
    kind: 'page',
    credits,
    pages,
    at,
    actorId: job.actorId,
  });
}

/** Stores the bodies of a captured page. @returns its row with their references, and the events of the capture and its charge */
async function storeCaptured(
  { blobs, now }: Pick<Deps, 'blobs' | 'now'>,
  job: Pick<ScrapeJob, 'id' | 'workspaceId' | 'actorId' | 'captureId'>,
  captured: Captured,
): Promise<{ row: PageRow; messages: OutgoingEvent[] }> {
  const startedAtMs = performance.now();
  const kept = await storeBodies(blobs, captured);
  const storeMs = Math.round((performance.now() - startedAtMs) * 100) / 100;
  const row = { ...captured.row, ...kept, timingsMs: { ...captured.row.timingsMs, store: storeMs } };
  const messages = [
    outgoingEvent(events.pageCaptured, `page:${row.id}`, { workspaceId: job.workspaceId, jobId: job.id, row }),
    creditSpent(job, row.credits, row.httpStatus === 0 ? 0 : 1, now()),
  ];
  return { row, messages };
}

/** Completes a job with its page: stores the bodies, then commits the events and the job's end in one transaction. */
export function makeFinishJob({ jobs, blobs, outbox, now }: Deps) {
  return async (job: ScrapeJob, captured: Captured): Promise<JobResult | undefined> => {
    const { row, messages } = await storeCaptured({ blobs, now }, job, captured);
    const endedAt = now();
    const ended: ScrapeJob = { ...job, status: 'done', credits: row.credits, pages: 1, finishedAt: endedAt };
    if (job.destinationId !== undefined)
      messages.push(jobEnded(job, { kind: 'scrape', destinationId: job.destinationId, at: endedAt, pages: 1 }));
    if (!(await jobs.finish(ended, messages))) return undefined;
    outbox.send(messages);
    return { job: ended, page: { row, bodies: Buffer.from(captured.bodies ?? []) } };
  };
}

/** Completes a page of a batch, and the batch with its last page. */
export function makeFinishBatchPage(deps: Pick<Deps, 'blobs' | 'outbox' | 'now'> & { batches: BatchStore }) {
  return async (batch: Batch, page: BatchPage, captured: Captured): Promise<void> => {
    const { workspaceId, actorId, id } = batch;
    const { row, messages } = await storeCaptured(
      deps,
      { id, workspaceId, actorId, captureId: page.captureId },
      captured,
    );
    const { verdict, credits } = row;
    const publishesEnd = batch.sealedUrl !== undefined || batch.destinationId !== undefined;
    const events = await deps.batches.end({
      page,
      verdict,
      missingValues: captured.missingValues,
      credits,
      messages,
      publishesEnd,
    });
    if (events !== undefined) deps.outbox.send(events);
  };
}

/** Fails a job without a page, uncharged. */
export function makeFailJob({ jobs, outbox, now }: Pick<Deps, 'jobs' | 'outbox' | 'now'>) {
  return async (job: ScrapeJob, why: string): Promise<JobResult | undefined> => {
    const messages = [creditSpent(job, 0, 0, now())];
    const ended: ScrapeJob = { ...job, status: 'error', error: why, finishedAt: now() };
    if (!(await jobs.finish(ended, messages))) return undefined;
    outbox.send(messages);
    return { job: ended, page: undefined };
  };
}

/** Returns unneeded credits. Sent once, without the outbox's retries: a lost message is corrected when the lease expires. */
export function makeReturnCredits({ outbox, now }: Pick<Deps, 'outbox' | 'now'>) {
  return (captureId: string, workspaceId: string): void =>
    outbox.send([creditSpent({ captureId, workspaceId, actorId: '' }, 0, 0, now())]);
}

import {
  ScrapeServiceService as Rpc,
  type Job as WireJob,
  type CaptureOptions as WireOptions,
} from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, currentTrace, handle } from '@tidemark/service';
import type { makeCancelJob } from './cancel-job.ts';
import { type CaptureOptions, toCaptureOptions } from './domain/capture-options.ts';
import type { Job } from './domain/job.ts';
import type { ScrapeDesk } from './scrape-desk.ts';
import type { JobStore } from './store/job-store.ts';

const MAX_LIMIT = 1_000;
function toOptions(options: WireOptions | undefined): CaptureOptions {
  if (options === undefined) throw new AppError('validation', 'a capture needs its options');
  return toCaptureOptions(options);
}

const toWire = (job: Job): WireJob => ({
  id: job.id,
  kind: 'scrape',
  status: job.status,
  url: job.url,
  createdAt: job.createdAt,
  finishedAt: job.finishedAt,
  done: job.pages,
  total: 1,
  creditsUsed: job.credits,
  error: job.error,
  stop: undefined,
  requestId: job.requestId,
  formats: [...job.options.formats],
});

/** The face of scrape: proto in, use case, proto out. */
export function scrapeGrpc(deps: {
  desk: ScrapeDesk;
  cancelJob: ReturnType<typeof makeCancelJob>;
  jobs: JobStore;
}): BoundMethod[] {
  return [
    handle(Rpc.scrape, async (request, ctx) => {
      const { job, page, replayed } = await deps.desk.answer(callerOf(ctx), {
        url: request.url,
        options: toOptions(request.options),
        waitMs: request.waitMs,
        requestId: ctx.requestId,
        idempotencyKey: request.idempotencyKey,
        requestHash: request.requestHash,
        trace: currentTrace(),
      });
      return { job: toWire(job), page, replayed };
    }),
    handle(Rpc.getJob, async ({ id }, ctx) => {
      const job = await deps.jobs.find(callerOf(ctx).workspaceId, id);
      if (job === undefined) throw new AppError('not_found', 'there is no such job');
      return { job: toWire(job) };
    }),
    handle(Rpc.listJobs, async ({ cursor, limit }, ctx) => {
      const wanted = Math.min(Math.max(limit, 1), MAX_LIMIT);
      const found = await deps.jobs.list(callerOf(ctx).workspaceId, cursor, wanted + 1);
      const page = found.slice(0, wanted);
      return { jobs: page.map(toWire), nextCursor: found.length > wanted ? (page.at(-1)?.id ?? '') : '' };
    }),
    handle(Rpc.cancelJob, async ({ id }, ctx) => ({
      job: toWire(await deps.cancelJob(callerOf(ctx).workspaceId, id)),
    })),
  ];
}

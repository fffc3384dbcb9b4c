import {
  ScrapeServiceService as Rpc,
  type Job as WireJob,
  type CaptureOptions as WireOptions,
} from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, currentTrace, handle } from '@tidemark/service';
import type { BatchService } from './batch/batch-service.ts';
import type { makeCancelJob } from './cancel-job.ts';
import { type CaptureOptions, toCaptureOptions } from './domain/capture-options.ts';
import type { Job } from './domain/job.ts';
import type { makeRecapture } from './recapture/recapture.ts';
import type { ScrapeDesk } from './scrape-desk.ts';
import type { BatchViews } from './store/batch-views.ts';
import type { JobStore } from './store/job-store.ts';
import type { makeMatchPages, Patience } from './stored/match-pages.ts';
import type { makePreviewPage } from './stored/preview-page.ts';
import type { makeRereadPage } from './stored/reread-page.ts';
import type { makeSearchSelectors } from './stored/search-selectors.ts';

const MAX_LIMIT = 1_000;
/**
 * Milliseconds a call goes on asking stored pages: less than the ten seconds callers wait unless they say otherwise, and more than the
 * eight a reader gives a page, so that one that hangs is told of.
 */
const MATCH_MS = 9_000;

function toOptions(options: WireOptions | undefined): CaptureOptions {
  if (options === undefined) throw new AppError('validation', 'a capture needs its options');
  return toCaptureOptions(options);
}

interface Tally {
  readonly counts: Record<string, number>;
  readonly queued: number;
}

const toWire = (job: Job, { counts, queued }: Tally = { counts: {}, queued: 0 }): WireJob => ({
  id: job.id,
  kind: job.kind,
  status: job.status,
  url: job.url,
  createdAt: job.createdAt,
  finishedAt: job.finishedAt,
  done: job.pages,
  total: job.total,
  creditsUsed: job.credits,
  error: job.error,
  stop: undefined,
  requestId: job.requestId,
  formats: [...job.options.formats],
  counts,
  queued,
});

export interface ScrapeFace {
  readonly desk: ScrapeDesk;
  readonly batchService: BatchService;
  readonly cancelJob: ReturnType<typeof makeCancelJob>;
  readonly jobs: JobStore;
  readonly batchViews: BatchViews;
  readonly matchPages: ReturnType<typeof makeMatchPages>;
  readonly searchSelectors: ReturnType<typeof makeSearchSelectors>;
  readonly previewPage: ReturnType<typeof makePreviewPage>;
  readonly rereadPage: ReturnType<typeof makeRereadPage>;
  readonly readAgain: ReturnType<typeof makeRecapture>;
}

/** The face of scrape: proto in, use case, proto out. */
export function scrapeGrpc(deps: ScrapeFace): BoundMethod[] {
  const told = async (job: Job): Promise<WireJob> =>
    job.kind === 'batch' ? toWire(job, await deps.batchViews.tally(job.id)) : toWire(job);
  const found = async (workspaceId: string, id: string): Promise<Job> => {
    const job = await deps.jobs.find(workspaceId, id);
    if (job === undefined) throw new AppError('not_found', 'there is no such job');
    return job;
  };
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
        kind: request.kind === 'playground' ? 'playground' : 'scrape',
      });
      return { job: toWire(job), page, replayed };
    }),
    handle(Rpc.startBatch, async ({ options, ...order }, ctx) => {
      const caller = callerOf(ctx);
      const { jobId, secret, replayed } = await deps.batchService.start(caller, {
        ...order,
        options: toOptions(options),
        requestId: ctx.requestId,
        trace: currentTrace(),
      });
      return { job: await told(await found(caller.workspaceId, jobId)), webhookSecret: secret, replayed };
    }),
    handle(Rpc.getJob, async ({ id }, ctx) => ({ job: await told(await found(callerOf(ctx).workspaceId, id)) })),
    handle(Rpc.listJobs, async ({ cursor, limit }, ctx) => {
      const wanted = Math.min(Math.max(limit, 1), MAX_LIMIT);
      const jobs = await deps.jobs.list(callerOf(ctx).workspaceId, cursor, wanted + 1);
      const page = jobs.slice(0, wanted);
      return {
        jobs: page.map((job) => toWire(job)),
        nextCursor: jobs.length > wanted ? (page.at(-1)?.id ?? '') : '',
      };
    }),
    handle(Rpc.cancelJob, async ({ id }, ctx) => ({
      job: await told(await deps.cancelJob(callerOf(ctx).workspaceId, id)),
    })),
    handle(Rpc.listEnded, async ({ id, after, limit }, ctx) => ({
      pages: await deps.batchViews.ended(
        callerOf(ctx).workspaceId,
        id,
        after,
        Math.min(Math.max(limit, 1), MAX_LIMIT + 1),
      ),
    })),
    ...askingMethods(deps),
  ];
}

/** The time one call to match pages has. */
function patienceOf(signal: AbortSignal): Patience {
  const endsAtMs = performance.now() + MATCH_MS;
  return { remainingMs: () => endsAtMs - performance.now(), signal };
}

type Asked = 'matchPages' | 'searchSelectors' | 'previewPage' | 'rereadPage' | 'readAgain';

/** Queries over stored pages, and captures that are not stored. */
function askingMethods(deps: Pick<ScrapeFace, Asked>): BoundMethod[] {
  return [
    handle(Rpc.matchSelectors, async (request, { signal }) => deps.matchPages(request, patienceOf(signal))),
    handle(Rpc.searchSelectors, async (request, ctx) => ({
      found: await deps.searchSelectors(request, ctx, () => patienceOf(ctx.signal)),
    })),
    handle(Rpc.previewContent, async ({ page, options }) => deps.previewPage(page, toOptions(options))),
    handle(Rpc.rereadStored, async ({ page, options }, { signal }) =>
      deps.rereadPage(page, toOptions(options), signal),
    ),
    handle(Rpc.readAgain, async ({ url, options, concurrency, delayMs }, { signal, ...ctx }) => {
      const { workspaceId } = callerOf(ctx);
      const pace = { concurrency, delayMs };
      return deps.readAgain({ url, options: toOptions(options), workspaceId, pace }, signal);
    }),
  ];
}

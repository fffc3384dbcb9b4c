import { actorLimitOf, type Caller, reachesWorkOf } from '@tidemark/contracts';
import type { Activity } from '@tidemark/contracts/activity/v1/activity';
import {
  ScrapeServiceService as Rpc,
  type ScrapeRequest,
  type Job as WireJob,
  type CaptureOptions as WireOptions,
} from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { toIdempotency } from '@tidemark/jobs';
import { type BoundMethod, callerOf, currentTrace, type HandlerContext, handle } from '@tidemark/service';
import type { BatchService } from '../batch/batch-service.ts';
import { batchCounts } from '../domain/batch.ts';
import { type CaptureOptions, toCaptureOptions } from '../domain/capture-options.ts';
import type { ScrapeJob } from '../domain/job.ts';
import type { CancelJob } from '../jobs/cancel-job.ts';
import type { StartScrape } from '../jobs/start-scrape.ts';
import type { Recapture } from '../recapture/recapture.ts';
import type { BatchViews } from '../store/batch-views.ts';
import type { JobStore } from '../store/job-store.ts';
import type { MatchPages, WaitBudget } from '../stored/match-pages.ts';
import type { PreviewPage } from '../stored/preview-page.ts';
import type { RereadPage } from '../stored/reread-page.ts';
import type { SearchSelectors } from '../stored/search-selectors.ts';
import { serializeScrape } from './serialize-scrape.ts';

const MAX_LIMIT = 1_000;
/**
 * Time limit of one call that matches stored pages, ms. Shorter than the default deadline of callers (10 s), longer than the reader's
 * limit for one page (8 s), so that a page that hangs is reported.
 */
const MATCH_MS = 9_000;

function toOptions(options: WireOptions | undefined): CaptureOptions {
  if (options === undefined) throw new AppError('validation', 'capture options are missing');
  return toCaptureOptions(options);
}

const kindOf = ({ kind, destinationId }: ScrapeRequest) => ({
  kind: kind === 'playground' ? ('playground' as const) : ('scrape' as const),
  destinationId,
});

interface Tally {
  readonly counts: Record<string, number>;
  readonly missingValues: Record<string, number>;
  readonly queued: number;
}

const toWire = (
  job: ScrapeJob,
  { counts, missingValues, queued }: Tally = { counts: {}, missingValues: {}, queued: 0 },
): WireJob => ({
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
  missingValues,
  queued,
  destinationId: job.destinationId,
});

export interface ScrapeGrpcDeps {
  readonly startScrape: StartScrape;
  readonly batchService: BatchService;
  readonly cancelJob: CancelJob;
  readonly jobs: JobStore;
  readonly batchViews: BatchViews;
  readonly stored: {
    readonly matchPages: MatchPages;
    readonly searchSelectors: SearchSelectors;
    readonly previewPage: PreviewPage;
    readonly rereadPage: RereadPage;
  };
  readonly recapture: Recapture;
  /** Returns the unfinished work of a workspace. */
  readonly activityOf: (caller: Caller) => Promise<Activity>;
}

/** Maps ScrapeService to the use cases. */
export function scrapeGrpc(deps: ScrapeGrpcDeps): BoundMethod[] {
  const withCounts = async (job: ScrapeJob): Promise<WireJob> =>
    job.kind === 'batch' ? toWire(job, await tallyOf(job)) : toWire(job);
  const tallyOf = async ({ id, duplicates }: ScrapeJob): Promise<Tally> => {
    const { counts, missingValues, queued } = await deps.batchViews.tally(id);
    return { counts: batchCounts(counts, duplicates), missingValues, queued };
  };
  const requireJob = async (caller: Caller, id: string): Promise<ScrapeJob> => {
    const job = await deps.jobs.find(caller.workspaceId, id);
    if (job === undefined || !reachesWorkOf(caller, job.actorId)) throw new AppError('not_found', 'job not found');
    return job;
  };
  return [
    handle(
      Rpc.scrape,
      async (request, ctx) => {
        const { job, page, replayed } = await deps.startScrape(callerOf(ctx), {
          url: request.url,
          options: toOptions(request.options),
          waitMs: request.waitMs,
          requestId: ctx.requestId,
          idempotency: toIdempotency(request),
          trace: currentTrace(),
          ...kindOf(request),
        });
        return { job: toWire(job), page, replayed };
      },
      serializeScrape,
    ),
    handle(Rpc.startBatch, async ({ options, ...order }, ctx) => {
      const caller = callerOf(ctx);
      const { jobId, secret, replayed } = await deps.batchService.start(caller, {
        ...order,
        options: toOptions(options),
        requestId: ctx.requestId,
        trace: currentTrace(),
      });
      return { job: await withCounts(await requireJob(caller, jobId)), webhookSecret: secret, replayed };
    }),
    handle(Rpc.getJob, async ({ id }, ctx) => ({
      job: await withCounts(await requireJob(callerOf(ctx), id)),
    })),
    handle(Rpc.listJobs, async ({ cursor, limit }, ctx) => {
      const pageSize = Math.min(Math.max(limit, 1), MAX_LIMIT);
      const caller = callerOf(ctx);
      const actorId = actorLimitOf(caller);
      const jobs = await deps.jobs.list(caller.workspaceId, { actorId, before: cursor, limit: pageSize + 1 });
      const page = jobs.slice(0, pageSize);
      return {
        jobs: page.map((job) => toWire(job)),
        nextCursor: jobs.length > pageSize ? (page.at(-1)?.id ?? '') : '',
      };
    }),
    handle(Rpc.cancelJob, async ({ id }, ctx) => {
      const { workspaceId } = await requireJob(callerOf(ctx), id);
      return { job: await withCounts(await deps.cancelJob(workspaceId, id)) };
    }),
    handle(Rpc.activity, async (_, ctx) => ({ activity: await deps.activityOf(callerOf(ctx)) })),
    listEndedMethod(deps, requireJob),
    ...storedPageMethods(deps),
  ];
}

const listEndedMethod = (
  deps: Pick<ScrapeGrpcDeps, 'batchViews'>,
  requireJob: (caller: Caller, id: string) => Promise<ScrapeJob>,
): BoundMethod =>
  handle(Rpc.listEnded, async ({ id, after, limit, inInputOrder }, ctx) => {
    const caller = callerOf(ctx);
    const { workspaceId } = caller;
    // The pages are filtered by the workspace; a caller with less reach needs the job.
    if (actorLimitOf(caller) !== undefined) await requireJob(caller, id);
    const range = { after, limit: Math.min(Math.max(limit, 1), MAX_LIMIT + 1) };
    const pages = inInputOrder
      ? await deps.batchViews.endedInInputOrder(workspaceId, id, range)
      : await deps.batchViews.ended(workspaceId, id, range);
    return { pages: pages.map((page) => ({ ...page, inputs: [...page.inputs] })) };
  });

/** Returns the workspace of a call; empty for a call without a caller. */
const workspaceOf = ({ caller }: HandlerContext): string => caller?.workspaceId ?? '';

/** Returns the time budget of one call that matches pages. */
function budgetOf(ctx: HandlerContext): WaitBudget {
  const { signal } = ctx;
  const endsAtMs = performance.now() + MATCH_MS;
  return {
    workspaceId: workspaceOf(ctx),
    remainingMs: () => endsAtMs - performance.now(),
    signal,
  };
}

/** Returns the methods over stored pages, and captures that are not stored. */
function storedPageMethods(deps: Pick<ScrapeGrpcDeps, 'stored' | 'recapture'>): BoundMethod[] {
  return [
    handle(Rpc.matchSelectors, async (request, ctx) => deps.stored.matchPages(request, budgetOf(ctx))),
    handle(Rpc.searchSelectors, async (request, ctx) => ({
      found: await deps.stored.searchSelectors(request, ctx, () => budgetOf(ctx)),
    })),
    handle(Rpc.previewContent, async ({ page, options }, ctx) =>
      deps.stored.previewPage(page, toOptions(options), { workspaceId: workspaceOf(ctx) }),
    ),
    handle(Rpc.rereadStored, async ({ page, options }, ctx) =>
      deps.stored.rereadPage(page, toOptions(options), { workspaceId: workspaceOf(ctx), signal: ctx.signal }),
    ),
    handle(Rpc.recapture, async ({ url, options, concurrency, delayMs, engine }, { signal, ...ctx }) => {
      const request = {
        url,
        options: toOptions(options),
        workspaceId: callerOf(ctx).workspaceId,
        pace: { concurrency, delayMs },
        engine,
      };
      return deps.recapture(request, signal);
    }),
  ];
}

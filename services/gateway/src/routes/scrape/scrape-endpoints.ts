import { routes } from '@tidemark/api';
import { isId } from '@tidemark/contracts';
import { ArchiveServiceService as ArchiveRpc } from '@tidemark/contracts/archive/v1/archive';
import type { Page } from '@tidemark/contracts/page/v1/page';
import { type Job, ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../mount.ts';
import type { Answer } from '../../request-context.ts';
import { checkedCursor } from '../checked-cursor.ts';
import { toCaptureOptions } from './capture-options.ts';
import { toEnvelope, toSummary } from './job-envelope.ts';
import { toPageRow } from './page-row.ts';

/** How long a read waits for a page that is on its way to the archive. */
const PAGE_WAIT_MS = 2_000;
/** What the wait for a page may add to the time the fetch itself was given. */
const GRACE_MS = 5_000;

function jobOf(job: Job | undefined): Job {
  if (job === undefined) throw new AppError('internal', 'scrape answered without a job');
  return job;
}

function checkedId(id: string): string {
  if (!isId('job', id)) throw new AppError('not_found', 'there is no such job');
  return id;
}

export function scrapeEndpoints({ scrape, archive }: { scrape: Peer; archive: Peer }): Endpoint[] {
  /** The pages of a job that has ended, read from the archive. */
  async function pagesOf(job: Job, call: CallContext): Promise<Page[]> {
    if (job.done === 0) return [];
    const { pages } = await archive.call(
      ArchiveRpc.listPages,
      {
        jobId: job.id,
        cursor: '',
        limit: job.total,
        bodies: [...job.formats, 'head'],
        expect: job.done,
        waitMs: PAGE_WAIT_MS,
      },
      call,
      { deadlineMs: PAGE_WAIT_MS + GRACE_MS },
    );
    return pages;
  }

  function answer(
    status: number,
    job: Job,
    pages: readonly Page[],
    requestId: string,
    headers: Record<string, string> = {},
  ): Answer {
    const rows = pages.map((page) => toPageRow(page, job.formats));
    return {
      status,
      body: toEnvelope(job, rows, requestId),
      headers: { ...headers, 'x-service-credits': String(job.creditsUsed) },
    };
  }

  return [
    endpoint(routes.startScrape, async ({ body, baseUrl, call, requestId, idempotencyKey, bodyHash }) => {
      const waitMs = body.timeout * 1000;
      const started = await scrape.call(
        Rpc.scrape,
        { url: body.url, options: toCaptureOptions(body), waitMs, idempotencyKey, requestHash: bodyHash },
        call,
        { deadlineMs: waitMs + GRACE_MS },
      );
      const job = jobOf(started.job);
      const pages = started.page === undefined ? await pagesOf(job, call) : [started.page];
      const running = job.status === 'running' || job.status === 'queued';
      return answer(running ? 202 : 200, job, pages, started.replayed ? job.requestId : requestId, {
        ...(started.replayed ? { 'idempotent-replayed': 'true' } : {}),
        ...(running ? { location: `${baseUrl}/scrape/${job.id}` } : {}),
      });
    }),

    endpoint(routes.listScrapes, async ({ query, baseUrl, call, requestId }) => {
      const cursor = checkedCursor('job', query.cursor);
      const { jobs, nextCursor } = await scrape.call(Rpc.listJobs, { cursor, limit: query.limit }, call);
      const next =
        nextCursor === '' ? null : `${baseUrl}/scrape?limit=${query.limit}&cursor=${encodeURIComponent(nextCursor)}`;
      return {
        status: 200,
        body: { data: jobs.map(toSummary), next, cursor: nextCursor || null, creditsUsed: 0, request_id: requestId },
      };
    }),

    endpoint(routes.getScrape, async ({ params, call, requestId }) => {
      const job = jobOf((await scrape.call(Rpc.getJob, { id: checkedId(params.id) }, call)).job);
      return answer(200, job, await pagesOf(job, call), requestId);
    }),

    endpoint(routes.cancelScrape, async ({ params, call, requestId }) => {
      const job = jobOf((await scrape.call(Rpc.cancelJob, { id: checkedId(params.id) }, call)).job);
      return answer(200, job, await pagesOf(job, call), requestId);
    }),
  ];
}

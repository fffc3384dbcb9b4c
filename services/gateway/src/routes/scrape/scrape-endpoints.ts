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

function checkedId(id: string): string {
  if (!isId('job', id)) throw new AppError('not_found', 'there is no such job');
  return id;
}

/** Answers about one job: its envelope, with the pages read from the archive where they are not at hand. */
class JobAnswers {
  readonly #archive: Peer;

  constructor(archive: Peer) {
    this.#archive = archive;
  }

  /** The pages of a job that has ended. */
  async pagesOf(job: Job, call: CallContext): Promise<Page[]> {
    if (job.done === 0) return [];
    const bodies = [...job.formats, 'head'];
    const request = { jobId: job.id, cursor: '', limit: job.total, bodies, expect: job.done, waitMs: PAGE_WAIT_MS };
    return (await this.#archive.call(ArchiveRpc.listPages, request, call, { deadlineMs: PAGE_WAIT_MS + GRACE_MS }))
      .pages;
  }

  async answer(
    { job: told, page }: { job?: Job | undefined; page?: Page | undefined },
    call: CallContext,
  ): Promise<{ job: Job; pages: Page[] }> {
    if (told === undefined) throw new AppError('internal', 'scrape answered without a job');
    return { job: told, pages: page === undefined ? await this.pagesOf(told, call) : [page] };
  }
}

function render(
  status: number,
  { job, pages }: { job: Job; pages: readonly Page[] },
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

function startEndpoint(scrape: Peer, answers: JobAnswers): Endpoint {
  return endpoint(routes.startScrape, async ({ body, baseUrl, call, requestId, idempotencyKey, bodyHash }) => {
    const waitMs = body.timeout * 1000;
    const request = { url: body.url, options: toCaptureOptions(body), waitMs, idempotencyKey, requestHash: bodyHash };
    const started = await scrape.call(Rpc.scrape, request, call, { deadlineMs: waitMs + GRACE_MS });
    const answer = await answers.answer(started, call);
    const running = answer.job.status === 'running' || answer.job.status === 'queued';
    return render(running ? 202 : 200, answer, started.replayed ? answer.job.requestId : requestId, {
      ...(started.replayed ? { 'idempotent-replayed': 'true' } : {}),
      ...(running ? { location: `${baseUrl}/scrape/${answer.job.id}` } : {}),
    });
  });
}

export function scrapeEndpoints({ scrape, archive }: { scrape: Peer; archive: Peer }): Endpoint[] {
  const answers = new JobAnswers(archive);
  return [
    startEndpoint(scrape, answers),

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
      const found = await scrape.call(Rpc.getJob, { id: checkedId(params.id) }, call);
      return render(200, await answers.answer(found, call), requestId);
    }),

    endpoint(routes.cancelScrape, async ({ params, call, requestId }) => {
      const found = await scrape.call(Rpc.cancelJob, { id: checkedId(params.id) }, call);
      return render(200, await answers.answer(found, call), requestId);
    }),
  ];
}

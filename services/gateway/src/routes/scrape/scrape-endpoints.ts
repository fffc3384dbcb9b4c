import { routes, toCaptureOptions } from '@tidemark/api';
import type { Page } from '@tidemark/contracts/page/v1/page';
import { type Job, ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../mount.ts';
import type { Answer } from '../../request-context.ts';
import { checkedCursor } from '../checked-cursor.ts';
import { checkedNumber } from '../checked-number.ts';
import { refuseHiddenLogin } from '../logins/checked-login.ts';
import { startBatch } from './batch-start.ts';
import { type Around, toEnvelope, toSummary } from './job-envelope.ts';
import { type Watched, watch } from './job-events.ts';
import { GRACE_MS, JobReader } from './job-reader.ts';
import { type PageLinks, pageLinks, toPageRow } from './page-row.ts';
import { refuseOddRequest } from './scrape-wish.ts';

const KINDS = ['scrape', 'batch'];
/** Bodies are heavy: no more pages than this come with theirs at once. */
const MAX_WITH_BODIES = 100;

export interface ScrapePeers {
  readonly scrape: Peer;
  readonly archive: Peer;
}

interface Shown {
  readonly job: Job;
  readonly pages: readonly Page[];
  /** Bodies to show; those the job was asked for by default. */
  readonly formats?: readonly string[] | undefined;
}

function render(status: number, { job, pages, formats }: Shown, baseUrl: string, around: Around): Answer {
  const rows = pages.map((page) => toPageRow(page, formats ?? job.formats, pageLinks(baseUrl, job.id)));
  return {
    status,
    body: toEnvelope(job, rows, around),
    headers: { 'x-service-credits': String(job.creditsUsed) },
  };
}

function startEndpoint({ scrape }: ScrapePeers, reader: JobReader): Endpoint {
  return endpoint(routes.startScrape, async (asked) => {
    const { body, baseUrl, call, auth, requestId, idempotencyKey, bodyHash } = asked;
    const { url, urls } = refuseOddRequest(body);
    refuseHiddenLogin(body.config?.login_id ?? '', auth.caller);
    if (urls !== undefined) return startBatch(scrape, { ...asked, urls });
    const waitMs = body.timeout * 1000;
    const options = toCaptureOptions(body);
    const request = { url, options, waitMs, idempotencyKey, requestHash: bodyHash, kind: 'scrape' };
    const { job, page, replayed } = await scrape.call(Rpc.scrape, request, call, { deadlineMs: waitMs + GRACE_MS });
    if (job === undefined) throw new AppError('internal', 'scrape answered without a job');
    const bodies = [...job.formats, 'head', 'fields'];
    const pages = page === undefined ? (await reader.pages(job, { after: 0, limit: 1 }, bodies, call)).pages : [page];
    const running = job.status === 'running' || job.status === 'queued';
    const around = { requestId: replayed ? job.requestId : requestId };
    const answer = render(running ? 202 : 200, { job, pages }, baseUrl, around);
    return {
      ...answer,
      headers: {
        ...answer.headers,
        ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
        ...(running ? { location: `${baseUrl}/scrape/${job.id}` } : {}),
      },
    };
  });
}

function readEndpoint(reader: JobReader): Endpoint {
  return endpoint(routes.getScrape, async ({ params, query, baseUrl, call, requestId }) => {
    const job = await reader.find(params.id, KINDS, call);
    const formats = query.formats ?? job.formats;
    const limit = Math.min(query.limit, MAX_WITH_BODIES);
    const slice = { after: checkedNumber(query.cursor), limit };
    const { pages, last, isMore } = await reader.pages(job, slice, [...formats, 'head', 'fields'], call);
    const chosen = query.formats === undefined ? '' : `&formats=${query.formats.join(',')}`;
    const url = `${baseUrl}/scrape/${job.id}?limit=${query.limit}&cursor=${last}${chosen}`;
    const next = isMore ? { url, cursor: String(last) } : undefined;
    return render(200, { job, pages, formats }, baseUrl, { requestId, next });
  });
}

/** A job as its events tell it. */
function watched(reader: JobReader, job: Job, links: PageLinks, call: CallContext): Watched {
  return {
    async look(after, limit) {
      const now = await reader.find(job.id, [job.kind], call);
      const { pages, last, isMore } = await reader.pages(now, { after, limit }, ['head'], call);
      const { status, progress, creditsUsed, counts, error } = toSummary(now);
      // The only page of a single scrape comes again with every look.
      const fresh = now.kind !== 'batch' && after > 0 ? [] : pages;
      const rows = fresh.map((page, at) => ({
        number: last - fresh.length + at + 1,
        row: toPageRow(page, [], links),
      }));
      const isOver = !isMore && status !== 'queued' && status !== 'running';
      return { rows, last, state: { status, progress, creditsUsed, counts }, end: isOver ? { error } : undefined };
    },
  };
}

export function scrapeEndpoints(peers: ScrapePeers): Endpoint[] {
  const { scrape, archive } = peers;
  const reader = new JobReader(scrape, archive);
  return [
    startEndpoint(peers, reader),
    readEndpoint(reader),

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

    endpoint(routes.streamScrape, async ({ params, baseUrl, call, lastEventId }) => {
      const job = await reader.find(params.id, KINDS, call);
      const look = watched(reader, job, pageLinks(baseUrl, job.id), call);
      return { status: 200, events: (gone) => watch(look, lastEventId, gone) };
    }),

    endpoint(routes.getScreenshot, async ({ params, query, call }) => {
      const job = await reader.find(params.id, KINDS, call);
      return { status: 200, bytes: await reader.attachment(job, query.page, 'screenshot', call) };
    }),

    endpoint(routes.cancelScrape, async ({ params, baseUrl, call, requestId }) => {
      const { id } = await reader.find(params.id, KINDS, call);
      const { job } = await scrape.call(Rpc.cancelJob, { id }, call);
      if (job === undefined) throw new AppError('internal', 'scrape answered without a job');
      const bodies = [...job.formats, 'head', 'fields'];
      const { pages } =
        job.kind === 'batch' ? { pages: [] } : await reader.pages(job, { after: 0, limit: 1 }, bodies, call);
      return render(200, { job, pages }, baseUrl, { requestId });
    }),
  ];
}

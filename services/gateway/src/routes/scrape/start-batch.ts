import { CONFIG_KEYS, toCaptureOptions } from '@tidemark/api';
import { ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { EndpointRequest, EndpointResponse } from '../../http/endpoint.ts';
import { ListCursors } from '../../requests/list-cursors.ts';
import { toEnvelope } from '../../responses/job-envelope.ts';
import type { ScrapeBody } from './check-request.ts';

/** Starts a batch and returns 202 with its id. */
export async function startBatch(
  scrape: Peer,
  {
    body,
    urls,
    baseUrl,
    auth,
    call,
    requestId,
    idempotencyKey,
    bodyHash,
  }: EndpointRequest<unknown, unknown, ScrapeBody> & { readonly urls: readonly string[] },
): Promise<EndpointResponse> {
  const { job, webhookSecret, replayed } = await scrape.call(
    Rpc.startBatch,
    {
      urls: [...urls],
      options: toCaptureOptions(body),
      concurrency: body.config?.concurrency ?? CONFIG_KEYS.concurrency.fallback,
      delayMs: body.config?.delay_ms ?? CONFIG_KEYS.delay_ms.fallback,
      webhookUrl: body.webhook_url ?? '',
      idempotencyKey,
      requestHash: bodyHash,
    },
    call,
  );
  if (job === undefined) throw new AppError('internal', 'scrape returned no job');
  const url = `${baseUrl}/scrape/${job.id}`;
  const pages = new ListCursors({ workspaceId: auth.caller.workspaceId, path: `/scrape/${job.id}` });
  // The initial state, so that a replayed request gets the first response.
  const initial = { done: 0, creditsUsed: 0, counts: {}, queued: job.total, finishedAt: undefined };
  const first = { ...job, ...initial, status: 'queued' };
  const envelope = toEnvelope(first, [], {
    requestId: replayed ? job.requestId : requestId,
    nextPage: { next: url, cursor: pages.seal(0) },
  });
  return {
    status: 202,
    body: { ...envelope, ...(webhookSecret === '' ? {} : { webhookSecret }) },
    headers: { location: url, 'x-service-credits': '0', ...(replayed ? { 'idempotent-replayed': 'true' } : {}) },
  };
}

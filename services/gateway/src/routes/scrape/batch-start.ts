import { CONFIG_KEYS, toCaptureOptions } from '@tidemark/api';
import { ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { Answer, Asked } from '../../request-context.ts';
import { toEnvelope } from './job-envelope.ts';
import type { ScrapeBody } from './scrape-wish.ts';

/** Takes a batch on: always 202, with the id to read it by. */
export async function startBatch(
  scrape: Peer,
  {
    body,
    urls,
    baseUrl,
    call,
    requestId,
    idempotencyKey,
    bodyHash,
  }: Asked<unknown, unknown, ScrapeBody> & { readonly urls: readonly string[] },
): Promise<Answer> {
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
  if (job === undefined) throw new AppError('internal', 'scrape answered without a job');
  const url = `${baseUrl}/scrape/${job.id}`;
  // As it was taken on, however far it is by now: a replay is answered the same.
  const nothing = { done: 0, creditsUsed: 0, counts: {}, queued: job.total, finishedAt: undefined };
  const first = { ...job, ...nothing, status: 'queued' };
  const envelope = toEnvelope(first, [], {
    requestId: replayed ? job.requestId : requestId,
    next: { url, cursor: '0' },
  });
  return {
    status: 202,
    body: { ...envelope, ...(webhookSecret === '' ? {} : { webhookSecret }) },
    headers: { location: url, 'x-service-credits': '0', ...(replayed ? { 'idempotent-replayed': 'true' } : {}) },
  };
}

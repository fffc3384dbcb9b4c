import type { JobEnvelope, routes } from '@tidemark/api';
import { type Job, ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { type CaptureOptions, CONFIG_KEYS, WebUrl } from '@tidemark/project-config';
import type { Peer } from '@tidemark/service';
import type { EndpointRequest, EndpointResponse } from '../../http/endpoint.ts';
import type { Repetition } from '../../http/request-details.ts';
import { requireCaller } from '../../middleware/authenticated.ts';
import { ListCursors } from '../../requests/list-cursors.ts';
import { toInitialSync } from '../../responses/destination-sync.ts';
import { toEnvelope } from '../../responses/job-envelope.ts';
import { reject, type ScrapeBody } from './check-request.ts';

interface SplitUrls {
  readonly valid: readonly { readonly input: number; readonly url: string }[];
  readonly invalid: NonNullable<JobEnvelope['invalid']>;
}

/** Splits the URLs of a batch, each with its position. */
function splitUrls(urls: readonly string[]): SplitUrls {
  const parsed = urls.map((url, input) => ({ url, input, result: WebUrl.safeParse(url) }));
  return {
    valid: parsed.flatMap(({ input, result }) => (result.success ? [{ input, url: result.data }] : [])),
    invalid: parsed.flatMap(({ url, input, result }) =>
      result.success ? [] : [{ input, url, error: result.error.issues[0]?.message ?? 'the URL is not valid' }],
    ),
  };
}

/** Returns a batch in its initial state, so that a replayed request gets the first response. */
function asStarted(job: Job): Job {
  const { duplicates } = job.counts;
  const counts: Record<string, number> = duplicates === undefined ? {} : { duplicates };
  return { ...job, done: 0, creditsUsed: 0, counts, queued: job.total, finishedAt: undefined, status: 'queued' };
}

/** Starts a batch and returns 202 with its id. */
export async function startBatch(
  scrape: Peer,
  { body, baseUrl, auth, call, requestId }: EndpointRequest<unknown, unknown, ScrapeBody>,
  {
    urls,
    destinationId,
    options,
    repetition,
  }: {
    readonly urls: readonly string[];
    readonly destinationId: string | undefined;
    readonly options: CaptureOptions;
    readonly repetition: Repetition;
  },
): Promise<EndpointResponse<typeof routes.startScrape>> {
  const { valid, invalid } = splitUrls(urls);
  if (valid.length === 0) reject('urls', 'urls: none of the URLs is valid; expected http or https URLs', 422);
  const { job, webhookSecret, replayed } = await scrape.call(
    Rpc.startBatch,
    {
      urls: valid.map(({ url }) => url),
      inputs: valid.map(({ input }) => input),
      options,
      concurrency: body.config?.concurrency ?? CONFIG_KEYS.concurrency.fallback,
      delayMs: body.config?.delay_ms ?? CONFIG_KEYS.delay_ms.fallback,
      webhookUrl: body.webhook?.url ?? body.webhook_url,
      webhookEvents: (body.webhook?.events ?? []).filter((event) => event !== 'batch.finished'),
      webhookMetadataJson: body.webhook?.metadata && JSON.stringify(body.webhook.metadata),
      idempotencyKey: repetition.idempotencyKey,
      requestHash: repetition.bodyHash,
      destinationId,
    },
    call,
  );
  if (job === undefined) throw new AppError('internal', 'scrape returned no job');
  const url = `${baseUrl}/scrape/${job.id}`;
  const pages = new ListCursors({ workspaceId: requireCaller(auth).workspaceId, path: `/scrape/${job.id}` });
  const envelope = toEnvelope(asStarted(job), [], {
    requestId: replayed ? job.requestId : requestId,
    nextPage: { next: url, cursor: pages.seal(0) },
  });
  return {
    status: 202,
    body: {
      ...envelope,
      ...toInitialSync(destinationId),
      ...(body.ignoreInvalid ? { invalid } : {}),
      ...(webhookSecret === undefined ? {} : { webhookSecret }),
    },
    headers: { location: url, 'x-service-credits': '0', ...(replayed ? { 'idempotent-replayed': 'true' } : {}) },
  };
}

import { CONFIG_KEYS, describeKey, JsonObject, ScrapeConfig, WebUrl } from '@tidemark/project-config';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { JobEnvelope, JobSummary } from '../schemas/job.ts';
import { Formats } from '../schemas/page.ts';
import { Cursor, limit, listOf, ReceiverUrl } from '../schemas/parts.ts';
import { ScrapeOptions } from '../schemas/scrape-options.ts';

/** Events of a batch that its webhook may list; batch.finished is always sent. */
export const BATCH_EVENTS = ['batch.finished', 'scrape.completed', 'scrape.failed'] as const;

const BatchWebhook = z.strictObject({
  url: ReceiverUrl,
  events: z
    .array(z.enum(BATCH_EVENTS))
    .optional()
    .describe('Events to send; batch.finished is always sent, and alone by default'),
  metadata: JsonObject.optional().describe('Echoed on every message'),
});

/** A URL of a batch, checked by the rules of `WebUrl` unless invalid ones are set aside. */
const BatchUrl = z.string().meta({ format: 'uri', description: 'An http or https URL' });

/** Reports the invalid URLs of a batch, unless they are to be set aside. */
function checkUrls(ctx: z.core.ParsePayload<{ urls?: readonly string[] | undefined; ignoreInvalid: boolean }>): void {
  const { urls = [], ignoreInvalid } = ctx.value;
  if (ignoreInvalid) return;
  for (const [at, url] of urls.entries())
    for (const issue of WebUrl.safeParse(url).error?.issues ?? [])
      ctx.issues.push({
        code: 'custom',
        message: issue.message,
        path: ['urls', at],
        input: url,
        params: { type: 'url' },
      });
}

export const ScrapeBody = z
  .strictObject({
    url: WebUrl.optional().describe(
      'One page, returned in the same response. Without a scheme: https, or http if the host responds over http alone',
    ),
    urls: z.array(BatchUrl).min(1).max(500).optional().describe('A batch instead of one page: always 202'),
    ignoreInvalid: z
      .boolean()
      .default(false)
      .describe('Set the invalid URLs of a batch aside, listed in the response, instead of refusing the batch'),
    formats: Formats.optional(),
    timeout: z
      .int()
      .min(1)
      .max(120)
      .default(60)
      .describe('Seconds to wait for the page; after that the response is 202 and the fetch continues'),
    config: ScrapeConfig.optional(),
    scrapeOptions: ScrapeOptions.optional(),
    maxAge: CONFIG_KEYS.max_age_seconds.schema.optional().describe(describeKey('max_age_seconds')),
    maxCredits: z.int().min(1).max(1_000).optional().describe('Maximum cost of one page'),
    destination: z
      .string()
      .max(100)
      .optional()
      .describe('Id of a destination of the workspace; the pages are written to it'),
    webhook_url: ReceiverUrl.optional().describe('Receives batch.finished when the last page of a batch is complete'),
    webhook: BatchWebhook.optional().describe('Of a batch, instead of `webhook_url`'),
  })
  .check(checkUrls)
  .meta({ id: 'ScrapeRequest' });

/** Orders of the pages of a batch. */
export const PAGE_ORDERS = ['completed', 'input'] as const;

const JobId = z.strictObject({ id: z.string().describe('The job, such as job_01j…') });

export const scrapeRoutes = {
  startScrape: route({
    id: 'startScrape',
    spends: true,
    usesLogin: true,
    needsBody: true,
    method: 'post',
    path: '/scrape',
    tag: 'Scrape',
    scope: 'write',
    summary: 'Fetch one page now, or start a batch',
    description:
      'One `url`: waits up to `timeout` seconds and returns 200 with the page, or 202 with the id of a job that continues. X-Service-Credits states the cost. ' +
      '`urls`, at most 500: returns 202 at once; the pages are fetched host by host within the politeness limits and are available from GET /scrape/{id}. A URL that is given twice is fetched once; `inputs` of a row lists the positions that it answers.',
    params: nothing,
    query: nothing,
    body: ScrapeBody,
    idempotent: true,
    responses: { 200: JobEnvelope, 202: JobEnvelope },
    example: { url: 'https://example.com/', formats: 'markdown,links' },
  }),
  listScrapes: route({
    id: 'listScrapes',
    method: 'get',
    path: '/scrape',
    tag: 'Scrape',
    scope: 'read',
    summary: 'Recent jobs, newest first',
    params: nothing,
    query: z.strictObject({ cursor: Cursor, limit: limit(25, 1_000) }),
    body: nothing,
    responses: { 200: listOf(JobSummary) },
  }),
  getScrape: route({
    id: 'getScrape',
    method: 'get',
    path: '/scrape/{id}',
    tag: 'Scrape',
    scope: 'read',
    summary: 'A job and its pages, in order of completion or of the input',
    description:
      '`next` is null when the job has ended and every page has been returned. In input order the list of a running batch ends before its first unfinished page.',
    params: JobId,
    query: z.strictObject({
      cursor: Cursor,
      limit: limit(25, 1_000),
      formats: Formats.optional(),
      order: z.enum(PAGE_ORDERS).default('completed').describe('Order of the pages of a batch'),
    }),
    body: nothing,
    responses: { 200: JobEnvelope },
  }),
  streamScrape: route({
    id: 'streamScrape',
    method: 'get',
    path: '/scrape/{id}/events',
    tag: 'Scrape',
    scope: 'read',
    summary: 'Progress of the job as server-sent events',
    description:
      'Events: `progress`, `page` (a row without bodies, with its number as event id) and finally `done`; or `closed` with `code` and `error` if the stream ends before the job, as it does within five seconds after its key was revoked or has expired. Last-Event-ID resumes after a broken connection. A key can have 50 open streams; another gets 429.',
    params: JobId,
    query: nothing,
    body: nothing,
    produces: 'text/event-stream',
    responses: { 200: undefined },
  }),
  getScreenshot: route({
    id: 'getScreenshot',
    method: 'get',
    path: '/scrape/{id}/screenshot',
    tag: 'Scrape',
    scope: 'read',
    summary: 'The screenshot of a page',
    params: JobId,
    query: z.strictObject({
      page: z.string().max(100).default('').describe('Id of the page; by default the first page of the job'),
    }),
    body: nothing,
    produces: 'image/jpeg',
    responses: { 200: undefined },
  }),
  cancelScrape: route({
    id: 'cancelScrape',
    exampleState: { status: 'cancelled', data: [], counts: {}, creditsUsed: 0, stop: 'cancelled' },
    method: 'delete',
    path: '/scrape/{id}',
    tag: 'Scrape',
    scope: 'write',
    summary: 'Cancel a job',
    description: 'A cancelled job never becomes done and costs nothing. A job that has ended is unchanged.',
    params: JobId,
    query: nothing,
    body: nothing,
    responses: { 200: JobEnvelope },
  }),
} as const;

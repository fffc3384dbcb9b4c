import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { CONFIG_KEYS, say } from '../schemas/config.ts';
import { JobEnvelope, JobSummary } from '../schemas/job.ts';
import { Formats } from '../schemas/page.ts';
import { Cursor, limit, listOf, WebUrl } from '../schemas/parts.ts';
import { ScrapeConfig, ScrapeOptions } from '../schemas/scrape-config.ts';

export const ScrapeBody = z
  .strictObject({
    url: WebUrl.optional().describe('One page, answered in the same response'),
    urls: z.array(WebUrl).min(1).max(500).optional().describe('A batch instead: always 202'),
    formats: Formats.optional(),
    timeout: z
      .int()
      .min(1)
      .max(120)
      .default(60)
      .describe('Seconds to wait for the page; past them the answer is 202 and the fetch carries on'),
    config: ScrapeConfig.optional(),
    scrapeOptions: ScrapeOptions.optional(),
    maxAge: CONFIG_KEYS.max_age_seconds.schema.optional().describe(say('max_age_seconds')),
    maxCredits: z.int().min(1).max(1_000).optional().describe('What one page may cost at most'),
    destination: z.string().max(100).optional().describe('A destination of the workspace the pages are written to'),
    webhook_url: WebUrl.optional().describe('Told when the last page of a batch is in'),
  })
  .meta({ id: 'ScrapeRequest' });

const JobId = z.strictObject({ id: z.string().describe('The job, such as job_01j…') });

export const scrapeRoutes = {
  startScrape: route({
    id: 'startScrape',
    method: 'post',
    path: '/scrape',
    tag: 'Scrape',
    scope: 'write',
    summary: 'Fetch one page now, or start a batch',
    description:
      'One `url`: waits up to `timeout` seconds and answers 200 with the page, or 202 with the id of a job that carries on. X-Service-Credits states the cost. ' +
      '`urls`, at most 500: 202 at once; the pages are fetched host by host, politely, and read with GET /scrape/{id}.',
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
    summary: 'One job and its pages, in the order in which they came in',
    description: '`next` is null once the job has ended and every page has been read.',
    params: JobId,
    query: z.strictObject({
      cursor: Cursor,
      limit: limit(25, 1_000),
      formats: Formats.optional(),
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
    summary: 'The job as it goes on, as server-sent events',
    description:
      'Events: `progress`, `page` (a row without bodies, its number as the event’s id) and, last, `done`. Last-Event-ID goes on where a connection broke.',
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
      page: z.string().max(100).default('').describe('The page’s id; the job’s first by default'),
    }),
    body: nothing,
    produces: 'image/jpeg',
    responses: { 200: undefined },
  }),
  cancelScrape: route({
    id: 'cancelScrape',
    method: 'delete',
    path: '/scrape/{id}',
    tag: 'Scrape',
    scope: 'write',
    summary: 'Cancel a job',
    description: 'A cancelled job never becomes done and costs nothing. A job that has ended stays as it is.',
    params: JobId,
    query: nothing,
    body: nothing,
    responses: { 200: JobEnvelope },
  }),
} as const;

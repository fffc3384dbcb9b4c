import { ScrapeConfig, WebUrl } from '@tidemark/project-config';
import { JOB_STATUSES, Time } from '@tidemark/results';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { PageRow } from '../schemas/page.ts';

const PlaygroundBody = z
  .strictObject({
    url: WebUrl,
    allow_browser: z.boolean().default(true).describe('Whether the ladder may climb to a browser'),
    use_proxy: z.boolean().default(false).describe('Whether the page may be fetched through an exit'),
    config: ScrapeConfig.optional(),
  })
  .meta({ id: 'PlaygroundRequest' });

const Attempt = z
  .object({
    rung: z.string().describe('http, http_exit, browser or browser_exit'),
    exit: z.string().nullable(),
    ms: z.number(),
    httpStatus: z.int().nullable(),
    landedUrl: z.string().nullable(),
    redirects: z.array(z.string()),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    bytes: z.int(),
    verdict: z.string(),
    errorCode: z.string(),
    reason: z.string(),
    signals: z.array(z.string()),
    warnings: z.array(z.string()),
    words: z.int(),
    actions: z.array(
      z.object({ kind: z.string(), selector: z.string(), ok: z.boolean(), ms: z.number(), note: z.string() }),
    ),
  })
  .meta({ id: 'Attempt' });

const Removed = z
  .object({ reason: z.string(), selector: z.string(), words: z.int(), text: z.string() })
  .meta({ id: 'Removed' });

const Playground = z
  .object({
    id: z.string(),
    kind: z.literal('playground'),
    status: z.enum(JOB_STATUSES),
    error: z.string().nullable(),
    creditsUsed: z.int(),
    createdAt: Time,
    finishedAt: Time.nullable(),
    result: PageRow.nullable().describe('The page in all formats; null while it is being fetched'),
    evidence: z
      .object({
        robots: z.object({ allowed: z.boolean(), reason: z.string() }).nullable(),
        begunOn: z
          .string()
          .nullable()
          .describe('The rung stored for the host that the capture started with, if not the cheapest'),
        halted: z.string().nullable().describe('The limit that stopped the climb'),
        attempts: z.array(Attempt).describe('Every rung tried, with its result'),
        removed: z.array(Removed).describe('What the content filters removed, with the reason'),
      })
      .nullable(),
    request_id: z.string(),
  })
  .meta({ id: 'Playground' });
export type Playground = z.output<typeof Playground>;

const PlaygroundId = z.strictObject({ id: z.string().describe('The job, such as job_01j…') });

export const playgroundRoutes = {
  startPlayground: route({
    id: 'startPlayground',
    spends: true,
    usesLogin: true,
    method: 'post',
    path: '/playground/extract',
    tag: 'Playground',
    scope: 'write',
    summary: 'Capture one page with evidence',
    description:
      'Returns an id at once. The result has its evidence: every rung tried, each response, and what was removed with the reason. A browser takes a screenshot of the page, unless `allow_browser` is false or `config.screenshot` is `none`.',
    params: nothing,
    query: nothing,
    body: PlaygroundBody,
    responses: { 202: Playground },
    example: { url: 'https://example.com/', allow_browser: true },
  }),
  getPlayground: route({
    id: 'getPlayground',
    method: 'get',
    path: '/playground/{id}',
    tag: 'Playground',
    scope: 'read',
    summary: 'The result and its evidence',
    params: PlaygroundId,
    query: nothing,
    body: nothing,
    responses: { 200: Playground },
  }),
  getPlaygroundScreenshot: route({
    id: 'getPlaygroundScreenshot',
    method: 'get',
    path: '/playground/{id}/screenshot',
    tag: 'Playground',
    scope: 'read',
    summary: 'The screenshot',
    params: PlaygroundId,
    query: nothing,
    body: nothing,
    produces: 'image/jpeg',
    responses: { 200: undefined },
  }),
} as const;

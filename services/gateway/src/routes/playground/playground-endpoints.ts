import { type Playground, routes, toCaptureOptions } from '@tidemark/api';
import { type Job, ScrapeServiceService as Rpc } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { FORMATS, rejectMasks } from '@tidemark/project-config';
import type { CallContext } from '@tidemark/service';
import type { z } from 'zod';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { JobReader } from '../../queries/job-reader.ts';
import { requireLogin } from '../../requests/checked-login.ts';
import { withSealedModel } from '../../requests/sealed-model.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { pageLinks, ROW_BODIES, toPageRow } from '../../responses/page-row.ts';
import type { ScrapePeers } from '../scrape/scrape-endpoints.ts';

type PlaygroundBody = z.output<(typeof routes.startPlayground)['body']>;

const KIND = 'playground';
const BODIES = [...FORMATS, ...ROW_BODIES];

/** Converts a job to a response without result. */
const withoutResult = (job: Job, requestId: string): Playground => ({
  id: job.id,
  kind: KIND,
  status: job.status,
  error: job.error ?? null,
  creditsUsed: job.creditsUsed,
  createdAt: timeOf(job.createdAt),
  finishedAt: job.finishedAt === undefined ? null : timeOf(job.finishedAt),
  result: null,
  evidence: null,
  request_id: requestId,
});

/** Endpoints of the playground: a capture that stores the evidence for its verdict. */
export function playgroundEndpoints({ scrape, archive, export: exports }: Omit<ScrapePeers, 'map'>): Endpoint[] {
  const reader = new JobReader(scrape, archive);

  async function evidenceOf(job: Job, call: CallContext): Promise<Playground['evidence']> {
    return JSON.parse((await reader.attachment(job, '', 'evidence', call)).toString());
  }

  return [
    endpoint(routes.startPlayground, async ({ body, baseUrl, call, requestId }) => {
      await requireLogin(scrape, body.config?.login_id, call);
      rejectMasks(body.config, ['config']);
      const requested = toCaptureOptions({ formats: [...FORMATS], config: configOf(body) });
      const options = await withSealedModel(exports, requested, call);
      const request = { url: body.url, waitMs: 0, idempotencyKey: '', requestHash: '', kind: 'playground' as const };
      const { job } = await scrape.call(Rpc.scrape, { ...request, options: { ...options, explain: true } }, call);
      if (job === undefined) throw new AppError('internal', 'scrape returned no job');
      const location = `${baseUrl}/playground/${job.id}`;
      return { status: 202, body: withoutResult(job, requestId), headers: { location } };
    }),

    endpoint(routes.getPlayground, async ({ params, baseUrl, call, requestId }) => {
      const job = await reader.find(params.id, [KIND], call);
      const body = withoutResult(job, requestId);
      if (job.done === 0) return { status: 200, body };
      const { pages } = await reader.pages(job, { after: 0, limit: 1 }, BODIES, call);
      const [page] = pages;
      // The archive has not received the row yet.
      if (page === undefined) return { status: 200, body: { ...body, status: 'running' as const, finishedAt: null } };
      const result = toPageRow(page, FORMATS, pageLinks(baseUrl, job.id, KIND));
      return { status: 200, body: { ...body, result, evidence: await evidenceOf(job, call) } };
    }),

    endpoint(routes.getPlaygroundScreenshot, async ({ params, call }) => {
      const job = await reader.find(params.id, [KIND], call);
      return { status: 200, bytes: await reader.attachment(job, '', 'screenshot', call) };
    }),
  ];
}

/** Merges the short options of the playground into the configuration. */
function configOf({ allow_browser: allowBrowser, use_proxy: useProxy, config = {} }: PlaygroundBody) {
  const mayRender = allowBrowser && config.max_tier !== 'http' && config.render_js !== 'never';
  return {
    ...(mayRender ? { screenshot: 'viewport' as const } : {}),
    ...config,
    ...(allowBrowser ? {} : { render_js: 'never' as const, max_tier: 'http' as const }),
    ...(useProxy ? { use_proxy: config.use_proxy ?? ('auto' as const) } : { use_proxy: 'never' as const }),
  };
}

import { asObject } from '@tidemark/api';
import { codeOf, messageOf } from '@tidemark/errors';
import { comparedPage, storedPage } from '@tidemark/web-pages';
import type { Express, Request, Response } from 'express';
import type { Endpoint, MountOptions } from '../http/mount.ts';
import { type Frame, policyOf, refuseOtherUses, sendFrame } from './stored-frame.ts';

const STORED: Frame = {
  title: 'Stored page',
  dataId: 'stored',
  files: storedPage,
  policy: policyOf(storedPage, 'data:'),
};
const COMPARED: Frame = {
  title: 'Compared page',
  dataId: 'compared',
  files: comparedPage,
  policy: policyOf(comparedPage, "'none'"),
};

/**
 * Mounts /stored/{project}?url=…&run_id=…: stored html for a sandboxed frame of the console. Access is that of GET /projects/{id}/pages/content.
 * /stored/{project}/reading shows the stored text of a page; /stored/{project}/comparison?url=…&run_id=…&from=… shows a page with its changes in
 * place, as GET /projects/{id}/changes/page lists them. The script reads `theme` of the URL.
 */
export function mountStored(app: Express, endpoints: readonly Endpoint[], options: MountOptions): void {
  const of = (id: string) => endpoints.find(({ route }) => route.id === id);
  const content = of('getPageContent');
  if (content === undefined) return;
  app.get('/stored/:id', async (request: Request, response: Response) => {
    response.locals['route'] = 'GET /stored/{id}';
    refuseOtherUses(request);
    const query = { ...request.query, format: 'rawHtml' };
    const { body } = await content.respondToParts(partsOf(request, query), { request, response, options });
    sendFrame(response, STORED, textIn(body, 'html'));
  });
  app.get('/stored/:id/reading', async (request: Request, response: Response) => {
    response.locals['route'] = 'GET /stored/{id}/reading';
    refuseOtherUses(request);
    const query = { url: request.query['url'], run_id: request.query['run_id'], format: 'markdown' };
    const { body } = await content.respondToParts(partsOf(request, query), { request, response, options });
    const markdown = textIn(body, 'markdown');
    const problem = markdown === null ? 'no text of this page is stored' : null;
    sendFrame(response, COMPARED, { ...NOTHING, markdown, problem });
  });
  const comparison = of('comparePage');
  if (comparison === undefined) return;
  app.get('/stored/:id/comparison', async (request: Request, response: Response) => {
    response.locals['route'] = 'GET /stored/{id}/comparison';
    refuseOtherUses(request);
    const exchange = { request, response, options };
    const { url, run_id, from } = request.query;
    const compare = comparison.respondToParts(partsOf(request, { url, run_id, from, unchanged: 'true' }), exchange);
    const compared = await unlessMissing(compare.then(({ body }) => asObject(body)));
    if ('problem' in compared) return sendFrame(response, COMPARED, { ...NOTHING, problem: compared.problem });
    const { before, after, blocks } = compared.found;
    const shown = asObject(after ?? before);
    const query = { url, run_id: shown['runId'], format: 'rawHtml,markdown' };
    const page = await unlessMissing(
      content.respondToParts(partsOf(request, query), exchange).then(({ body }) => body),
    );
    if ('problem' in page) return sendFrame(response, COMPARED, { ...NOTHING, problem: page.problem });
    const [html, markdown] = [textIn(page.found, 'html'), textIn(page.found, 'markdown')];
    sendFrame(response, COMPARED, {
      html,
      markdown,
      blocks,
      whole: after === null ? 'removed' : before === null ? 'added' : null,
      problem: html === null && markdown === null ? 'no body of this page is stored' : null,
    });
  });
}

const NOTHING = { html: null, markdown: null, blocks: [], whole: null };

const partsOf = ({ params }: Request, query: unknown) => ({ params, query, body: {}, idempotencyKey: '' });

const textIn = (body: unknown, name: string): string | null => {
  const text = asObject(body)[name];
  return typeof text === 'string' && text !== '' ? text : null;
};

/** Returns what was found, or why it is missing: the frame then states the reason. Every other error is that of the response. */
async function unlessMissing<Found>(
  found: Promise<Found>,
): Promise<{ readonly found: Found } | { readonly problem: string }> {
  try {
    return { found: await found };
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error;
    return { problem: messageOf(error) };
  }
}

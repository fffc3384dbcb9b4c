import {
  BrowserPoolServiceService as face,
  type RenderRequest,
  RenderResponse,
} from '@tidemark/contracts/browser/v1/browser';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, handle } from '@tidemark/service';
import type { Order } from './page/render-page.ts';
import type { Delivery, Pool } from './pool/pool.ts';

const TIMEOUT_USUAL_MS = 30_000;
const TIMEOUT_MAX_MS = 120_000;

/** The pool's two calls. */
export function browserPoolMethods(pool: Pool): BoundMethod[] {
  return [
    handle(face.render, async (request, { signal }) => {
      const order = orderOf(request);
      if (order === undefined) return refused(request.url);
      const timeoutMs = request.timeoutMs > 0 ? Math.min(request.timeoutMs, TIMEOUT_MAX_MS) : TIMEOUT_USUAL_MS;
      return toResponse(await pool.render(order, timeoutMs, signal));
    }),
    handle(face.status, async () => pool.status()),
  ];
}

/** Undefined for an address that no browser of ours opens: file:, chrome:, view-source:, data: and the like. */
function orderOf(request: RenderRequest): Order | undefined {
  if (request.workspaceId === '') throw new AppError('validation', 'workspace_id is needed: contexts belong to one');
  const url = URL.parse(request.url);
  if (url === null) throw new AppError('validation', 'url is not an absolute URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  // Credentials would be kept by the browser and sent on later.
  url.username = '';
  url.password = '';
  return {
    url,
    workspaceId: request.workspaceId,
    wantsScreenshot: request.screenshot,
    blocksResources: request.blockResources,
  };
}

function toResponse({ screenshot, headers, redirects, ...rest }: Delivery): RenderResponse {
  return {
    ...rest,
    headers: [...headers],
    redirects: [...redirects],
    screenshot: Buffer.from(screenshot),
    actions: [],
    warnings: [],
    exitBytes: 0,
  };
}

const refused = (url: string): RenderResponse =>
  RenderResponse.fromPartial({ landedUrl: url, failure: 'egress', refusedRequests: 1 });

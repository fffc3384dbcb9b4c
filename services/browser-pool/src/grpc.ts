import { BrowserPoolServiceService as face, RenderResponse } from '@tidemark/contracts/browser/v1/browser';
import { type BoundMethod, handle } from '@tidemark/service';
import { orderOf } from './order-of.ts';
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

function toResponse({ screenshot, headers, redirects, actions, warnings, ...rest }: Delivery): RenderResponse {
  return {
    ...rest,
    headers: [...headers],
    redirects: [...redirects],
    screenshot: Buffer.from(screenshot),
    actions: [...actions],
    warnings: [...warnings],
  };
}

const refused = (url: string): RenderResponse =>
  RenderResponse.fromPartial({ landedUrl: url, failure: 'egress', refusedRequests: 1 });

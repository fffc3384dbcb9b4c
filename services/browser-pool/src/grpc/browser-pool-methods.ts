import { RenderResponse, BrowserPoolServiceService as Rpc } from '@tidemark/contracts/browser/v1/browser';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { OpenExits } from '../exits/open-exits.ts';
import type { Failure } from '../page/failures.ts';
import type { RenderPool, TimedPage } from '../pool/render-pool.ts';
import { parseRenderRequest } from './parse-render-request.ts';
import { withExit } from './with-exit.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 120_000;
const PRINT_TIMEOUT_MS = 15_000;
const MAX_PRINT_BYTES = 1024 * 1024;

/** Methods of BrowserPoolService. */
export function browserPoolMethods(pool: RenderPool, exits: OpenExits): BoundMethod[] {
  return [
    handle(Rpc.render, async (request, { signal }) => {
      const task = parseRenderRequest(request);
      if (task === undefined) return failedResponse(request.url, 'egress');
      const routedTask = await withExit(task, request.exitLeaseId, exits);
      if (routedTask === undefined) return failedResponse(request.url, 'exit');
      const timeoutMs = request.timeoutMs > 0 ? Math.min(request.timeoutMs, MAX_TIMEOUT_MS) : DEFAULT_TIMEOUT_MS;
      return toResponse(await pool.render(routedTask, timeoutMs, signal));
    }),
    handle(Rpc.print, async ({ html }, ctx) => {
      if (html === '' || Buffer.byteLength(html) > MAX_PRINT_BYTES)
        throw new AppError('validation', `html: expected 1 to ${MAX_PRINT_BYTES} bytes`);
      const { workspaceId } = callerOf(ctx);
      return { pdf: await pool.print({ html, workspaceId }, PRINT_TIMEOUT_MS, ctx.signal) };
    }),
    handle(Rpc.status, async () => pool.status()),
  ];
}

function toResponse({ screenshot, headers, redirects, actions, warnings, ...rest }: TimedPage): RenderResponse {
  return {
    ...rest,
    headers: [...headers],
    redirects: [...redirects],
    screenshot: screenshot.length === 0 ? undefined : Buffer.from(screenshot),
    actions: [...actions],
    warnings: [...warnings],
  };
}

const failedResponse = (url: string, failure: Failure): RenderResponse =>
  RenderResponse.fromPartial({ landedUrl: url, failure, refusedRequests: failure === 'egress' ? 1 : 0 });

import { RenderResponse, BrowserPoolServiceService as Rpc } from '@tidemark/contracts/browser/v1/browser';
import { type BoundMethod, handle } from '@tidemark/service';
import type { OpenExits } from './exits/open-exits.ts';
import { orderOf } from './order-of.ts';
import type { Failure } from './page/failures.ts';
import type { Order } from './page/order.ts';
import type { Delivery, Pool } from './pool/pool.ts';

const TIMEOUT_USUAL_MS = 30_000;
const TIMEOUT_MAX_MS = 120_000;

/** Methods of BrowserPoolService. */
export function browserPoolMethods(pool: Pool, exits: OpenExits): BoundMethod[] {
  return [
    handle(Rpc.render, async (request, { signal }) => {
      const order = orderOf(request);
      if (order === undefined) return failed(request.url, 'egress');
      const routed = await withExit(order, request.exitLeaseId, exits);
      if (routed === undefined) return failed(request.url, 'exit');
      const timeoutMs = request.timeoutMs > 0 ? Math.min(request.timeoutMs, TIMEOUT_MAX_MS) : TIMEOUT_USUAL_MS;
      return toResponse(await pool.render(routed, timeoutMs, signal));
    }),
    handle(Rpc.status, async () => pool.status()),
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

/** Adds the exit of the lease; undefined where the workspace holds no such lease. */
async function withExit(order: Order, leaseId: string, { exits, leases }: OpenExits): Promise<Order | undefined> {
  if (leaseId === '') return order;
  const lease = await leases.find(leaseId, order.workspaceId);
  const exit = lease === undefined ? undefined : exits.named(lease.exit);
  return exit === undefined ? undefined : { ...order, exit };
}

const failed = (url: string, failure: Failure): RenderResponse =>
  RenderResponse.fromPartial({ landedUrl: url, failure, refusedRequests: failure === 'egress' ? 1 : 0 });

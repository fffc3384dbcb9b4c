import { actorLimitOf, type Caller, textOrEmpty } from '@tidemark/contracts';
import {
  RequestLogServiceService as Rpc,
  type RequestFilter as WireFilter,
} from '@tidemark/contracts/identity/v1/requests';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { RequestFilter, RequestLog } from '../store/request-log.ts';

/** Binds the methods of the log of requests. */
export function requestMethods(log: RequestLog): BoundMethod[] {
  return [
    handle(Rpc.storeRequests, async ({ requests }) => {
      await log.store(
        requests.map(({ at, credits, route, code, message, ...request }) => ({
          ...request,
          at: at ?? new Date(),
          credits: credits ?? null,
          route: textOrEmpty(route),
          code: textOrEmpty(code),
          message: textOrEmpty(message),
        })),
      );
      return {};
    }),
    handle(Rpc.listRequests, async ({ filter, cursor, limit }, ctx) => {
      const caller = callerOf(ctx);
      const visible = visibleTo(caller, filter);
      if (visible === undefined) return { requests: [] };
      const found = await log.list(caller.workspaceId, visible, { before: cursor, limit: limit + 1 });
      const page = found.slice(0, limit);
      const { workspaceId } = caller;
      return {
        requests: page.map(({ credits, ...request }) => ({ ...request, workspaceId, credits: credits ?? undefined })),
        nextCursor: found.length > limit ? page.at(-1)?.id : undefined,
      };
    }),
    handle(Rpc.groupFailures, async ({ filter }, ctx) => {
      const caller = callerOf(ctx);
      const visible = visibleTo(caller, filter);
      return { groups: visible === undefined ? [] : await log.groupFailures(caller.workspaceId, visible) };
    }),
  ];
}

/** Returns the part of a filter that a caller may read; undefined: nothing. A key that is restricted to projects reads its own requests. */
function visibleTo(caller: Caller, filter: WireFilter | undefined): RequestFilter | undefined {
  const own = actorLimitOf(caller);
  if (own !== undefined && filter?.keyId !== undefined && filter.keyId !== own) return undefined;
  return { ...filter, keyId: own ?? filter?.keyId };
}

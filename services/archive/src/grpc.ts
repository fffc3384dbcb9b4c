import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { makeListPages } from './list-pages.ts';
import { isBodyName } from './read-bodies.ts';

const MAX_LIMIT = 1_000;
const MAX_WAIT_MS = 10_000;

/** The face of the archive: proto in, use case, proto out. */
export function archiveGrpc(deps: { listPages: ReturnType<typeof makeListPages> }): BoundMethod[] {
  return [
    handle(Rpc.listPages, async ({ jobId, cursor, limit, bodies, expect, waitMs }, ctx) => {
      const unknown = bodies.find((name) => !isBodyName(name));
      if (unknown !== undefined) throw new AppError('validation', `there is no body "${unknown}"`);
      return deps.listPages({
        workspaceId: callerOf(ctx).workspaceId,
        jobId,
        cursor,
        limit: Math.min(Math.max(limit, 1), MAX_LIMIT),
        bodies: bodies.filter(isBodyName),
        expect,
        waitMs: Math.min(waitMs, MAX_WAIT_MS),
      });
    }),
  ];
}

import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { ListPages } from '../pages/list-pages.ts';
import { isAttachment, type ReadAttachment } from '../pages/read-attachment.ts';
import { isBodyName } from '../pages/read-bodies.ts';
import type { PageStore } from '../store/page-store.ts';

const MAX_LIMIT = 1_000;
const MAX_WAIT_MS = 10_000;

/** Binds the methods that read the pages of jobs: checks a request, calls the use case, returns its result. */
export function pageMethods({
  listPages,
  readAttachment,
  pages,
}: {
  readonly listPages: ListPages;
  readonly readAttachment: ReadAttachment;
  readonly pages: PageStore;
}): BoundMethod[] {
  return [
    handle(Rpc.listPages, async ({ jobId, cursor, limit, bodies, expect, waitMs, ids }, ctx) => {
      const unknown = bodies.find((name) => !isBodyName(name));
      if (unknown !== undefined) throw new AppError('validation', `there is no body "${unknown}"`);
      return listPages({
        workspaceId: callerOf(ctx).workspaceId,
        jobId,
        cursor,
        limit: Math.min(Math.max(limit, 1), MAX_LIMIT),
        bodies: bodies.filter(isBodyName),
        expect,
        waitMs: Math.min(waitMs, MAX_WAIT_MS),
        ids: ids.slice(0, MAX_LIMIT),
      });
    }),

    handle(Rpc.findPage, async (request, ctx) => ({
      row: await pages.findNewest(callerOf(ctx).workspaceId, request),
    })),

    handle(Rpc.findPages, async ({ urlKeys, captureKey, formats }, ctx) => ({
      rows: await pages.findNewestOf(callerOf(ctx).workspaceId, {
        urlKeys: urlKeys.slice(0, MAX_LIMIT),
        captureKey,
        formats,
      }),
    })),

    handle(Rpc.readAttachment, async ({ jobId, pageId, kind, waitMs }, ctx) => {
      if (!isAttachment(kind)) throw new AppError('validation', `there is no attachment "${kind}"`);
      const { workspaceId } = callerOf(ctx);
      const wait = Math.min(waitMs, MAX_WAIT_MS);
      return { body: await readAttachment({ workspaceId, jobId, pageId, waitMs: wait }, kind) };
    }),
  ];
}

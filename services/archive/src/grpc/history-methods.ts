import { allowsProject } from '@tidemark/contracts';
import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, type HandlerContext, handle } from '@tidemark/service';
import type { FindReading } from '../history/find-reading.ts';
import type { ListVersions } from '../history/list-versions.ts';
import type { SearchVersions } from '../history/search-versions.ts';
import type { PageOfProject } from '../store/history-store.ts';

const MAX_LIMIT = 2_000;
const MAX_KEYS = 8;
const MAX_FOUND = 1_000;

export interface HistoryUseCases {
  readonly listVersions: ListVersions;
  readonly findReading: FindReading;
  readonly searchVersions: SearchVersions;
  /** Time of one search call, ms; the next call continues the scan. */
  readonly searchMs: number;
}

/** Binds the methods that read the history of a page. */
export function historyMethods({
  listVersions,
  findReading,
  searchVersions,
  searchMs,
}: HistoryUseCases): BoundMethod[] {
  return [
    handle(Rpc.listVersions, async ({ projectId, urlKeys, beforePageId: before, limit }, ctx) =>
      listVersions(pageOf(projectId, urlKeys, ctx), { before, limit: Math.min(Math.max(limit, 1), MAX_LIMIT) }),
    ),
    handle(Rpc.findReading, async ({ projectId, urlKeys, at }, ctx) => {
      if (at === undefined) throw new AppError('validation', 'a time is required');
      return findReading(pageOf(projectId, urlKeys, ctx), at);
    }),
    handle(Rpc.searchVersions, async ({ projectId, q, since, until, after, limit, page }, ctx) => {
      const { urlKeys, ...project } = pageOf(projectId, page?.urlKeys ?? [], ctx);
      const size = Math.min(Math.max(limit, 1), MAX_FOUND);
      return await searchVersions(project, {
        q,
        since,
        until,
        after,
        limit: size,
        urlKeys: page && urlKeys.map((key) => key.toString('hex')),
        withinMs: searchMs,
      });
    }),
  ];
}

/** @throws AppError not_found if the caller's key is restricted to other projects */
function pageOf(projectId: string, keys: readonly Uint8Array[], ctx: HandlerContext): PageOfProject {
  const { workspaceId, access } = callerOf(ctx);
  if (projectId === '' || !allowsProject(access, projectId)) throw new AppError('not_found', 'project not found');
  const urlKeys = keys.slice(0, MAX_KEYS).map((key) => Buffer.from(key));
  return { workspaceId, projectId, urlKeys };
}

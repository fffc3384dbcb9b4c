import type { BlobStore } from '@tidemark/blobs';
import type { Page, PageRow } from '@tidemark/contracts/page/v1/page';
import type { PageStore } from '../store/page-store.ts';
import type { Arrivals } from './arrivals.ts';
import { type BodyName, readFirstBodies } from './read-bodies.ts';

export interface PagesRequest {
  readonly workspaceId: string;
  readonly jobId: string;
  /** The last page of the previous response; undefined: from the first. */
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly bodies: readonly BodyName[];
  /** Number of pages that the caller has counted: rows that are not stored yet are awaited. */
  readonly expect: number;
  readonly waitMs: number;
  /** Only these pages, in this order, without cursor and limit; empty: every page. */
  readonly ids: readonly string[];
}

/** Poll interval, ms: a page may be stored by another replica, which wakes no waiter in this process. */
const POLL_EVERY_MS = 200;

/** Lists the pages of a job, oldest first. @returns the rows with their bodies, and the cursor of the next page; undefined: there is none */
export type ListPages = (request: PagesRequest) => Promise<{ pages: Page[]; nextCursor: string | undefined }>;

export function makeListPages(deps: {
  pages: PageStore;
  blobs: BlobStore;
  arrivals: Arrivals;
  now: () => number;
}): ListPages {
  async function rowsOf(request: PagesRequest): Promise<PageRow[]> {
    const until = deps.now() + request.waitMs;
    const { workspaceId, jobId, cursor, limit, ids } = request;
    const enough = ids.length > 0 ? ids.length : Math.min(request.expect, limit);
    for (;;) {
      const arrival = deps.arrivals.next(request.jobId, Math.min(POLL_EVERY_MS, Math.max(0, until - deps.now())));
      const rows =
        ids.length > 0
          ? await deps.pages.pick(workspaceId, jobId, ids)
          : await deps.pages.list(workspaceId, jobId, cursor, limit + 1);
      if (rows.length >= enough || deps.now() >= until) return rows;
      await arrival;
    }
  }

  return async (request) => {
    const found = await rowsOf(request);
    const rows = found.slice(0, Math.max(request.limit, request.ids.length));
    const read = await readFirstBodies(
      deps.blobs,
      rows.map((row) => ({ row })),
      request.bodies,
    );
    const pages = read.map(({ page: { row }, bodies }) => ({ row, bodies }));
    return { pages, nextCursor: found.length > pages.length ? pages.at(-1)?.row.id : undefined };
  };
}

import type { BlobStore } from '@tidemark/blobs';
import type { Page, PageRow } from '@tidemark/contracts/page/v1/page';
import type { Arrivals } from './arrivals.ts';
import { type BodyName, readBodies } from './read-bodies.ts';
import type { PageStore } from './store/page-store.ts';

export interface PagesWanted {
  readonly workspaceId: string;
  readonly jobId: string;
  readonly cursor: string;
  readonly limit: number;
  readonly bodies: readonly BodyName[];
  /** How many pages the caller knows of: rows on their way over the bus are waited for. */
  readonly expect: number;
  readonly waitMs: number;
}

/** Longest nap between looks: a page may be stored by another replica, which wakes nobody here. */
const LOOK_EVERY_MS = 200;

/** Pages of a job, oldest first. @returns the rows with their bodies, and the cursor after them where there are more */
export function makeListPages(deps: { pages: PageStore; blobs: BlobStore; arrivals: Arrivals; now: () => number }) {
  async function rowsOf(wanted: PagesWanted): Promise<PageRow[]> {
    const until = deps.now() + wanted.waitMs;
    const enough = Math.min(wanted.expect, wanted.limit);
    for (;;) {
      const nap = deps.arrivals.next(wanted.jobId, Math.min(LOOK_EVERY_MS, Math.max(0, until - deps.now())));
      const rows = await deps.pages.list(wanted.workspaceId, wanted.jobId, wanted.cursor, wanted.limit + 1);
      if (rows.length >= enough || deps.now() >= until) return rows;
      await nap;
    }
  }

  return async (wanted: PagesWanted): Promise<{ pages: Page[]; nextCursor: string }> => {
    const found = await rowsOf(wanted);
    const rows = found.slice(0, wanted.limit);
    const pages = await Promise.all(
      rows.map(async (row) => ({ row, bodies: await readBodies(deps.blobs, row, wanted.bodies) })),
    );
    return { pages, nextCursor: found.length > rows.length ? (rows.at(-1)?.id ?? '') : '' };
  };
}

import { onOwnBehalf } from '@tidemark/contracts';
import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import type { Peer } from '@tidemark/service';
import { column, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from '../store/tables.ts';

const DEADLINE_MS = 3_000;

const ENDED = schema.prepareText(
  'ended-run-pages',
  { id: column('text') },
  ({ captureIds }: Params<{ readonly captureIds: readonly string[] }>) => sql`
    SELECT c.id FROM unnest(${captureIds}::text[]) AS c(id)
    WHERE EXISTS (SELECT FROM outbox o WHERE o.id IN ('run-page:' || c.id, 'page:' || c.id))`,
);

/** Pages of a run that may have ended before. */
export interface RepeatedPages {
  readonly runId: string;
  readonly workspaceId: string;
  readonly captureIds: readonly string[];
}

export type FindEnded = (pages: RepeatedPages) => Promise<ReadonlySet<string>>;

/**
 * Returns the pages that have ended already, in any process: the event of such a page is in the outbox until it is stored
 * everywhere, and its row is in the archive from then on. @throws AppError unavailable
 */
export function makeFindEnded({ pool, archive }: { readonly pool: pg.Pool; readonly archive: Peer }): FindEnded {
  return async ({ runId, workspaceId, captureIds }) => {
    const rows = await ENDED.rows(pool, { captureIds });
    const ended = new Set(rows.map(({ id }) => id));
    const ids = captureIds.filter((id) => !ended.has(id));
    if (ids.length === 0) return ended;
    const caller = onOwnBehalf('scrape', workspaceId);
    const request = { jobId: runId, cursor: '', limit: ids.length, bodies: [], expect: 0, waitMs: 0, ids };
    const response = await archive.call(
      Archive.listPages,
      request,
      { caller, requestId: '' },
      { deadlineMs: DEADLINE_MS },
    );
    for (const { row } of response.pages) if (row !== undefined) ended.add(row.id);
    return ended;
  };
}

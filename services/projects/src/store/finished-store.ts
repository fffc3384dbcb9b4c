import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { Delivered } from '@tidemark/service';
import type pg from 'pg';
import { healthAfter, type LastRun } from '../domain/project.ts';

/** A recrawl of single pages says nothing of a site. */
const RECRAWL = 'recrawl';

const toLastRun = ({ runId, status, stop, finishedAt, pages, counts, creditsUsed }: RunFinished): LastRun => ({
  id: runId,
  status,
  stop,
  finishedAt: finishedAt ?? new Date(0),
  pages,
  counts,
  creditsUsed,
});

/** Remembers of each project the run that ended last. Safe to repeat, in any order: an older one changes nothing. */
export function makeHearFinished(pool: pg.Pool) {
  return async (batch: readonly Delivered<RunFinished>[]): Promise<void> => {
    for (const { fact } of batch) {
      if (fact.trigger === RECRAWL) continue;
      const last = toLastRun(fact);
      await pool.query({
        name: 'note-finished',
        text: `
          UPDATE projects SET last_run = $3, last_run_at = $4, health = coalesce($5, health)
          WHERE id = $1 AND workspace_id = $2 AND (last_run_at IS NULL OR last_run_at <= $4)`,
        values: [fact.projectId, fact.workspaceId, JSON.stringify(last), last.finishedAt, healthAfter(last) ?? null],
      });
    }
  };
}

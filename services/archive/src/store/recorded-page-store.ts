import type { RunPagesRecorded } from '@tidemark/contracts/crawl/v1/events';
import { RunPage } from '@tidemark/contracts/page/v1/page';
import { retryWhileDatabaseUnavailable } from '@tidemark/service';
import { type Database, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { OPEN_STATES } from '../domain/list-state.ts';
import type { ListedRun } from '../domain/listed-run.ts';
import { isInState } from './list-transitions.ts';
import { schema, tables } from './tables.ts';

const DROP_AT_ONCE = 5_000;

/** Returns whether a recorded page has its final details: its links are counted. */
export const isFinal = ({ inLinks }: RunPage): boolean => inLinks !== undefined;

/** Runs that events name, and their recorded pages: the values at each position of the lists. */
interface RecordedLists {
  readonly namedIds: readonly string[];
  readonly namedWorkspaceIds: readonly string[];
  readonly namedProjectIds: readonly string[];
  readonly runIds: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly numbers: readonly number[];
  readonly pages: readonly Buffer[];
  readonly areFinal: readonly boolean[];
  /** Each of `runIds` once. */
  readonly changedIds: readonly string[];
}

const RECORD = schema.prepareText(
  'record-run-pages',
  {},
  (event: Params<RecordedLists>) => sql`
    WITH named AS (
      INSERT INTO runs (id, workspace_id, project_id)
      SELECT r.id, r.workspace_id, r.project_id
      FROM unnest(${event.namedIds}::text[], ${event.namedWorkspaceIds}::text[], ${event.namedProjectIds}::text[])
        AS r(id, workspace_id, project_id)
      WHERE NOT EXISTS (SELECT FROM discarded_runs d WHERE d.job_id = r.id AND d.workspace_id = r.workspace_id)
      ON CONFLICT (id) DO NOTHING
    ), woken AS (
      UPDATE runs SET due = now() WHERE id = ANY(${event.changedIds}) AND owner IS NULL AND due IS NOT NULL AND ${isInState(OPEN_STATES)}
    )
    INSERT INTO recorded_pages AS k (run_id, workspace_id, number, page, is_final)
    SELECT p.*
    FROM unnest(${event.runIds}::text[], ${event.workspaceIds}::text[], ${event.numbers}::int[], ${event.pages}::bytea[], ${event.areFinal}::bool[])
      AS p(run_id, workspace_id, number, page, is_final)
    WHERE NOT EXISTS (SELECT FROM discarded_runs d WHERE d.job_id = p.run_id AND d.workspace_id = p.workspace_id)
      AND NOT EXISTS (SELECT FROM runs r WHERE r.id = p.run_id AND r.state IN ('settled', 'discarded'))
    ON CONFLICT (run_id, number) DO UPDATE SET page = excluded.page, is_final = true WHERE excluded.is_final AND NOT k.is_final`,
);

interface RecordedRange {
  readonly runId: string;
  readonly workspaceId: string;
  readonly after: number;
  readonly limit: number;
}

const AFTER = schema.prepare('recorded-pages', ({ runId, workspaceId, after, limit }: Params<RecordedRange>) =>
  tables
    .selectFrom('recorded_pages')
    .select('page')
    .where('run_id', '=', runId)
    .where('workspace_id', '=', workspaceId)
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit),
);

const DROP = schema.prepareText(
  'drop-recorded-pages',
  {},
  ({ runId }: Params<{ readonly runId: string }>) => sql`
    DELETE FROM recorded_pages WHERE run_id = ${runId} AND number = ANY (ARRAY(
      SELECT number FROM recorded_pages WHERE run_id = ${runId} LIMIT ${sql.lit(DROP_AT_ONCE)}))`,
);

/** Stores the pages of runs as crawl records them, until the list of the run is settled. */
export class RecordedPageStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /**
   * Stores events, and the runs they name. Safe to repeat and in any order: a final page is never replaced. An event of a run that is
   * discarded, or whose list is settled, changes nothing.
   */
  async record(events: readonly RunPagesRecorded[]): Promise<void> {
    const runs = [...new Map(events.map((event) => [`${event.runId} ${event.projectId}`, event])).values()];
    const named = runs.flatMap(({ runId, workspaceId, projectId }) =>
      projectId === undefined ? [] : [{ runId, workspaceId, projectId }],
    );
    const pages = newestOf(events);
    const runIds = pages.map(({ runId }) => runId);
    const lists = {
      namedIds: named.map(({ runId }) => runId),
      namedWorkspaceIds: named.map(({ workspaceId }) => workspaceId),
      namedProjectIds: named.map(({ projectId }) => projectId),
      runIds,
      workspaceIds: pages.map(({ workspaceId }) => workspaceId),
      numbers: pages.map(({ page }) => page.number),
      pages: pages.map(({ page }) => Buffer.from(RunPage.encode(page).finish())),
      areFinal: pages.map(({ page }) => isFinal(page)),
      changedIds: [...new Set(runIds)],
    };
    await retryWhileDatabaseUnavailable(() => RECORD.change(this.#pool, lists), 20_000);
  }

  /** Returns the next recorded pages of a run by number. Numbers may be missing, because events arrive in any order. */
  async after({ id, workspaceId }: ListedRun, after: number, limit: number): Promise<RunPage[]> {
    const rows = await AFTER.rows(this.#pool, { runId: id, workspaceId, after, limit });
    return rows.map(({ page }) => RunPage.decode(page));
  }

  /** Deletes the recorded pages of a run. Called when its list is settled. */
  async drop(runId: string): Promise<void> {
    while (await dropRecorded(this.#pool, runId));
  }
}

/** Deletes a batch of recorded pages of a run. @returns whether there may be more */
export async function dropRecorded(db: Database, runId: string): Promise<boolean> {
  return (await DROP.change(db, { runId })) === DROP_AT_ONCE;
}

interface PageOfRun {
  readonly runId: string;
  readonly workspaceId: string;
  readonly page: RunPage;
}

/** Returns each page once, the final version if there is one, in the order of the table's key. */
function newestOf(events: readonly RunPagesRecorded[]): PageOfRun[] {
  const byKey = new Map<string, PageOfRun>();
  for (const { runId, workspaceId, pages } of events) {
    for (const page of pages) {
      const key = `${runId} ${page.number}`;
      const known = byKey.get(key);
      if (known === undefined || (isFinal(page) && !isFinal(known.page))) byKey.set(key, { runId, workspaceId, page });
    }
  }
  // One order of locks for all replicas prevents deadlocks.
  return [...byKey.values()].sort((a, b) =>
    a.runId === b.runId ? a.page.number - b.page.number : a.runId < b.runId ? -1 : 1,
  );
}

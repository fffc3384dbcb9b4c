import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { changeRows, type Database, lockUntilCommit, type Params, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { SelectorStats } from '../selectors/find-breaks.ts';
import type { BrokenProject } from '../selectors/release-regression.ts';
import { stateAfter } from './record-transitions.ts';
import { schema, tables } from './tables.ts';

/** A run whose selectors broke. */
export interface BrokenRun extends BrokenProject {
  readonly runId: string;
}

/** Must exceed the watch period of a release. */
const RETENTION_DAYS = 2;
/** Three unrelated runs suffice to blame a release. */
const MAX_BROKEN_RUNS = 1_000;

const REGISTER = schema.prepare('register-release', ({ name }: Params<{ readonly name: string }>) =>
  tables
    .insertInto('releases')
    .values({ name })
    // Returns the row that exists.
    .onConflict((conflict) => conflict.column('name').doUpdateSet((eb) => ({ name: eb.ref('excluded.name') })))
    .returning('first_seen_at'),
);

const SELECTORS = schema.prepare('selectors-of-run', ({ runId }: Params<{ readonly runId: string }>) =>
  tables.selectFrom('records').select('selectors').where('run_id', '=', runId),
);

type RunIds = Params<{ readonly runIds: readonly string[] }>;

const WITHHOLD_BREAKS = schema.prepareText(
  'withhold-breaks',
  {},
  ({ runIds }: RunIds) => sql`
    UPDATE records r SET breaks = '[]',
      selectors = coalesce((SELECT b.selectors FROM records b WHERE b.run_id = r.baseline_run_id), r.selectors),
      counts = (r.counts::jsonb || '{"selectorBreaks": 0}')::text,
      coverage = (r.coverage::jsonb || jsonb_build_object('verdict', false,
        'reasons', (r.coverage::jsonb -> 'reasons') || '["selectors_withheld"]'))::text
    WHERE r.run_id = ANY(${runIds}) AND r.status = ${stateAfter('finish')}
      AND NOT (r.coverage::jsonb -> 'reasons') ? 'selectors_withheld'`,
);

const WITHHOLD_LATER = schema.prepareText(
  'withhold-later',
  {},
  ({ runIds }: RunIds) => sql`
    UPDATE records l SET selectors = f.selectors
    FROM (
      SELECT DISTINCT ON (workspace_id, project_id) workspace_id, project_id, run_id, selectors FROM records
      WHERE run_id = ANY(${runIds}) AND status = ${stateAfter('finish')} ORDER BY workspace_id, project_id, run_id) f
    WHERE l.workspace_id = f.workspace_id AND l.project_id = f.project_id AND l.run_id > f.run_id
      AND l.status = ${stateAfter('finish')}`,
);

/** First use of releases, and the runs whose selectors broke under them. */
export class ReleaseStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Registers a release and returns the time of its first use, epoch ms. */
  async registerRelease(name: string): Promise<number> {
    const row = await REGISTER.row(this.#pool, { name });
    if (row === undefined) throw new Error('release not registered');
    return row.first_seen_at.getTime();
  }

  /**
   * Serialises decisions about a release until the transaction ends, so that concurrent records see each other's
   * breaks.
   */
  lock(client: Database, name: string): Promise<void> {
    return lockUntilCommit(client, [`diff release ${name}`]);
  }

  /**
   * Returns the selector statistics of a run's record, after corrections. @returns undefined if the record does not
   * exist
   */
  async selectorsOf(client: Database, runId: string): Promise<readonly SelectorStats[] | undefined> {
    const row = await SELECTORS.row(client, { runId });
    return row && JSON.parse(row.selectors);
  }

  /** Registers a run whose selectors broke, at the current time. Idempotent. */
  async insertBrokenRun(
    client: Database,
    { runId, workspaceId, projectId }: Pick<RunFinished, 'runId' | 'workspaceId' | 'projectId'>,
    host: string,
    release: string,
  ): Promise<void> {
    await changeRows(
      client,
      tables
        .insertInto('broken_runs')
        .values({
          run_id: runId,
          workspace_id: workspaceId,
          project_id: projectId,
          host,
          release,
          found_at: sql<Date>`clock_timestamp()`,
        })
        .onConflict((conflict) => conflict.doNothing()),
    );
  }

  /** Lists the first broken runs of a release, and that of `runId`. */
  async listBrokenRuns(client: Database, release: string, runId: string): Promise<BrokenRun[]> {
    const rows = await selectRows(
      client,
      tables
        .selectFrom('broken_runs')
        .select(['run_id', 'workspace_id', 'project_id', 'host', 'found_at'])
        .where('release', '=', release)
        .orderBy((eb) => eb('run_id', '=', runId), 'desc')
        .orderBy('found_at')
        .limit(MAX_BROKEN_RUNS),
    );
    return rows.map((row) => ({
      runId: row.run_id,
      workspaceId: row.workspace_id,
      projectId: row.project_id,
      host: row.host,
      foundAtMs: row.found_at.getTime(),
    }));
  }

  /**
   * Removes the breaks of these runs' finished records, and resets the selector statistics of later records of their
   * projects to those before the break, so that a break caused by the site is reported with the next run.
   */
  async withholdBreaks(client: Database, runIds: readonly string[]): Promise<void> {
    await WITHHOLD_BREAKS.change(client, { runIds });
    await WITHHOLD_LATER.change(client, { runIds });
  }

  async deleteExpired(): Promise<void> {
    await changeRows(
      this.#pool,
      tables
        .deleteFrom('broken_runs')
        .where('found_at', '<', sql<Date>`now() - make_interval(days => ${sql.lit(RETENTION_DAYS)})`),
    );
  }
}

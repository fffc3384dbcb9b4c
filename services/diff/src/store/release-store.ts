import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type pg from 'pg';
import type { SelectorStats } from '../selectors/find-breaks.ts';
import type { BrokenProject } from '../selectors/release-regression.ts';

/** A run whose selectors broke. */
export interface BrokenRun extends BrokenProject {
  readonly runId: string;
}

/** Must exceed the watch period of a release. */
const RETENTION_DAYS = 2;
/** Three unrelated runs suffice to blame a release. */
const MAX_BROKEN_RUNS = 1_000;

/** First use of releases, and the runs whose selectors broke under them. */
export class ReleaseStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Registers a release and returns the time of its first use, epoch ms. */
  async registerRelease(name: string): Promise<number> {
    const { rows } = await this.#pool.query<{ first_seen_at: Date }>({
      name: 'register-release',
      text: `
        INSERT INTO releases (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name
        RETURNING first_seen_at`,
      values: [name],
    });
    const [row] = rows;
    if (row === undefined) throw new Error('release not registered');
    return row.first_seen_at.getTime();
  }

  /**
   * Serialises decisions about a release until the transaction ends, so that concurrent records see each other's
   * breaks.
   */
  async lock(client: pg.PoolClient, name: string): Promise<void> {
    await client.query({
      name: 'lock-release',
      text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
      values: [`diff release ${name}`],
    });
  }

  /**
   * Returns the selector statistics of a run's record, after corrections. @returns undefined if the record does not
   * exist
   */
  async selectorsOf(client: pg.PoolClient, runId: string): Promise<readonly SelectorStats[] | undefined> {
    const { rows } = await client.query<{ selectors: string }>({
      name: 'selectors-of-run',
      text: 'SELECT selectors FROM records WHERE run_id = $1',
      values: [runId],
    });
    return rows[0] && JSON.parse(rows[0].selectors);
  }

  /** Registers a run whose selectors broke, at the current time. Idempotent. */
  async insertBrokenRun(
    client: pg.PoolClient,
    { runId, workspaceId, projectId }: Pick<RunFinished, 'runId' | 'workspaceId' | 'projectId'>,
    host: string,
    release: string,
  ): Promise<void> {
    await client.query({
      name: 'insert-broken-run',
      text: `
        INSERT INTO broken_runs (run_id, workspace_id, project_id, host, release, found_at)
        VALUES ($1, $2, $3, $4, $5, clock_timestamp()) ON CONFLICT DO NOTHING`,
      values: [runId, workspaceId, projectId, host, release],
    });
  }

  /** Lists the first broken runs of a release, and that of `runId`. */
  async listBrokenRuns(client: pg.PoolClient, release: string, runId: string): Promise<BrokenRun[]> {
    const { rows } = await client.query<{
      run_id: string;
      workspace_id: string;
      project_id: string;
      host: string;
      found_at: Date;
    }>({
      name: 'list-broken-runs',
      text: 'SELECT * FROM broken_runs WHERE release = $1 ORDER BY (run_id = $2) DESC, found_at LIMIT $3',
      values: [release, runId, MAX_BROKEN_RUNS],
    });
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
  async withholdBreaks(client: pg.PoolClient, runIds: readonly string[]): Promise<void> {
    await client.query({
      name: 'withhold-breaks',
      text: `
        UPDATE records r SET breaks = '[]',
          selectors = coalesce((SELECT b.selectors FROM records b WHERE b.run_id = r.baseline_run_id), r.selectors),
          counts = (r.counts::jsonb || '{"selectorBreaks": 0}')::text,
          coverage = (r.coverage::jsonb || jsonb_build_object('verdict', false,
            'reasons', (r.coverage::jsonb -> 'reasons') || '["selectors_withheld"]'))::text
        WHERE r.run_id = ANY($1) AND r.status = 'made' AND NOT (r.coverage::jsonb -> 'reasons') ? 'selectors_withheld'`,
      values: [runIds],
    });
    await client.query({
      name: 'withhold-later',
      text: `
        UPDATE records l SET selectors = f.selectors
        FROM (
          SELECT DISTINCT ON (workspace_id, project_id) workspace_id, project_id, run_id, selectors FROM records
          WHERE run_id = ANY($1) AND status = 'made' ORDER BY workspace_id, project_id, run_id) f
        WHERE l.workspace_id = f.workspace_id AND l.project_id = f.project_id AND l.run_id > f.run_id AND l.status = 'made'`,
      values: [runIds],
    });
  }

  async deleteExpired(): Promise<void> {
    await this.#pool.query({
      name: 'delete-expired-broken-runs',
      text: 'DELETE FROM broken_runs WHERE found_at < now() - make_interval(days => $1)',
      values: [RETENTION_DAYS],
    });
  }
}

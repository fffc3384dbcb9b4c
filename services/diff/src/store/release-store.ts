import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type pg from 'pg';
import type { SelectorStats } from '../selectors/find-breaks.ts';
import type { BrokenProject } from '../selectors/release-regression.ts';

/** A project whose selectors broke with one of its runs. */
export interface BrokenRun extends BrokenProject {
  readonly runId: string;
}

/** A release is watched for an hour. */
const RETENTION_DAYS = 2;
/** Projects looked at together: three unrelated ones are enough. */
const MAX_BROKEN_RUNS = 1_000;

/** Since when releases are in use, and which projects' selectors broke under them. */
export class ReleaseStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** When a release was first used; now, where this is the first time. */
  async registerRelease(name: string): Promise<number> {
    const { rows } = await this.#pool.query<{ first_seen_at: Date }>({
      name: 'register-release',
      text: `
        INSERT INTO releases (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name
        RETURNING first_seen_at`,
      values: [name],
    });
    const [row] = rows;
    if (row === undefined) throw new Error('a release was not noted');
    return row.first_seen_at.getTime();
  }

  /** Until the transaction ends nobody else decides about this release: of two records, one sees what the other found. */
  async lock(client: pg.PoolClient, name: string): Promise<void> {
    await client.query({
      name: 'lock-release',
      text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
      values: [`diff release ${name}`],
    });
  }

  /** What the record of a run says of its selectors, as far as it was not taken back. @returns undefined where there is no such record */
  async selectorsOf(client: pg.PoolClient, runId: string): Promise<readonly SelectorStats[] | undefined> {
    const { rows } = await client.query<{ selectors: string }>({
      name: 'selectors-of-run',
      text: 'SELECT selectors FROM records WHERE run_id = $1',
      values: [runId],
    });
    return rows[0] && JSON.parse(rows[0].selectors);
  }

  /** Notes that selectors broke with a run, by now. Safe to repeat: it is noted once. */
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

  /** The first that broke under a release, and the one of this run. */
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
   * Takes back what finished records of these runs say of broken selectors, and what later records of their projects took from them. The next
   * run is compared by what the selectors did before, so that a break that is the site's own is told then.
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

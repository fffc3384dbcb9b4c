import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type pg from 'pg';
import type { BrokenProject } from '../selectors/own-regression.ts';

/** A project whose selectors broke with one of its runs. */
export interface BrokenRun extends BrokenProject {
  readonly runId: string;
}

/** A release is watched for an hour. */
const REMEMBERED_DAYS = 2;
/** Projects looked at together: three unrelated ones are enough. */
const MOST_BROKEN = 1_000;

/** Since when releases are in use, and which projects' selectors broke under them. */
export class ReleaseStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** When a release was first used; now, where this is the first time. */
  async firstSeenMs(name: string): Promise<number> {
    const { rows } = await this.#pool.query<{ first_seen_at: Date }>({
      name: 'first-seen-release',
      text: `
        WITH noted AS (INSERT INTO releases (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING first_seen_at)
        SELECT first_seen_at FROM noted UNION ALL SELECT first_seen_at FROM releases WHERE name = $1 LIMIT 1`,
      values: [name],
    });
    return rows[0]?.first_seen_at.getTime() ?? Date.now();
  }

  /** Notes that selectors broke with a run. Safe to repeat: it is noted once. */
  async noteBroken(
    { runId, workspaceId, projectId }: Pick<RunFinished, 'runId' | 'workspaceId' | 'projectId'>,
    host: string,
    release: string,
  ): Promise<void> {
    await this.#pool.query({
      name: 'note-broken',
      text: `
        INSERT INTO broken_projects (run_id, workspace_id, project_id, host, release) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING`,
      values: [runId, workspaceId, projectId, host, release],
    });
  }

  /** The first that broke under a release, and the one of this run. */
  async broken(release: string, runId: string): Promise<BrokenRun[]> {
    const { rows } = await this.#pool.query<{
      run_id: string;
      workspace_id: string;
      project_id: string;
      host: string;
      found_at: Date;
    }>({
      name: 'broken-under-release',
      text: 'SELECT * FROM broken_projects WHERE release = $1 ORDER BY (run_id = $2) DESC, found_at LIMIT $3',
      values: [release, runId, MOST_BROKEN],
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
   * Takes back what finished records of these runs say of broken selectors. The next run is compared by what the selectors did before, so that
   * a break that is the site's own is told then.
   */
  async withhold(client: pg.PoolClient, runIds: readonly string[]): Promise<void> {
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
  }

  async forgetOld(): Promise<void> {
    await this.#pool.query({
      name: 'forget-broken',
      text: 'DELETE FROM broken_projects WHERE found_at < now() - make_interval(days => $1)',
      values: [REMEMBERED_DAYS],
    });
  }
}

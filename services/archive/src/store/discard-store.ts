import { markUnreferenced } from '@tidemark/blobs';
import type { RunDiscarded } from '@tidemark/contracts/archive/v1/events';
import { PageRow } from '@tidemark/contracts/page/v1/page';
import { inTransaction, retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';
import { oldestIdAt } from '../domain/page-age.ts';
import { blobKey, blobsOf, keysOf } from './blob-keys.ts';
import {
  claimDiscarded,
  type DeletedRow,
  deleteUnneeded,
  nextBatchOf,
  PAGES_AT_ONCE,
  recordProgress,
} from './discard-run.ts';
import { stateAfter } from './list-transitions.ts';

/** Deletes pages in batches, and records the blobs they referenced in the same transaction. */
export class DiscardStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /**
   * Records discarded runs: they can no longer be queried. Pages that earlier runs of their projects kept for the newest
   * full run are evaluated again: the newest full run may be another one, or a newer version may exist. Safe to repeat.
   * A run without a row gets one: an event of it that is stored at the same time finds the row and does not list the run again.
   */
  async record(runs: readonly RunDiscarded[]): Promise<void> {
    const values = [
      runs.map(({ runId }) => runId),
      runs.map(({ workspaceId }) => workspaceId),
      runs.map(({ neededBy }) => neededBy),
    ];
    const text = `
      WITH discards AS (
        SELECT DISTINCT ON (r.job_id) r.* FROM unnest($1::text[], $2::text[], $3::text[]) AS r(job_id, workspace_id, needed_by)
      ), marked AS (
        INSERT INTO runs (id, workspace_id, project_id, state)
        SELECT job_id, workspace_id, '', ${stateAfter('discard')} FROM discards WHERE job_id LIKE 'run\\_%'
        ON CONFLICT (id) DO UPDATE SET state = ${stateAfter('discard')}, owner = NULL, due = NULL WHERE runs.workspace_id = excluded.workspace_id
        RETURNING runs.id, runs.project_id
      ), noted AS (
        INSERT INTO discarded_runs (job_id, workspace_id, needed_by, project_id, due)
        SELECT discards.job_id, discards.workspace_id, discards.needed_by, coalesce(marked.project_id, ''), date_trunc('milliseconds', now())
        FROM discards LEFT JOIN marked ON marked.id = discards.job_id ON CONFLICT DO NOTHING
      ), newest AS (
        SELECT DISTINCT ON (discards.workspace_id, marked.project_id) discards.workspace_id, marked.project_id, discards.needed_by
        FROM discards JOIN marked ON marked.id = discards.job_id WHERE marked.project_id <> ''
        ORDER BY discards.workspace_id, marked.project_id, discards.needed_by = '' DESC, discards.needed_by DESC
      )
      UPDATE discarded_runs k SET needed_by = n.needed_by, seen_to = '', due = date_trunc('milliseconds', now())
      FROM newest n WHERE k.workspace_id = n.workspace_id AND k.project_id = n.project_id AND k.project_id <> ''
        AND (k.kept > 0 OR k.emptied_at IS NULL) AND k.needed_by <> '' AND (n.needed_by = '' OR n.needed_by >= k.needed_by)`;
    await retryWhileDatabaseUnavailable(() => this.#pool.query({ name: 'note-discarded', text, values }), 20_000);
  }

  /** Deletes a batch of pages of one discarded run. @returns false if no run is due */
  discardBatch(): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const run = await claimDiscarded(client);
      if (run === undefined) return false;
      const batch = await nextBatchOf(client, run);
      if (batch === undefined) return true;
      await markBlobs(client, await deleteUnneeded(client, run, batch));
      await recordProgress(client, run, batch);
      return true;
    });
  }

  /** Deletes a batch of pages of scrapes and batches that were captured before this time. @returns false if there are no more */
  expireBatch(before: Date): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const { rows } = await client.query<DeletedRow>({
        name: 'expire-pages',
        text: `
          DELETE FROM pages WHERE id = ANY (ARRAY(
            SELECT id FROM pages WHERE job_id LIKE 'job\\_%' AND id < $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED))
          RETURNING row`,
        values: [oldestIdAt(before), PAGES_AT_ONCE],
      });
      await markBlobs(client, rows);
      return rows.length === PAGES_AT_ONCE;
    });
  }

  /** Deletes some pages of scrapes and batches of a deleted workspace; those of its runs are discarded with them. @returns false if there are no more */
  deleteOfWorkspace(workspaceId: string): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const { rows } = await client.query<DeletedRow>({
        name: 'delete-pages-of-workspace',
        text: `
          DELETE FROM pages WHERE id = ANY (ARRAY(
            SELECT id FROM pages WHERE workspace_id = $1 AND job_id LIKE 'job\\_%' LIMIT $2 FOR UPDATE SKIP LOCKED))
          RETURNING row`,
        values: [workspaceId, PAGES_AT_ONCE],
      });
      await markBlobs(client, rows);
      return rows.length === PAGES_AT_ONCE;
    });
  }

  /** Derives the blob keys of a batch of pages that have none. @returns false if there are no such pages */
  async keyBatch(): Promise<boolean> {
    const { rows } = await this.#pool.query<{ id: string; row: Buffer }>({
      name: 'unkeyed-pages',
      text: 'SELECT id, row FROM pages WHERE content_key IS NULL ORDER BY id LIMIT $1',
      values: [PAGES_AT_ONCE],
    });
    if (rows.length === 0) return false;
    const keys = rows.map(({ row }) => keysOf(PageRow.decode(row)));
    await this.#pool.query({
      name: 'key-pages',
      text: `
        UPDATE pages p SET content_key = k.content, screenshot_key = k.screenshot, evidence_key = k.evidence
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) AS k(id, content, screenshot, evidence) WHERE p.id = k.id`,
      values: [
        rows.map(({ id }) => id),
        keys.map(({ content }) => content),
        keys.map(({ screenshot }) => screenshot),
        keys.map(({ evidence }) => evidence),
      ],
    });
    return true;
  }

  /** Returns those of these blobs that a page references. */
  async findReferenced(sha256s: readonly string[]): Promise<Set<string>> {
    const { rows } = await this.#pool.query<{ sha256: string }>({
      name: 'named-blobs',
      text: `
        SELECT k.sha256 FROM unnest($1::text[], $2::bigint[]) AS k(sha256, key) CROSS JOIN LATERAL (
          (SELECT FROM pages WHERE content_key = k.key AND content_key <> 0 LIMIT 1)
          UNION ALL (SELECT FROM pages WHERE screenshot_key = k.key AND screenshot_key <> 0 LIMIT 1)
          UNION ALL (SELECT FROM pages WHERE evidence_key = k.key AND evidence_key <> 0 LIMIT 1)
          LIMIT 1) AS named`,
      values: [[...sha256s], sha256s.map(blobKey)],
    });
    return new Set(rows.map(({ sha256 }) => sha256));
  }
}

const markBlobs = (client: pg.PoolClient, deleted: readonly DeletedRow[]): Promise<void> =>
  markUnreferenced(
    client,
    deleted.flatMap(({ row }) => blobsOf(PageRow.decode(row))),
  );

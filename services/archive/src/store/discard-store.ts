import { markUnreferenced } from '@tidemark/blobs';
import { textOrEmpty } from '@tidemark/contracts';
import type { RunDiscarded } from '@tidemark/contracts/archive/v1/events';
import { PageRow } from '@tidemark/contracts/page/v1/page';
import { inTransaction, retryWhileDatabaseUnavailable } from '@tidemark/service';
import { column, type Database, listOf, type Params, selectRows, sql, unnest } from '@tidemark/sql';
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
import { schema, tables } from './tables.ts';

/** Discarded runs: the values at each position of the lists. */
interface DiscardedLists {
  readonly jobIds: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly neededBy: readonly string[];
}

const RECORD = schema.prepareText(
  'note-discarded',
  {},
  ({ jobIds, workspaceIds, neededBy }: Params<DiscardedLists>) => sql`
    WITH discards AS (
      SELECT DISTINCT ON (r.job_id) r.*
      FROM unnest(${jobIds}::text[], ${workspaceIds}::text[], ${neededBy}::text[]) AS r(job_id, workspace_id, needed_by)
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
      AND (k.kept > 0 OR k.emptied_at IS NULL) AND k.needed_by <> '' AND (n.needed_by = '' OR n.needed_by >= k.needed_by)`,
);

const PAGES = sql.lit(PAGES_AT_ONCE);

const EXPIRE = schema.prepareText(
  'expire-pages',
  { row: column('bytea') },
  ({ before }: Params<{ readonly before: string }>) => sql`
    DELETE FROM pages WHERE id = ANY (ARRAY(
      SELECT id FROM pages WHERE job_id LIKE 'job\\_%' AND id < ${before} ORDER BY id LIMIT ${PAGES} FOR UPDATE SKIP LOCKED))
    RETURNING row`,
);

const DELETE_OF_WORKSPACE = schema.prepareText(
  'delete-pages-of-workspace',
  { row: column('bytea') },
  ({ workspaceId }: Params<{ readonly workspaceId: string }>) => sql`
    DELETE FROM pages WHERE id = ANY (ARRAY(
      SELECT id FROM pages WHERE workspace_id = ${workspaceId} AND job_id LIKE 'job\\_%' LIMIT ${PAGES} FOR UPDATE SKIP LOCKED))
    RETURNING row`,
);

/** Blob keys of pages: the values at each position of the lists. */
interface KeyLists {
  readonly ids: readonly string[];
  readonly content: readonly string[];
  readonly screenshot: readonly string[];
  readonly evidence: readonly string[];
}

const KEY = schema.prepare('key-pages', ({ ids, content, screenshot, evidence }: Params<KeyLists>) =>
  tables
    .updateTable('pages as p')
    .from(
      unnest('k', {
        id: listOf(ids, 'text'),
        content: listOf(content, 'bigint'),
        screenshot: listOf(screenshot, 'bigint'),
        evidence: listOf(evidence, 'bigint'),
      }),
    )
    .set(({ ref }) => ({
      content_key: ref('k.content'),
      screenshot_key: ref('k.screenshot'),
      evidence_key: ref('k.evidence'),
    }))
    .whereRef('p.id', '=', 'k.id'),
);

/** Blobs: the values at each position of the lists. */
interface BlobLists {
  readonly sha256s: readonly string[];
  readonly keys: readonly string[];
}

const REFERENCED = schema.prepareText(
  'named-blobs',
  { sha256: column('text') },
  ({ sha256s, keys }: Params<BlobLists>) => sql`
    SELECT k.sha256 FROM unnest(${sha256s}::text[], ${keys}::bigint[]) AS k(sha256, key) CROSS JOIN LATERAL (
      (SELECT FROM pages WHERE content_key = k.key AND content_key <> 0 LIMIT 1)
      UNION ALL (SELECT FROM pages WHERE screenshot_key = k.key AND screenshot_key <> 0 LIMIT 1)
      UNION ALL (SELECT FROM pages WHERE evidence_key = k.key AND evidence_key <> 0 LIMIT 1)
      LIMIT 1) AS named`,
);

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
    const lists = {
      jobIds: runs.map(({ runId }) => runId),
      workspaceIds: runs.map(({ workspaceId }) => workspaceId),
      neededBy: runs.map(({ neededBy }) => textOrEmpty(neededBy)),
    };
    await retryWhileDatabaseUnavailable(() => RECORD.change(this.#pool, lists), 20_000);
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
      const rows = await EXPIRE.rows(client, { before: oldestIdAt(before) });
      await markBlobs(client, rows);
      return rows.length === PAGES_AT_ONCE;
    });
  }

  /** Deletes some pages of scrapes and batches of a deleted workspace; those of its runs are discarded with them. @returns false if there are no more */
  deleteOfWorkspace(workspaceId: string): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const rows = await DELETE_OF_WORKSPACE.rows(client, { workspaceId });
      await markBlobs(client, rows);
      return rows.length === PAGES_AT_ONCE;
    });
  }

  /** Derives the blob keys of a batch of pages that have none. @returns false if there are no such pages */
  async keyBatch(): Promise<boolean> {
    const rows = await selectRows(
      this.#pool,
      tables
        .selectFrom('pages')
        .select(['id', 'row'])
        .where('content_key', 'is', null)
        .orderBy('id')
        .limit(PAGES_AT_ONCE),
    );
    if (rows.length === 0) return false;
    const keys = rows.map(({ row }) => keysOf(PageRow.decode(row)));
    await KEY.change(this.#pool, {
      ids: rows.map(({ id }) => id),
      content: keys.map(({ content }) => content),
      screenshot: keys.map(({ screenshot }) => screenshot),
      evidence: keys.map(({ evidence }) => evidence),
    });
    return true;
  }

  /** Returns those of these blobs that a page references. */
  async findReferenced(sha256s: readonly string[]): Promise<Set<string>> {
    const rows = await REFERENCED.rows(this.#pool, { sha256s, keys: sha256s.map(blobKey) });
    return new Set(rows.map(({ sha256 }) => sha256));
  }
}

const markBlobs = (client: Database, deleted: readonly DeletedRow[]): Promise<void> =>
  markUnreferenced(
    client,
    deleted.flatMap(({ row }) => blobsOf(PageRow.decode(row))),
  );

import { markUnreferenced } from '@tidemark/blobs';
import { inTransaction } from '@tidemark/service';
import {
  anyOf,
  changeRows,
  column,
  type Database,
  nullable,
  type Params,
  selectRow,
  selectRows,
  sql,
} from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from './tables.ts';

const MAPS_PER_BATCH = 5;
/** Retention of a finished map, hours; equals the retention of its idempotency key. */
const MAP_RETENTION_HOURS = 24;

const DELETE_EXPIRED = schema.prepareText(
  'delete-expired-maps',
  { id: column('text'), row_blobs: nullable('text[]') },
  () => sql`
    DELETE FROM jobs WHERE id = ANY (ARRAY(
      SELECT id FROM jobs WHERE finished_at < now() - make_interval(hours => ${sql.lit(MAP_RETENTION_HOURS)})
      ORDER BY finished_at LIMIT ${sql.lit(MAPS_PER_BATCH)} FOR UPDATE SKIP LOCKED))
    RETURNING id, row_blobs`,
);

const DELETE_FILES = schema.prepareText(
  'delete-map-files',
  { entries: column('text') },
  ({ ids }: Params<{ readonly ids: readonly string[] }>) => sql`
    DELETE FROM files WHERE job_id = ANY(${ids}) AND NOT EXISTS (SELECT FROM snapshots s WHERE s.id = job_id)
    RETURNING file ->> 'entries' AS entries`,
);

/** Is true of the snapshots of the series of `s` that are newer than it. */
const IS_NEWER = sql`n.workspace_id = s.workspace_id AND n.project_id = s.project_id AND (s.project_id <> '' OR n.site = s.site) AND n.id > s.id`;

const DUE = schema.prepareText(
  'due-snapshot',
  { id: column('text'), is_kept: column('bool') },
  ({ days }: Params<{ readonly days: number }>) => sql`
    SELECT s.id, CASE WHEN s.project_id = '' THEN recent AND needed ELSE recent OR needed END
      OR EXISTS (SELECT FROM jobs j WHERE j.id = s.id) AS is_kept
    FROM snapshots s,
      LATERAL (SELECT s.taken_at > now() - make_interval(days => ${days}) AS recent) age,
      LATERAL (SELECT (SELECT count(*) FROM (SELECT FROM snapshots n WHERE ${IS_NEWER} LIMIT 2) newer) < 2
        OR (s.complete AND NOT EXISTS (SELECT FROM snapshots n WHERE ${IS_NEWER} AND n.complete)) AS needed) rank
    WHERE s.check_at <= now() ORDER BY s.check_at LIMIT 1 FOR UPDATE OF s SKIP LOCKED`,
);

const DELETE_SNAPSHOT = schema.prepareText(
  'delete-snapshot',
  { documents: nullable('text[]'), entries: nullable('text') },
  ({ id }: Params<{ readonly id: string }>) => sql`
    WITH snapshot AS (DELETE FROM snapshots WHERE id = ${id}),
      changes AS (DELETE FROM diffs WHERE snapshot_id = ${id} RETURNING documents),
      tree AS (DELETE FROM files WHERE job_id = ${id} RETURNING file ->> 'entries' AS entries)
    SELECT documents, NULL AS entries FROM changes UNION ALL SELECT NULL, entries FROM tree`,
);

const REFERENCED = schema.prepareText(
  'referenced-documents',
  { sha256: column('text') },
  ({ sha256s }: Params<{ readonly sha256s: readonly string[] }>) => sql`
    SELECT k.sha256 FROM unnest(${sha256s}::text[]) AS k(sha256) CROSS JOIN LATERAL (
      (SELECT FROM files WHERE file ->> 'entries' = k.sha256 LIMIT 1)
      UNION ALL (SELECT FROM jobs WHERE row_blobs @> ARRAY[k.sha256] LIMIT 1)
      UNION ALL (SELECT FROM diffs WHERE documents @> ARRAY[k.sha256] LIMIT 1)
      LIMIT 1) AS referenced`,
);

/** Deletes expired maps and snapshots. The same transaction records the documents they referenced as candidates for deletion. */
export class RetentionStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Deletes a batch of expired maps. The files of a map with a snapshot are kept for the snapshot. @returns false if no map has expired */
  deleteExpiredMaps(): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const maps = await DELETE_EXPIRED.rows(client, {});
      if (maps.length === 0) return false;
      const ids = maps.map(({ id }) => id);
      await changeRows(client, tables.deleteFrom('idempotency_keys').where('job_id', '=', anyOf(ids)));
      const files = await DELETE_FILES.rows(client, { ids });
      await markUnreferenced(client, [
        ...maps.flatMap((map) => map.row_blobs ?? []),
        ...files.map(({ entries }) => entries),
      ]);
      return true;
    });
  }

  /** Deletes a batch of the maps and snapshots of a deleted workspace, and its idempotency keys. @returns false if there were none */
  deleteOfWorkspace(workspaceId: string): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const rows = await selectRows(
        client,
        tables
          .selectFrom('jobs')
          .select('id')
          .where('workspace_id', '=', workspaceId)
          .union(tables.selectFrom('snapshots').select('id').where('workspace_id', '=', workspaceId))
          .limit(MAPS_PER_BATCH),
      );
      for (const { id } of rows) {
        const map = await selectRow(client, tables.deleteFrom('jobs').where('id', '=', id).returning('row_blobs'));
        await markUnreferenced(client, map?.row_blobs ?? []);
        await this.#deleteSnapshot(client, id);
      }
      await changeRows(client, tables.deleteFrom('idempotency_keys').where('workspace_id', '=', workspaceId));
      return rows.length > 0;
    });
  }

  /**
   * Checks one snapshot whose check is due, and deletes it or schedules its next check. The newest two snapshots of a series and its newest
   * complete one are needed. A project keeps its needed snapshots without limit and the others for `days`. A site keeps its needed
   * snapshots for `days`. A snapshot is never deleted before its map, because both reference the same files.
   * @returns false if no check is due
   */
  checkNextSnapshot(days: number): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const due = await DUE.row(client, { days });
      if (due === undefined) return false;
      if (due.is_kept) {
        await changeRows(
          client,
          tables
            .updateTable('snapshots')
            .set({ check_at: sql<Date>`now() + interval '1 day'` })
            .where('id', '=', due.id),
        );
      } else await this.#deleteSnapshot(client, due.id);
      return true;
    });
  }

  async #deleteSnapshot(client: Database, id: string): Promise<void> {
    const rows = await DELETE_SNAPSHOT.rows(client, { id });
    await recordCandidates(
      client,
      rows.flatMap(({ documents, entries }) => [...(documents ?? []), entries ?? '']),
    );
  }

  /** Returns those of the given documents that a map, file or diff references. */
  async findReferenced(sha256s: readonly string[]): Promise<Set<string>> {
    const rows = await REFERENCED.rows(this.#pool, { sha256s });
    return new Set(rows.map(({ sha256 }) => sha256));
  }
}

/** Records documents as candidates for deletion. An empty name belongs to a file without entries. */
const recordCandidates = (client: Database, names: readonly string[]): Promise<void> =>
  markUnreferenced(
    client,
    names.filter((name) => name !== ''),
  );

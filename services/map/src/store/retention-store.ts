import { markUnreferenced } from '@tidemark/blobs';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';

const MAPS_PER_BATCH = 5;
/** Retention of a finished map, hours; equals the retention of its idempotency key. */
const MAP_RETENTION_HOURS = 24;

interface DueSnapshot {
  readonly id: string;
  readonly is_kept: boolean;
}

/** Deletes expired maps and snapshots. The same transaction records the documents they referenced as candidates for deletion. */
export class RetentionStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Deletes a batch of expired maps. The files of a map with a snapshot are kept for the snapshot. @returns false if no map has expired */
  deleteExpiredMaps(): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const { rows: maps } = await client.query<{ id: string; row_blobs: string[] | null }>({
        name: 'delete-expired-maps',
        text: `
          DELETE FROM jobs WHERE id = ANY (ARRAY(
            SELECT id FROM jobs WHERE finished_at < now() - make_interval(hours => $1) ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED))
          RETURNING id, row_blobs`,
        values: [MAP_RETENTION_HOURS, MAPS_PER_BATCH],
      });
      if (maps.length === 0) return false;
      const ids = maps.map(({ id }) => id);
      const keys = 'DELETE FROM idempotency_keys WHERE job_id = ANY($1)';
      await client.query({ name: 'delete-map-keys', text: keys, values: [ids] });
      const { rows: files } = await client.query<{ entries: string }>({
        name: 'delete-map-files',
        text: `
          DELETE FROM files WHERE job_id = ANY($1) AND NOT EXISTS (SELECT FROM snapshots s WHERE s.id = job_id)
          RETURNING file ->> 'entries' AS entries`,
        values: [ids],
      });
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
      const { rows } = await client.query<{ id: string }>(
        `SELECT id FROM jobs WHERE workspace_id = $1 UNION SELECT id FROM snapshots WHERE workspace_id = $1 LIMIT ${MAPS_PER_BATCH}`,
        [workspaceId],
      );
      for (const { id } of rows) {
        const maps = await client.query<{ row_blobs: string[] | null }>(
          'DELETE FROM jobs WHERE id = $1 RETURNING row_blobs',
          [id],
        );
        await markUnreferenced(
          client,
          maps.rows.flatMap((map) => map.row_blobs ?? []),
        );
        await this.#deleteSnapshot(client, id);
      }
      await client.query('DELETE FROM idempotency_keys WHERE workspace_id = $1', [workspaceId]);
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
      const { rows } = await client.query<DueSnapshot>({
        name: 'due-snapshot',
        text: `
          SELECT s.id, CASE WHEN s.project_id = '' THEN recent AND needed ELSE recent OR needed END
            OR EXISTS (SELECT FROM jobs j WHERE j.id = s.id) AS is_kept
          FROM snapshots s,
            LATERAL (SELECT s.taken_at > now() - make_interval(days => $1) AS recent) age,
            LATERAL (SELECT (SELECT count(*) FROM (SELECT FROM snapshots n WHERE n.workspace_id = s.workspace_id
              AND n.project_id = s.project_id AND (s.project_id <> '' OR n.site = s.site) AND n.id > s.id LIMIT 2) newer) < 2
              OR (s.complete AND NOT EXISTS (SELECT FROM snapshots n WHERE n.workspace_id = s.workspace_id
              AND n.project_id = s.project_id AND (s.project_id <> '' OR n.site = s.site) AND n.id > s.id AND n.complete)) AS needed) rank
          WHERE s.check_at <= now() ORDER BY s.check_at LIMIT 1 FOR UPDATE OF s SKIP LOCKED`,
        values: [days],
      });
      const [due] = rows;
      if (due === undefined) return false;
      if (due.is_kept) {
        const text = "UPDATE snapshots SET check_at = now() + interval '1 day' WHERE id = $1";
        await client.query({ name: 'reschedule-snapshot-check', text, values: [due.id] });
      } else await this.#deleteSnapshot(client, due.id);
      return true;
    });
  }

  async #deleteSnapshot(client: pg.PoolClient, id: string): Promise<void> {
    const { rows } = await client.query<{ documents: string[] | null; entries: string | null }>({
      name: 'delete-snapshot',
      text: `
        WITH snapshot AS (DELETE FROM snapshots WHERE id = $1),
          changes AS (DELETE FROM diffs WHERE snapshot_id = $1 RETURNING documents),
          tree AS (DELETE FROM files WHERE job_id = $1 RETURNING file ->> 'entries' AS entries)
        SELECT documents, NULL AS entries FROM changes UNION ALL SELECT NULL, entries FROM tree`,
      values: [id],
    });
    await recordCandidates(
      client,
      rows.flatMap(({ documents, entries }) => [...(documents ?? []), entries ?? '']),
    );
  }

  /** Returns those of the given documents that a map, file or diff references. */
  async findReferenced(sha256s: readonly string[]): Promise<Set<string>> {
    const { rows } = await this.#pool.query<{ sha256: string }>({
      name: 'referenced-documents',
      text: `
        SELECT k.sha256 FROM unnest($1::text[]) AS k(sha256) CROSS JOIN LATERAL (
          (SELECT FROM files WHERE file ->> 'entries' = k.sha256 LIMIT 1)
          UNION ALL (SELECT FROM jobs WHERE row_blobs @> ARRAY[k.sha256] LIMIT 1)
          UNION ALL (SELECT FROM diffs WHERE documents @> ARRAY[k.sha256] LIMIT 1)
          LIMIT 1) AS referenced`,
      values: [[...sha256s]],
    });
    return new Set(rows.map(({ sha256 }) => sha256));
  }
}

/** Records documents as candidates for deletion. An empty name belongs to a file without entries. */
const recordCandidates = (client: pg.PoolClient, names: readonly string[]): Promise<void> =>
  markUnreferenced(
    client,
    names.filter((name) => name !== ''),
  );

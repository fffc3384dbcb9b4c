import { noteUnnamed } from '@tidemark/blobs';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';

const MAPS_AT_ONCE = 5;
/** Hours the answer to a map is kept, as long as its idempotency key is. */
const MAP_HOURS = 24;

interface DueSnapshot {
  readonly id: string;
  readonly stays: boolean;
}

/** Throws away maps and snapshots that have had their time, and notes the documents they named in the same transaction. */
export class DiscardStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Throws away some maps that ended a day ago; the files of those that made a snapshot stay with it. @returns false where there are none */
  discardMaps(): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const { rows: maps } = await client.query<{ id: string; row_blobs: string[] | null }>({
        name: 'discard-maps',
        text: `
          DELETE FROM jobs WHERE id IN (
            SELECT id FROM jobs WHERE finished_at < now() - make_interval(hours => $1) ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED)
          RETURNING id, row_blobs`,
        values: [MAP_HOURS, MAPS_AT_ONCE],
      });
      if (maps.length === 0) return false;
      const ids = maps.map(({ id }) => id);
      const keys = 'DELETE FROM idempotency_keys WHERE job_id = ANY($1)';
      await client.query({ name: 'discard-map-keys', text: keys, values: [ids] });
      const { rows: files } = await client.query<{ entries: string }>({
        name: 'discard-map-files',
        text: `
          DELETE FROM files WHERE job_id = ANY($1) AND NOT EXISTS (SELECT FROM snapshots s WHERE s.id = job_id)
          RETURNING file ->> 'entries' AS entries`,
        values: [ids],
      });
      await note(client, [...maps.flatMap((map) => map.row_blobs ?? []), ...files.map(({ entries }) => entries)]);
      return true;
    });
  }

  /**
   * Looks at one snapshot that is due. The newest two of a line and its newest whole one stay: a project's always, a site's for
   * `days`; others stay for `days` where they are a project's, and each as long as
   * its map does: which of the two goes last takes the files along. @returns false where none is due
   */
  discardSnapshot(days: number): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const { rows } = await client.query<DueSnapshot>({
        name: 'due-snapshot',
        text: `
          SELECT s.id, CASE WHEN s.project_id = '' THEN young AND needed ELSE young OR needed END
            OR EXISTS (SELECT FROM jobs j WHERE j.id = s.id) AS stays
          FROM snapshots s,
            LATERAL (SELECT s.taken_at > now() - make_interval(days => $1) AS young) age,
            LATERAL (SELECT (SELECT count(*) FROM (SELECT FROM snapshots n WHERE n.workspace_id = s.workspace_id
              AND n.project_id = s.project_id AND (s.project_id <> '' OR n.site = s.site) AND n.id > s.id LIMIT 2) newer) < 2
              OR (s.complete AND NOT EXISTS (SELECT FROM snapshots n WHERE n.workspace_id = s.workspace_id
              AND n.project_id = s.project_id AND (s.project_id <> '' OR n.site = s.site) AND n.id > s.id AND n.complete)) AS needed) place
          WHERE s.due <= now() ORDER BY s.due LIMIT 1 FOR UPDATE OF s SKIP LOCKED`,
        values: [days],
      });
      const [due] = rows;
      if (due === undefined) return false;
      if (due.stays) {
        const text = "UPDATE snapshots SET due = now() + interval '1 day' WHERE id = $1";
        await client.query({ name: 'keep-snapshot', text, values: [due.id] });
      } else await this.#discard(client, due.id);
      return true;
    });
  }

  async #discard(client: pg.PoolClient, id: string): Promise<void> {
    const { rows } = await client.query<{ documents: string[] | null; entries: string | null }>({
      name: 'discard-snapshot',
      text: `
        WITH gone AS (DELETE FROM snapshots WHERE id = $1),
          changes AS (DELETE FROM diffs WHERE snapshot_id = $1 RETURNING documents),
          tree AS (DELETE FROM files WHERE job_id = $1 RETURNING file ->> 'entries' AS entries)
        SELECT documents, NULL AS entries FROM changes UNION ALL SELECT NULL, entries FROM tree`,
      values: [id],
    });
    await note(
      client,
      rows.flatMap(({ documents, entries }) => [...(documents ?? []), entries ?? '']),
    );
  }

  /** Which of these documents some map, file or diff names. */
  async named(sha256s: readonly string[]): Promise<Set<string>> {
    const { rows } = await this.#pool.query<{ sha256: string }>({
      name: 'named-documents',
      text: `
        SELECT k.sha256 FROM unnest($1::text[]) AS k(sha256) CROSS JOIN LATERAL (
          (SELECT FROM files WHERE file ->> 'entries' = k.sha256 LIMIT 1)
          UNION ALL (SELECT FROM jobs WHERE row_blobs @> ARRAY[k.sha256] LIMIT 1)
          UNION ALL (SELECT FROM diffs WHERE documents @> ARRAY[k.sha256] LIMIT 1)
          LIMIT 1) AS named`,
      values: [[...sha256s]],
    });
    return new Set(rows.map(({ sha256 }) => sha256));
  }
}

/** Files nothing was read of name nothing. */
const note = (client: pg.PoolClient, names: readonly string[]): Promise<void> =>
  noteUnnamed(
    client,
    names.filter((name) => name !== ''),
  );

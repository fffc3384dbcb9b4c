import { actorOf, type Caller } from '@tidemark/contracts';
import type pg from 'pg';
import type { Entry } from '../records/entries/entry.ts';

/** An entry with its review mark. */
export interface EntryView {
  readonly entry: Entry;
  readonly runId: string;
  readonly position: number;
  /** Empty: not reviewed. */
  readonly reviewedBy: string;
  readonly reviewedAt: Date | undefined;
}

export interface EntryQuery {
  readonly projectId: string;
  readonly runId: string;
  /** Position of the last entry received. */
  readonly after: number;
  readonly limit: number;
  /** Empty: all; changed: any of CHANGED_KINDS. */
  readonly kind: string;
  readonly unreviewed: boolean;
}

interface EntryRow {
  readonly entry: string;
  readonly run_id: string;
  readonly position: number;
  readonly reviewed_by: string | null;
  readonly reviewed_at: Date | null;
}

/** Kinds that count as a change. */
const CHANGED_KINDS = ['added', 'removed', 'modified', 'template'];
const COLUMNS = 'e.entry, e.run_id, e.position, v.reviewed_by, v.reviewed_at';
const WITH_REVIEW = 'LEFT JOIN reviews v ON v.project_id = e.project_id AND v.delta_key = e.delta_key';

/** Entries of records, and their review marks. */
export class EntryStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Lists entries of one record in order. */
  async list({ workspaceId }: Caller, query: EntryQuery): Promise<EntryView[]> {
    const { rows } = await this.#pool.query<EntryRow>({
      name: 'list-entries',
      text: `
        SELECT ${COLUMNS} FROM entries e ${WITH_REVIEW}
        WHERE e.run_id = $3 AND e.workspace_id = $1 AND e.project_id = $2 AND e.position > $4
          AND ($6::text[] = '{}' OR e.kind = ANY($6)) AND NOT ($7 AND v.delta_key IS NOT NULL)
        ORDER BY e.position LIMIT $5`,
      values: [
        workspaceId,
        query.projectId,
        query.runId,
        query.after,
        query.limit,
        kindsOf(query.kind),
        query.unreviewed,
      ],
    });
    return rows.map(toView);
  }

  /** Lists the newest changes of a project, newest record first. Those of a failed or cancelled run are found again by the run after it. */
  async newest({ workspaceId }: Caller, projectId: string, limit: number): Promise<EntryView[]> {
    const { rows } = await this.#pool.query<EntryRow>({
      name: 'newest-entries',
      text: `
        SELECT ${COLUMNS} FROM entries e ${WITH_REVIEW}
        WHERE e.workspace_id = $1 AND e.project_id = $2 AND e.kind = ANY($4)
          AND EXISTS (SELECT FROM records r WHERE r.run_id = e.run_id AND (r.is_history OR r.is_recrawl))
        ORDER BY e.run_id DESC, e.position LIMIT $3`,
      values: [workspaceId, projectId, limit, CHANGED_KINDS],
    });
    return rows.map(toView);
  }

  /** Sets or clears the review marks of entries of one record, in one statement. */
  async reviewMany(
    caller: Caller,
    { projectId, runId, kind, entryIds, reviewed }: ReviewSelection,
  ): Promise<{ matched: number; changed: number }> {
    const change = reviewed
      ? `INSERT INTO reviews (project_id, delta_key, reviewed_by) SELECT DISTINCT $2, delta_key, $6 FROM found ON CONFLICT DO NOTHING RETURNING 1`
      : `DELETE FROM reviews r USING found WHERE r.project_id = $2 AND r.delta_key = found.delta_key AND $6 <> ' ' RETURNING 1`;
    const { rows } = await this.#pool.query<{ matched: number; changed: number }>({
      name: reviewed ? 'review-entries' : 'unreview-entries',
      text: `
        WITH found AS MATERIALIZED (
          SELECT delta_key FROM entries WHERE run_id = $3 AND workspace_id = $1 AND project_id = $2
            AND ($4::text[] = '{}' OR kind = ANY($4)) AND ($5::text[] = '{}' OR id = ANY($5))
        ), changed AS (${change})
        SELECT (SELECT count(*)::int FROM found) AS matched, (SELECT count(*)::int FROM changed) AS changed`,
      values: [caller.workspaceId, projectId, runId, kindsOf(kind), entryIds, actorOf(caller)],
    });
    return rows[0] ?? { matched: 0, changed: 0 };
  }

  /** Sets or clears the review mark of an entry. @returns undefined if the entry does not exist */
  async review(
    caller: Caller,
    query: { readonly projectId: string; readonly entryId: string; readonly reviewed: boolean },
  ): Promise<EntryView | undefined> {
    const found = `SELECT project_id, delta_key FROM entries WHERE id = $3 AND workspace_id = $1 AND project_id = $2`;
    const text = query.reviewed
      ? `INSERT INTO reviews (project_id, delta_key, reviewed_by) SELECT project_id, delta_key, $4 FROM (${found}) e ON CONFLICT DO NOTHING`
      : `DELETE FROM reviews r USING (${found}) e WHERE r.project_id = e.project_id AND r.delta_key = e.delta_key AND $4 <> ' '`;
    const values = [caller.workspaceId, query.projectId, query.entryId, actorOf(caller)];
    await this.#pool.query({ name: query.reviewed ? 'review-entry' : 'unreview-entry', text, values });
    const { rows } = await this.#pool.query<EntryRow>({
      name: 'find-entry',
      text: `
        SELECT ${COLUMNS} FROM entries e ${WITH_REVIEW} WHERE e.id = $3 AND e.workspace_id = $1 AND e.project_id = $2`,
      values: values.slice(0, 3),
    });
    const [row] = rows;
    return row === undefined ? undefined : toView(row);
  }
}

/** Which entries of a record a request names. */
export interface ReviewSelection {
  readonly projectId: string;
  readonly runId: string;
  readonly kind: string;
  /** Empty: all of the kind. */
  readonly entryIds: readonly string[];
  readonly reviewed: boolean;
}

function kindsOf(kind: string): readonly string[] {
  if (kind === 'changed') return CHANGED_KINDS;
  return kind === '' ? [] : [kind];
}

const toView = (row: EntryRow): EntryView => ({
  entry: JSON.parse(row.entry),
  runId: row.run_id,
  position: row.position,
  reviewedBy: row.reviewed_by ?? '',
  reviewedAt: row.reviewed_at ?? undefined,
});

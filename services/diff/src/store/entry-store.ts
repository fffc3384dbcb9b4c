import type { Caller } from '@tidemark/contracts';
import type pg from 'pg';
import type { Entry } from '../record/entry.ts';

/** An entry with the mark its readers gave it. */
export interface ShownEntry {
  readonly entry: Entry;
  readonly runId: string;
  readonly place: number;
  /** Empty: nobody has reviewed it. */
  readonly reviewedBy: string;
  readonly reviewedAt: Date | undefined;
}

export interface EntryWish {
  readonly projectId: string;
  readonly runId: string;
  /** The place of the last entry seen. */
  readonly after: number;
  readonly limit: number;
  /** Empty: all; changed: of any kind in CHANGED_KINDS. */
  readonly kind: string;
  readonly unreviewed: boolean;
}

interface EntryRow {
  readonly entry: string;
  readonly run_id: string;
  readonly place: number;
  readonly reviewed_by: string | null;
  readonly reviewed_at: Date | null;
}

/** Kinds of what has changed. What only changes by itself is the same. */
const CHANGED_KINDS = ['added', 'removed', 'modified', 'template'];
const COLUMNS = 'e.entry, e.run_id, e.place, v.reviewed_by, v.reviewed_at';
const WITH_REVIEW = 'LEFT JOIN reviews v ON v.project_id = e.project_id AND v.delta_key = e.delta_key';

/** Entries of records, and the marks their readers give them. */
export class EntryStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Entries of one record in their order. */
  async list({ workspaceId }: Caller, wish: EntryWish): Promise<ShownEntry[]> {
    const { rows } = await this.#pool.query<EntryRow>({
      name: 'list-entries',
      text: `
        SELECT ${COLUMNS} FROM entries e ${WITH_REVIEW}
        WHERE e.run_id = $3 AND e.workspace_id = $1 AND e.project_id = $2 AND e.place > $4
          AND ($6::text[] = '{}' OR e.kind = ANY($6)) AND NOT ($7 AND v.delta_key IS NOT NULL)
        ORDER BY e.place LIMIT $5`,
      values: [workspaceId, wish.projectId, wish.runId, wish.after, wish.limit, kindsOf(wish.kind), wish.unreviewed],
    });
    return rows.map(toShown);
  }

  /** What changed last on the project's pages, newest record first. */
  async newest({ workspaceId }: Caller, projectId: string, limit: number): Promise<ShownEntry[]> {
    const { rows } = await this.#pool.query<EntryRow>({
      name: 'newest-entries',
      text: `
        SELECT ${COLUMNS} FROM entries e ${WITH_REVIEW}
        WHERE e.workspace_id = $1 AND e.project_id = $2 AND e.kind = ANY($4)
        ORDER BY e.run_id DESC, e.place LIMIT $3`,
      values: [workspaceId, projectId, limit, CHANGED_KINDS],
    });
    return rows.map(toShown);
  }

  /** Marks an entry, or takes its mark away. Reading never does. @returns undefined where there is no such entry */
  async review(
    { workspaceId, keyId }: Caller,
    wish: { readonly projectId: string; readonly entryId: string; readonly reviewed: boolean },
  ): Promise<ShownEntry | undefined> {
    const found = `SELECT project_id, delta_key FROM entries WHERE id = $3 AND workspace_id = $1 AND project_id = $2`;
    const text = wish.reviewed
      ? `INSERT INTO reviews (project_id, delta_key, reviewed_by) SELECT project_id, delta_key, $4 FROM (${found}) e ON CONFLICT DO NOTHING`
      : `DELETE FROM reviews r USING (${found}) e WHERE r.project_id = e.project_id AND r.delta_key = e.delta_key AND $4 <> ' '`;
    const values = [workspaceId, wish.projectId, wish.entryId, keyId];
    await this.#pool.query({ name: wish.reviewed ? 'review-entry' : 'unreview-entry', text, values });
    const { rows } = await this.#pool.query<EntryRow>({
      name: 'find-entry',
      text: `
        SELECT ${COLUMNS} FROM entries e ${WITH_REVIEW} WHERE e.id = $3 AND e.workspace_id = $1 AND e.project_id = $2`,
      values: values.slice(0, 3),
    });
    const [row] = rows;
    return row === undefined ? undefined : toShown(row);
  }
}

function kindsOf(kind: string): readonly string[] {
  if (kind === 'changed') return CHANGED_KINDS;
  return kind === '' ? [] : [kind];
}

const toShown = (row: EntryRow): ShownEntry => ({
  entry: JSON.parse(row.entry),
  runId: row.run_id,
  place: row.place,
  reviewedBy: row.reviewed_by ?? '',
  reviewedAt: row.reviewed_at ?? undefined,
});

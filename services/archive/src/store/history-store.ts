import type { Verdict } from '@tidemark/contracts/page/v1/page';
import { column, type Database, nullable, type Params, type RowOf, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import type { Reading } from '../domain/page-history.ts';
import { schema } from './tables.ts';

/** Maximum number of readings of a page that its history is made of, the newest ones. */
const MAX_READINGS = 20_000;

export interface PageOfProject {
  readonly workspaceId: string;
  readonly projectId: string;
  /** Keys of the URLs that the page may be stored under. */
  readonly urlKeys: readonly Buffer[];
}

const COLUMNS = {
  run_id: column('text'),
  page_id: column('text'),
  crawled_at: column('timestamptz'),
  verdict: stateOf<Verdict>(),
  words: column('int4'),
  language: nullable('text'),
  has_html: column('bool'),
  text: nullable('text'),
  text_since: nullable('timestamptz'),
  text_readings: nullable('int4'),
  text_is_new: nullable('bool'),
};

/**
 * A reading without a hash of its text, such as that of a file, is compared by its document. Captures are looked up by run: a well-known
 * URL has captures in every workspace.
 */
const READINGS = schema.prepareText(
  'history-readings',
  COLUMNS,
  ({ workspaceId, projectId, urlKeys }: Params<PageOfProject>) => sql`
    SELECT r.id AS run_id, p.page_id, p.crawled_at, p.verdict, p.words, p.language, 'rawHtml' = ANY(p.formats) AS has_html,
      coalesce(encode(p.text_hash, 'hex'), CASE WHEN p.content_key <> 0 THEN p.content_key::text END) AS text,
      p.text_since, p.text_readings, p.text_is_new
    FROM runs r CROSS JOIN LATERAL (
      SELECT * FROM run_pages WHERE url_key = ANY(${urlKeys}::bytea[]) AND run_no = r.no OFFSET 0) p
    WHERE r.workspace_id = ${workspaceId} AND r.project_id = ${projectId} AND r.state <> 'discarded'
    ORDER BY p.crawled_at DESC, p.page_id DESC LIMIT ${sql.lit(MAX_READINGS)}`,
);

const DELETED_TO = schema.prepareText(
  'history-deleted-to',
  { deleted_to: column('timestamptz') },
  ({ workspaceId, projectId }: Params<Pick<PageOfProject, 'workspaceId' | 'projectId'>>) => sql`
    SELECT deleted_to FROM project_histories WHERE project_id = ${projectId} AND workspace_id = ${workspaceId}`,
);

/** Reads the readings of a page over time. */
export class HistoryStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the time of the newest deleted reading of a project; undefined: none was deleted. */
  async deletedTo(project: Pick<PageOfProject, 'workspaceId' | 'projectId'>): Promise<Date | undefined> {
    return (await DELETED_TO.row(this.#pool, project))?.deleted_to;
  }

  /** Returns the stored readings of a page, oldest first, and the time of the newest deleted reading of the project. */
  async readingsOf(
    page: PageOfProject,
  ): Promise<{ readonly readings: readonly Reading[]; readonly deletedTo: Date | undefined }> {
    const [rows, deletedTo] = await Promise.all([READINGS.rows(this.#pool, page), this.deletedTo(page)]);
    return { readings: rows.reverse().map(toReading), deletedTo };
  }
}

const toReading = (row: RowOf<typeof COLUMNS>): Reading => ({
  runId: row.run_id,
  pageId: row.page_id,
  crawledAt: row.crawled_at,
  verdict: row.verdict,
  words: row.words,
  language: row.language ?? undefined,
  hasHtml: row.has_html,
  text: row.text ?? undefined,
  deleted: row.text_since === null ? undefined : { since: row.text_since, readings: row.text_readings ?? 0 },
  isNew: row.text_is_new ?? false,
});

/** Pages of a run that are deleted. */
interface DeletedPages {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly no: string;
  readonly ids: readonly string[];
  readonly urlKeys: readonly Buffer[];
}

/**
 * Adds the readings to the next reading of their page if that has the same text, and records otherwise that its text is another one. Runs
 * are deleted in any order, so a reading whose predecessor had another text takes over no further ones.
 */
const HAND_OVER = schema.prepareText(
  'hand-over-deleted-readings',
  {},
  ({ workspaceId, projectId, no, ids, urlKeys }: Params<DeletedPages>) => sql`
    UPDATE run_pages q SET
      text_since = CASE WHEN p.is_same THEN least(coalesce(p.text_since, p.crawled_at), q.text_since, q.crawled_at) ELSE q.text_since END,
      text_readings = CASE WHEN p.is_same THEN coalesce(q.text_readings, 0) + coalesce(p.text_readings, 0) + 1 ELSE q.text_readings END,
      text_is_new = CASE WHEN p.is_same THEN p.text_is_new ELSE true END
    FROM (
      SELECT DISTINCT ON (n.run_no, n.number) n.run_no, n.number, d.text_since, d.crawled_at, d.text_readings, d.text_is_new,
        d.text_hash = n.text_hash AS is_same
      FROM unnest(${ids}::text[], ${urlKeys}::bytea[]) AS k(id, url_key)
      CROSS JOIN LATERAL (
        SELECT * FROM run_pages WHERE url_key = k.url_key AND run_no = ${no} AND page_id = k.id LIMIT 1) d
      CROSS JOIN LATERAL (
        SELECT g.run_no, g.number, g.text_hash FROM runs r CROSS JOIN LATERAL (
          SELECT * FROM run_pages WHERE url_key = k.url_key AND run_no = r.no OFFSET 0) g
        WHERE r.workspace_id = ${workspaceId} AND r.project_id = ${projectId} AND r.no > ${no} AND g.text_hash IS NOT NULL
          AND g.verdict IN ('ok', 'thin', 'cached')
        ORDER BY r.no LIMIT 1) n
      WHERE d.text_hash IS NOT NULL AND d.verdict IN ('ok', 'thin', 'cached')
    ) p
    WHERE q.run_no = p.run_no AND q.number = p.number AND q.text_is_new IS DISTINCT FROM true`,
);

const RECORD_DELETED = schema.prepareText(
  'record-deleted-readings',
  {},
  ({ workspaceId, projectId, no, ids, urlKeys }: Params<DeletedPages>) => sql`
    INSERT INTO project_histories AS h (project_id, workspace_id, deleted_to)
    SELECT ${projectId}, ${workspaceId}, max(d.crawled_at)
    FROM unnest(${ids}::text[], ${urlKeys}::bytea[]) AS k(id, url_key) CROSS JOIN LATERAL (
      SELECT crawled_at FROM run_pages WHERE url_key = k.url_key AND run_no = ${no} AND page_id = k.id LIMIT 1) d
    HAVING max(d.crawled_at) IS NOT NULL
    ON CONFLICT (project_id) DO UPDATE SET deleted_to = greatest(h.deleted_to, excluded.deleted_to)`,
);

/** Records in the history of a project that readings of a run are deleted. Called in the transaction that deletes them, before that. */
export async function recordDeletedReadings(db: Database, pages: DeletedPages): Promise<void> {
  if (pages.projectId === '' || pages.ids.length === 0) return;
  await HAND_OVER.change(db, pages);
  await RECORD_DELETED.change(db, pages);
}

/** Deletes what is known of the history of a project without runs. */
export const DROP_HISTORY = schema.prepareText(
  'drop-history',
  {},
  ({ projectId }: Params<{ readonly projectId: string }>) => sql`
    DELETE FROM project_histories WHERE project_id = ${projectId} AND NOT EXISTS (SELECT FROM runs WHERE project_id = ${projectId})`,
);

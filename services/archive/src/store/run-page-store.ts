import { PageRow, type RunPage } from '@tidemark/contracts/page/v1/page';
import type pg from 'pg';
import { READABLE_STATES } from '../domain/list-state.ts';
import type { ListedRun } from '../domain/listed-run.ts';
import { isInState } from './list-transitions.ts';
import { linkColumns, listedColumns } from './listed-columns.ts';

/** Lateral lookup, page by page: the planner has no statistics of a run that has just begun. */
const ROW_OF_PAGE = 'LEFT JOIN LATERAL (SELECT row FROM pages WHERE id = p.page_id LIMIT 1) g ON true';

/** Writes the pages of runs: lists them, adds their final details after the run's end, and stores the sketches of their words. */
export class RunPageStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the stored rows of these pages of a run, by id. */
  async arrived({ id, workspaceId }: ListedRun, pageIds: readonly string[]): Promise<Map<string, PageRow>> {
    const { rows } = await this.#pool.query<{ id: string; row: Buffer }>({
      name: 'arrived-pages',
      text: `
        SELECT k.id, p.row FROM unnest($3::text[]) AS k(id) CROSS JOIN LATERAL (
          SELECT row FROM pages WHERE id = k.id AND workspace_id = $1 AND job_id = $2 LIMIT 1) p`,
      values: [workspaceId, id, [...pageIds]],
    });
    return new Map(rows.map((row) => [row.id, PageRow.decode(row.row)]));
  }

  /**
   * Lists pages of a run that is not discarded. Safe to repeat: final link counts are never replaced by a concurrent call that read
   * the run earlier.
   */
  async list(run: ListedRun, pages: readonly { readonly known: RunPage; readonly row: PageRow }[]): Promise<void> {
    if (pages.length === 0) return;
    const rows = pages.map(({ known, row }) => ({ run_no: run.no, ...listedColumns(known, row) }));
    await this.#pool.query({
      name: 'list-run-pages',
      text: `
        WITH run AS (SELECT no FROM runs WHERE no = $1 AND ${isInState(READABLE_STATES)} FOR SHARE)
        INSERT INTO run_pages
        SELECT p.* FROM run, json_populate_recordset(NULL::run_pages, $2::json) AS p
        ON CONFLICT (run_no, number) DO UPDATE SET in_links = coalesce(excluded.in_links, run_pages.in_links),
          orphan = coalesce(excluded.orphan, run_pages.orphan), unlisted = coalesce(excluded.unlisted, run_pages.unlisted)
        WHERE run_pages.in_links IS NULL AND excluded.in_links IS NOT NULL`,
      values: [run.no, JSON.stringify(rows)],
    });
  }

  /** Adds the final details of pages: links, depth and origin, which are known when the run has ended. */
  async complete(run: ListedRun, pages: readonly RunPage[]): Promise<void> {
    if (pages.length === 0) return;
    await this.#pool.query({
      name: 'complete-run-pages',
      text: `
        UPDATE run_pages p SET in_links = k.in_links, orphan = k.orphan, unlisted = k.unlisted, first_referer = k.first_referer,
          in_sitemap = k.in_sitemap, depth = k.depth, found_via = k.found_via
        FROM (SELECT t.tid, n.* FROM json_populate_recordset(NULL::run_pages, $2::json) AS n CROSS JOIN LATERAL (
          SELECT ctid AS tid FROM run_pages WHERE run_no = $1 AND number = n.number LIMIT 1 FOR UPDATE) t) k
        WHERE p.ctid = k.tid`,
      values: [run.no, JSON.stringify(pages.map(linkColumns))],
    });
  }

  /** Returns the next pages of a run whose words are not sketched, with their rows. */
  async unsketched(run: ListedRun, limit: number): Promise<{ number: number; row: PageRow }[]> {
    const { rows } = await this.#pool.query<{ number: number; row: Buffer | null }>({
      name: 'unsketched-pages',
      text: `
        SELECT p.number, g.row FROM (
          SELECT number, page_id FROM run_pages
          WHERE run_no = $1 AND number > $2 AND content_key <> 0 AND 'markdown' = ANY(formats) ORDER BY number LIMIT $3
        ) p ${ROW_OF_PAGE} ORDER BY p.number`,
      values: [run.no, run.sketched, limit],
    });
    return rows.flatMap(({ number, row }) => (row === null ? [] : [{ number, row: PageRow.decode(row) }]));
  }

  async sketch(
    run: ListedRun,
    sketches: readonly { readonly number: number; readonly sketch: Buffer }[],
  ): Promise<void> {
    await this.#pool.query({
      name: 'sketch-run-pages',
      text: `
        WITH run AS (SELECT no FROM runs WHERE no = $1 AND ${isInState(READABLE_STATES)} FOR SHARE)
        INSERT INTO run_words (run_no, number, sketch)
        SELECT run.no, s.number, s.sketch FROM run, unnest($2::int[], $3::bytea[]) AS s(number, sketch)
        ON CONFLICT DO NOTHING`,
      values: [run.no, sketches.map(({ number }) => number), sketches.map(({ sketch }) => sketch)],
    });
  }
}

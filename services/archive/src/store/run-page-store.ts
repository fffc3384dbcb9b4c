import { PageRow, type RunPage } from '@tidemark/contracts/page/v1/page';
import { column, nullable, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { READABLE_STATES } from '../domain/list-state.ts';
import type { ListedRun } from '../domain/listed-run.ts';
import { isInState } from './list-transitions.ts';
import { linkColumns, listedColumns } from './listed-columns.ts';
import { schema } from './tables.ts';

interface PagesOfRun {
  readonly workspaceId: string;
  readonly runId: string;
  readonly pageIds: readonly string[];
}

const ARRIVED = schema.prepareText(
  'arrived-pages',
  { id: column('text'), row: column('bytea') },
  ({ workspaceId, runId, pageIds }: Params<PagesOfRun>) => sql`
    SELECT k.id, p.row FROM unnest(${pageIds}::text[]) AS k(id) CROSS JOIN LATERAL (
      SELECT row FROM pages WHERE id = k.id AND workspace_id = ${workspaceId} AND job_id = ${runId} LIMIT 1) p`,
);

interface RowsOfRun {
  readonly no: string;
  /** JSON: a list of rows of `run_pages`. */
  readonly rows: string;
}

const LIST = schema.prepareText(
  'list-run-pages',
  {},
  ({ no, rows }: Params<RowsOfRun>) => sql`
    WITH run AS (SELECT no FROM runs WHERE no = ${no} AND ${isInState(READABLE_STATES)} FOR SHARE)
    INSERT INTO run_pages
    SELECT p.* FROM run, json_populate_recordset(NULL::run_pages, ${rows}::json) AS p
    ON CONFLICT (run_no, number) DO UPDATE SET in_links = coalesce(excluded.in_links, run_pages.in_links),
      orphan = coalesce(excluded.orphan, run_pages.orphan), unlisted = coalesce(excluded.unlisted, run_pages.unlisted)
    WHERE run_pages.in_links IS NULL AND excluded.in_links IS NOT NULL`,
);

const COMPLETE = schema.prepareText(
  'complete-run-pages',
  {},
  ({ no, rows }: Params<RowsOfRun>) => sql`
    UPDATE run_pages p SET in_links = k.in_links, orphan = k.orphan, unlisted = k.unlisted, first_referer = k.first_referer,
      in_sitemap = k.in_sitemap, depth = k.depth, found_via = k.found_via
    FROM (SELECT t.tid, n.* FROM json_populate_recordset(NULL::run_pages, ${rows}::json) AS n CROSS JOIN LATERAL (
      SELECT ctid AS tid FROM run_pages WHERE run_no = ${no} AND number = n.number LIMIT 1 FOR UPDATE) t) k
    WHERE p.ctid = k.tid`,
);

interface UnsketchedRange {
  readonly no: string;
  readonly after: number;
  readonly limit: number;
}

/** Looks up each row laterally: the planner has no statistics of a run that has just begun. */
const UNSKETCHED = schema.prepareText(
  'unsketched-pages',
  { number: column('int4'), row: nullable('bytea') },
  ({ no, after, limit }: Params<UnsketchedRange>) => sql`
    SELECT p.number, g.row FROM (
      SELECT number, page_id FROM run_pages
      WHERE run_no = ${no} AND number > ${after} AND content_key <> 0 AND 'markdown' = ANY(formats) ORDER BY number LIMIT ${limit}
    ) p LEFT JOIN LATERAL (SELECT row FROM pages WHERE id = p.page_id LIMIT 1) g ON true ORDER BY p.number`,
);

/** Sketches of pages: the values at each position of the lists. */
interface SketchLists {
  readonly no: string;
  readonly numbers: readonly number[];
  readonly sketches: readonly Buffer[];
}

const SKETCH = schema.prepareText(
  'sketch-run-pages',
  {},
  ({ no, numbers, sketches }: Params<SketchLists>) => sql`
    WITH run AS (SELECT no FROM runs WHERE no = ${no} AND ${isInState(READABLE_STATES)} FOR SHARE)
    INSERT INTO run_words (run_no, number, sketch)
    SELECT run.no, s.number, s.sketch FROM run, unnest(${numbers}::int[], ${sketches}::bytea[]) AS s(number, sketch)
    ON CONFLICT DO NOTHING`,
);

/** Writes the pages of runs: lists them, adds their final details after the run's end, and stores the sketches of their words. */
export class RunPageStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the stored rows of these pages of a run, by id. */
  async arrived({ id, workspaceId }: ListedRun, pageIds: readonly string[]): Promise<Map<string, PageRow>> {
    const rows = await ARRIVED.rows(this.#pool, { workspaceId, runId: id, pageIds });
    return new Map(rows.map((row) => [row.id, PageRow.decode(row.row)]));
  }

  /**
   * Lists pages of a run that is not discarded. Safe to repeat: final link counts are never replaced by a concurrent call that read
   * the run earlier.
   */
  async list(run: ListedRun, pages: readonly { readonly known: RunPage; readonly row: PageRow }[]): Promise<void> {
    if (pages.length === 0) return;
    const rows = pages.map(({ known, row }) => ({ run_no: run.no, ...listedColumns(known, row) }));
    await LIST.change(this.#pool, { no: run.no, rows: JSON.stringify(rows) });
  }

  /** Adds the final details of pages: links, depth and origin, which are known when the run has ended. */
  async complete(run: ListedRun, pages: readonly RunPage[]): Promise<void> {
    if (pages.length === 0) return;
    await COMPLETE.change(this.#pool, { no: run.no, rows: JSON.stringify(pages.map(linkColumns)) });
  }

  /** Returns the next pages of a run whose words are not sketched, with their rows. */
  async unsketched(run: ListedRun, limit: number): Promise<{ number: number; row: PageRow }[]> {
    const rows = await UNSKETCHED.rows(this.#pool, { no: run.no, after: run.sketched, limit });
    return rows.flatMap(({ number, row }) => (row === null ? [] : [{ number, row: PageRow.decode(row) }]));
  }

  async sketch(
    run: ListedRun,
    sketches: readonly { readonly number: number; readonly sketch: Buffer }[],
  ): Promise<void> {
    await SKETCH.change(this.#pool, {
      no: run.no,
      numbers: sketches.map(({ number }) => number),
      sketches: sketches.map(({ sketch }) => sketch),
    });
  }
}

import type { ArchivedPage, PageVersion } from '@tidemark/contracts/archive/v1/archive';
import { PageRow, type RunPage } from '@tidemark/contracts/page/v1/page';
import type pg from 'pg';
import type { BodyCounts, EngineSummary, ListedRun, RunSummary } from '../domain/listed-run.ts';
import type { SqlValue } from '../query/compile.ts';
import { orderSql, type PageOrder } from '../query/page-order.ts';

/** A listed page of a run and its stored row. */
export interface FoundRow {
  readonly row: PageRow;
  readonly known: RunPage;
}

interface KnownRow {
  readonly number: number;
  readonly page_id: string;
  readonly row: Buffer | null;
  readonly found_via: string;
  readonly first_referer: string | null;
  readonly in_sitemap: boolean;
  readonly depth: number;
  readonly in_links: number | null;
  readonly orphan: boolean | null;
  readonly unlisted: boolean | null;
}

const KNOWN =
  'p.number, p.page_id, p.found_via, p.first_referer, p.in_sitemap, p.depth, p.in_links, p.orphan, p.unlisted';
const ROW_OF_PAGE = 'JOIN LATERAL (SELECT row FROM pages WHERE id = p.page_id LIMIT 1) g ON true';

/** SQL conditions on a page `p`. The first values are the run, the number before the first page, and the limit. */
export interface PageFilter {
  readonly where: readonly string[];
  readonly values: readonly SqlValue[];
  /** Default: by number. */
  readonly order?: PageOrder | undefined;
}

const HAS_BODY = {
  markdown: `p.content_key <> 0 AND 'markdown' = ANY(p.formats)`,
  rawHtml: `p.content_key <> 0 AND 'rawHtml' = ANY(p.formats)`,
} as const;
const BODY_COUNTS = `count(*) FILTER (WHERE ${HAS_BODY.markdown})::int AS markdown, count(*) FILTER (WHERE ${HAS_BODY.rawHtml})::int AS html`;
export type SearchedBody = keyof typeof HAS_BODY;
export const isSearchedBody = (name: string): name is SearchedBody => Object.hasOwn(HAS_BODY, name);
/** Returns the SQL condition that a page `p` has a body. */
export const hasBody = (body: SearchedBody): string => HAS_BODY[body];

/** Queries over the listed pages of runs. */
export class PageQueries {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the pages that match a filter, in its order. */
  async list({ where, values, order }: PageFilter): Promise<FoundRow[]> {
    const { key, follows, direction } = orderSql(order);
    const { rows } = await this.#pool.query<KnownRow>({
      text: `
        SELECT p.*, g.row FROM (
          SELECT ${KNOWN}, ${key} AS sort_key FROM run_pages p WHERE ${['p.run_no = $1', follows, ...where].join(' AND ')}
          ORDER BY ${key} ${direction}, p.number LIMIT $3) p ${ROW_OF_PAGE} ORDER BY p.sort_key ${direction}, p.number`,
      values: [...values],
    });
    return rows.flatMap(toFound);
  }

  /** Returns the number of pages that match a filter. */
  async count({ where, values }: PageFilter): Promise<number> {
    const { rows } = await this.#pool.query<{ n: number }>({
      // PostgreSQL requires that every parameter of a statement is used.
      text: `SELECT count(*)::int AS n FROM run_pages p WHERE ${['p.run_no = $1', '$2::int IS NOT NULL', '$3::int IS NOT NULL', ...where].join(' AND ')}`,
      values: [...values],
    });
    return rows[0]?.n ?? 0;
  }

  /** Returns the pages that have this body, by number. */
  async withBody(run: ListedRun, body: SearchedBody, { after, limit }: Range): Promise<FoundRow[]> {
    return this.list({ where: [HAS_BODY[body]], values: [run.no, after, limit] });
  }

  /**
   * Returns the pages whose sketch has these bits, and those without a sketch. Sketches are read in a range scan: a lookup by page costs
   * several times as much.
   * @param places numbers of bits before the reduction to the sketch's size
   */
  async bySketch(run: ListedRun, places: readonly number[], { after, limit }: Range): Promise<FoundRow[]> {
    const shown = places.map((_, i) => `get_bit(sketch, $${i + 5}::bigint % (octet_length(sketch) * 8)) = 1`);
    const { rows } = await this.#pool.query<KnownRow>({
      text: `
        SELECT ${KNOWN}, g.row FROM (
          (SELECT number FROM run_words WHERE run_no = $1 AND number > $2 AND number <= $4 AND ${shown.join(' AND ')}
           ORDER BY number LIMIT $3)
          UNION ALL
          (SELECT p.number FROM run_pages p WHERE p.run_no = $1 AND p.number > greatest($2, $4) AND ${HAS_BODY.markdown}
           ORDER BY p.number LIMIT $3)
          ORDER BY number LIMIT $3
        ) n CROSS JOIN LATERAL (SELECT * FROM run_pages WHERE run_no = $1 AND number = n.number LIMIT 1) p
        ${ROW_OF_PAGE} ORDER BY p.number`,
      values: [run.no, after, limit, run.sketched, ...places],
    });
    return rows.flatMap(toFound);
  }

  /** Counts the pages of a run with numbers above `after` and up to `to`. */
  async countBetween(run: ListedRun, after: number, to: number): Promise<number> {
    const { rows } = await this.#pool.query<{ n: number }>({
      name: 'count-between',
      text: 'SELECT count(*)::int AS n FROM run_pages WHERE run_no = $1 AND number > $2 AND number <= $3',
      values: [run.no, after, to],
    });
    return rows[0]?.n ?? 0;
  }

  /** Finds a page of a run by its id. */
  async find(run: ListedRun, pageId: string): Promise<FoundRow | undefined> {
    const { rows } = await this.#pool.query<KnownRow>({
      name: 'find-run-page',
      text: `
        SELECT ${KNOWN}, g.row FROM pages g CROSS JOIN LATERAL (
          SELECT * FROM run_pages WHERE url_key = g.url_key AND run_no = $3 AND page_id = g.id LIMIT 1) p
        WHERE g.id = $4 AND g.workspace_id = $1 AND g.job_id = $2`,
      values: [run.workspaceId, run.id, run.no, pageId],
    });
    return rows.flatMap(toFound)[0];
  }

  /**
   * Returns the captures of a URL in the project, newest first, the page itself included. They are looked up by run: a well-known URL has
   * captures in every workspace. With `before`, only good captures of earlier full runs that are done: those that records compare with.
   */
  async readings(
    run: ListedRun,
    urlKey: Uint8Array,
    { limit, before = '' }: { readonly limit: number; readonly before?: string },
  ): Promise<(PageVersion & { content: string })[]> {
    const { rows } = await this.#pool.query<ReadingRow>({
      name: 'readings',
      text: `
        SELECT r.id AS run_id, p.page_id, p.crawled_at, p.verdict, p.http_status, p.words, p.content_key
        FROM runs r CROSS JOIN LATERAL (SELECT * FROM run_pages WHERE url_key = $3 AND run_no = r.no OFFSET 0) p
        WHERE r.workspace_id = $1 AND r.project_id = $2 AND r.state <> 'discarded'
          AND ($5 = '' OR (
            r.id < $5 COLLATE "C" AND r.status = 'done' AND r.trigger <> 'recrawl' AND p.verdict IN ('ok', 'thin', 'cached')))
        ORDER BY p.crawled_at DESC, p.page_id DESC LIMIT $4`,
      values: [run.workspaceId, run.projectId, Buffer.from(urlKey), limit, before],
    });
    return rows.map(toReading);
  }

  /** Counts the pages of a run by the bodies that can be searched. Cheaper than the summary, which includes the counts. */
  async countBodies(run: ListedRun): Promise<BodyCounts> {
    const { rows } = await this.#pool.query<{ pages: number; markdown: number; html: number }>({
      name: 'count-bodies',
      text: `SELECT count(*)::int AS pages, ${BODY_COUNTS} FROM run_pages p WHERE run_no = $1`,
      values: [run.no],
    });
    const { pages = 0, markdown = 0, html = 0 } = rows[0] ?? {};
    return { pages, withoutMarkdown: pages - markdown, withoutHtml: pages - html };
  }

  async summarize(run: ListedRun): Promise<RunSummary> {
    const { rows } = await this.#pool.query<EngineRow>({
      name: 'summarize-run',
      text: `
        SELECT CASE WHEN took_ms = 0 THEN '' ELSE coalesce(method, '') END AS method, count(*)::int AS pages, sum(credits)::int AS credits,
          round(percentile_disc(0.5) WITHIN GROUP (ORDER BY took_ms))::int AS median,
          ${BODY_COUNTS}
        FROM run_pages p WHERE run_no = $1 GROUP BY 1 ORDER BY 2 DESC`,
      values: [run.no],
    });
    const sum = (of: (row: EngineRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
    const engines: EngineSummary[] = rows.map((row) => ({
      method: row.method,
      pages: row.pages,
      credits: row.credits,
      medianMs: row.median,
    }));
    const pages = sum((row) => row.pages);
    return { pages, withoutMarkdown: pages - sum((r) => r.markdown), withoutHtml: pages - sum((r) => r.html), engines };
  }
}

export interface Range {
  /** Number of the page before the first. */
  readonly after: number;
  readonly limit: number;
}

interface EngineRow {
  readonly method: string;
  readonly pages: number;
  readonly credits: number;
  readonly median: number;
  readonly markdown: number;
  readonly html: number;
}

interface ReadingRow {
  readonly run_id: string;
  readonly page_id: string;
  readonly crawled_at: Date;
  readonly verdict: string;
  readonly http_status: number;
  readonly words: number;
  readonly content_key: string;
}

const toReading = (row: ReadingRow): PageVersion & { content: string } => ({
  runId: row.run_id,
  pageId: row.page_id,
  crawledAt: row.crawled_at,
  verdict: row.verdict,
  httpStatus: row.http_status,
  words: row.words,
  isSame: false,
  content: row.content_key,
});

function toFound(row: KnownRow): FoundRow[] {
  // The row was deleted after the list was written: the run is being discarded.
  if (row.row === null) return [];
  const known: RunPage = {
    pageId: row.page_id,
    number: row.number,
    foundVia: row.found_via,
    firstReferer: row.first_referer ?? '',
    inSitemap: row.in_sitemap,
    depth: row.depth,
    inLinks: row.in_links ?? undefined,
    orphan: row.orphan ?? undefined,
    unlisted: row.unlisted ?? undefined,
  };
  return [{ row: PageRow.decode(row.row), known }];
}

/** Returns a page in the form of the response. */
export const toArchived = ({ row, known }: FoundRow, bodies: Buffer = Buffer.alloc(0)): ArchivedPage => ({
  page: { row, bodies },
  known,
});

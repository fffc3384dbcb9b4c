import type { ArchivedPage, PageVersion } from '@tidemark/contracts/archive/v1/archive';
import { PageRow, type RunPage, type Verdict } from '@tidemark/contracts/page/v1/page';
import {
  anyOf,
  column,
  nullable,
  type Params,
  type RawBuilder,
  type RowOf,
  type RowOfQuery,
  selectRow,
  selectRows,
  sql,
  stateOf,
} from '@tidemark/sql';
import type pg from 'pg';
import type { BodyCounts, EngineSummary, ListedRun, RunSummary } from '../domain/listed-run.ts';
import { orderSql, type PageOrder } from './query/page-order.ts';
import { schema, tables } from './tables.ts';

/** A listed page of a run and its stored row. */
export interface FoundRow {
  readonly row: PageRow;
  readonly known: RunPage;
}

/** The columns of a page `p` that are not part of its row. */
const KNOWN = [
  'p.number',
  'p.page_id',
  'p.found_via',
  'p.first_referer',
  'p.in_sitemap',
  'p.depth',
  'p.in_links',
  'p.orphan',
  'p.unlisted',
] as const;

/** Conditions on a page `p` of a run, and the part of its list that is read. */
export interface PageFilter extends Range {
  readonly runNo: string;
  readonly where: readonly RawBuilder<boolean>[];
  /** Default: by number. */
  readonly order?: PageOrder | undefined;
}

const HAS_BODY = {
  markdown: sql<boolean>`p.content_key <> 0 AND 'markdown' = ANY(p.formats)`,
  rawHtml: sql<boolean>`p.content_key <> 0 AND 'rawHtml' = ANY(p.formats)`,
} as const;
const BODY_COUNTS = sql`count(*) FILTER (WHERE ${HAS_BODY.markdown})::int AS markdown, count(*) FILTER (WHERE ${HAS_BODY.rawHtml})::int AS html`;
export type SearchedBody = keyof typeof HAS_BODY;
export const isSearchedBody = (name: string): name is SearchedBody => Object.hasOwn(HAS_BODY, name);
/** Returns the SQL condition that a page `p` has a body. */
export const hasBody = (body: SearchedBody): RawBuilder<boolean> => HAS_BODY[body];

const allOf = (conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
  sql`${sql.join([sql`true`, ...conditions.map((each) => sql`(${each})`)], sql` AND `)}`;

const COUNT_BETWEEN = schema.prepare(
  'count-between',
  ({ no, after, to }: Params<{ readonly no: string; readonly after: number; readonly to: number }>) =>
    tables
      .selectFrom('run_pages')
      .select(sql<number>`count(*)::int`.as('n'))
      .where('run_no', '=', no)
      .where('number', '>', after)
      .where('number', '<=', to),
);

interface PageOfRun {
  readonly workspaceId: string;
  readonly runId: string;
  readonly no: string;
  readonly pageId: string;
}

const FIND = schema.prepare('find-run-page', ({ workspaceId, runId, no, pageId }: Params<PageOfRun>) =>
  tables
    .selectFrom('pages as g')
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom('run_pages')
          .selectAll()
          .whereRef('url_key', '=', 'g.url_key')
          .where('run_no', '=', no)
          .whereRef('page_id', '=', 'g.id')
          .limit(sql.lit(1))
          .as('p'),
      (join) => join.onTrue(),
    )
    .select([...KNOWN, 'g.row'])
    .where('g.id', '=', pageId)
    .where('g.workspace_id', '=', workspaceId)
    .where('g.job_id', '=', runId),
);
type KnownRow = RowOfQuery<ReturnType<typeof listed>>;

const READING_COLUMNS = {
  run_id: column('text'),
  page_id: column('text'),
  crawled_at: column('timestamptz'),
  verdict: stateOf<Verdict>(),
  http_status: column('int4'),
  words: column('int4'),
  content_key: column('int8'),
  product_price: nullable('float8'),
  product_currency: nullable('text'),
  product_in_stock: nullable('bool'),
};

interface ReadingValues {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly urlKey: Buffer;
  readonly limit: number;
  /** Id of a run; null: captures of all runs. */
  readonly before: string | null;
}

const READINGS = schema.prepareText(
  'readings',
  READING_COLUMNS,
  ({ workspaceId, projectId, urlKey, limit, before }: Params<ReadingValues>) => sql`
    SELECT r.id AS run_id, p.page_id, p.crawled_at, p.verdict, p.http_status, p.words, p.content_key,
      p.product_price, p.product_currency, p.product_in_stock
    FROM runs r CROSS JOIN LATERAL (SELECT * FROM run_pages WHERE url_key = ${urlKey} AND run_no = r.no OFFSET 0) p
    WHERE r.workspace_id = ${workspaceId} AND r.project_id = ${projectId} AND r.state <> 'discarded'
      AND (${before}::text IS NULL OR (
        r.id < ${before} COLLATE "C" AND r.status = 'done' AND r.trigger <> 'recrawl' AND p.verdict IN ('ok', 'thin', 'cached')))
    ORDER BY p.crawled_at DESC, p.page_id DESC LIMIT ${limit}`,
);

const COUNT_BODIES = schema.prepareText(
  'count-bodies',
  { pages: column('int4'), markdown: column('int4'), html: column('int4') },
  ({ no }: Params<{ readonly no: string }>) =>
    sql`SELECT count(*)::int AS pages, ${BODY_COUNTS} FROM run_pages p WHERE run_no = ${no}`,
);

const ENGINE_COLUMNS = {
  method: stateOf<EngineSummary['method']>(),
  pages: column('int4'),
  credits: column('int4'),
  median: column('int4'),
  markdown: column('int4'),
  html: column('int4'),
};
type EngineRow = RowOf<typeof ENGINE_COLUMNS>;

const SUMMARIZE = schema.prepareText(
  'summarize-run',
  ENGINE_COLUMNS,
  ({ no }: Params<{ readonly no: string }>) => sql`
    SELECT CASE WHEN took_ms = 0 THEN '' ELSE coalesce(method, '') END AS method, count(*)::int AS pages, sum(credits)::int AS credits,
      round(percentile_disc(0.5) WITHIN GROUP (ORDER BY took_ms))::int AS median,
      ${BODY_COUNTS}
    FROM run_pages p WHERE run_no = ${no} GROUP BY 1 ORDER BY 2 DESC`,
);

/** Queries over the listed pages of runs. */
export class PageQueries {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the pages that match a filter, in its order. */
  async list(filter: PageFilter): Promise<FoundRow[]> {
    return (await selectRows(this.#pool, listed(filter))).map(toFound);
  }

  /** Returns the number of pages that match a filter, in the whole list. */
  async count({ runNo, where }: PageFilter): Promise<number> {
    const row = await selectRow(
      this.#pool,
      tables
        .selectFrom('run_pages as p')
        .select(sql<number>`count(*)::int`.as('n'))
        .where('p.run_no', '=', runNo)
        .where(allOf(where)),
    );
    return row?.n ?? 0;
  }

  /** Returns the pages that have this body, by number. */
  async withBody(run: ListedRun, body: SearchedBody, { after, limit }: Range): Promise<FoundRow[]> {
    return this.list({ runNo: run.no, after, limit, where: [HAS_BODY[body]] });
  }

  /**
   * Returns the pages whose sketch has these bits, and those without a sketch. Sketches are read in a range scan: a lookup by page costs
   * several times as much.
   * @param places numbers of bits before the reduction to the sketch's size
   */
  async bySketch(run: ListedRun, places: readonly number[], { after, limit }: Range): Promise<FoundRow[]> {
    const shown = places.map(
      (place) => sql<boolean>`get_bit(sketch, ${place}::bigint % (octet_length(sketch) * 8)) = 1`,
    );
    const candidates = sql<{ readonly number: number }>`(
      (SELECT number FROM run_words WHERE run_no = ${run.no} AND number > ${after} AND number <= ${run.sketched} AND ${allOf(shown)}
       ORDER BY number LIMIT ${limit})
      UNION ALL
      (SELECT p.number FROM run_pages p WHERE p.run_no = ${run.no} AND p.number > greatest(${after}::int, ${run.sketched}::int)
         AND ${HAS_BODY.markdown}
       ORDER BY p.number LIMIT ${limit})
      ORDER BY number LIMIT ${limit})`;
    const rows = await selectRows(
      this.#pool,
      tables
        .selectFrom(candidates.as('n'))
        .innerJoinLateral(
          ({ selectFrom }) =>
            selectFrom('run_pages')
              .selectAll()
              .where('run_no', '=', run.no)
              .whereRef('run_pages.number', '=', 'n.number')
              .limit(1)
              .as('p'),
          (join) => join.onTrue(),
        )
        .innerJoinLateral(
          ({ selectFrom }) => selectFrom('pages').select('row').whereRef('id', '=', 'p.page_id').limit(1).as('g'),
          (join) => join.onTrue(),
        )
        .select([...KNOWN, 'g.row'])
        .orderBy('p.number'),
    );
    return rows.map(toFound);
  }

  /** Counts the pages of a run with numbers above `after` and up to `to`. */
  async countBetween(run: ListedRun, after: number, to: number): Promise<number> {
    const row = await COUNT_BETWEEN.row(this.#pool, { no: run.no, after, to });
    return row?.n ?? 0;
  }

  /** Finds a page of a run by its id. */
  async find(run: Pick<ListedRun, 'workspaceId' | 'id' | 'no'>, pageId: string): Promise<FoundRow | undefined> {
    const { workspaceId, id, no } = run;
    const row = await FIND.row(this.#pool, { workspaceId, runId: id, no, pageId });
    return row && toFound(row);
  }

  /**
   * Returns the captures of a URL in the project, newest first, the page itself included. They are looked up by run: a well-known URL has
   * captures in every workspace. With `before`, only good captures of earlier full runs that are done: those that records compare with.
   */
  async readings(
    run: ListedRun,
    urlKey: Uint8Array,
    { limit, before }: { readonly limit: number; readonly before?: string | undefined },
  ): Promise<(PageVersion & { content: string })[]> {
    const { workspaceId, projectId } = run;
    const rows = await READINGS.rows(this.#pool, {
      workspaceId,
      projectId,
      urlKey: Buffer.from(urlKey),
      limit,
      before: before ?? null,
    });
    return rows.map(toReading);
  }

  /** Returns rows of captures by their ids, of those that exist. */
  async rowsOf(workspaceId: string, pageIds: readonly string[]): Promise<ReadonlyMap<string, PageRow>> {
    if (pageIds.length === 0) return new Map();
    const rows = await selectRows(
      this.#pool,
      tables
        .selectFrom('pages')
        .select(['id', 'row'])
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', anyOf(pageIds)),
    );
    return new Map(rows.map(({ id, row }) => [id, PageRow.decode(row)]));
  }

  /** Counts the pages of a run by the bodies that can be searched. Cheaper than the summary, which includes the counts. */
  async countBodies(run: ListedRun): Promise<BodyCounts> {
    const row = await COUNT_BODIES.row(this.#pool, { no: run.no });
    const { pages = 0, markdown = 0, html = 0 } = row ?? {};
    return { pages, withoutMarkdown: pages - markdown, withoutHtml: pages - html };
  }

  async summarize(run: ListedRun): Promise<RunSummary> {
    const rows = await SUMMARIZE.rows(this.#pool, { no: run.no });
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

/** Selects the pages that match a filter, with their rows. Rows are looked up laterally, page by page. */
function listed({ runNo, where, order, after, limit }: PageFilter) {
  const { key, follows, direction } = orderSql(order, runNo, after);
  return tables
    .selectFrom(
      tables
        .selectFrom('run_pages as p')
        .select([...KNOWN, key.as('sort_key')])
        .where('p.run_no', '=', runNo)
        .where(follows)
        .where(allOf(where))
        .orderBy(key, direction)
        .orderBy('p.number')
        .limit(limit)
        .as('p'),
    )
    .innerJoinLateral(
      ({ selectFrom }) => selectFrom('pages').select('row').whereRef('id', '=', 'p.page_id').limit(1).as('g'),
      (join) => join.onTrue(),
    )
    .select([...KNOWN, 'g.row'])
    .orderBy('p.sort_key', direction)
    .orderBy('p.number');
}

const toReading = (row: RowOf<typeof READING_COLUMNS>): PageVersion & { content: string } => ({
  runId: row.run_id,
  pageId: row.page_id,
  crawledAt: row.crawled_at,
  verdict: row.verdict,
  httpStatus: row.http_status,
  words: row.words,
  isSame: false,
  price: row.product_price ?? undefined,
  currency: row.product_currency ?? undefined,
  inStock: row.product_in_stock ?? undefined,
  content: row.content_key,
});

function toFound(row: KnownRow): FoundRow {
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
  return { row: PageRow.decode(row.row), known };
}

/** Returns a page in the form of the response. */
export const toArchived = ({ row, known }: FoundRow, bodies: Buffer = Buffer.alloc(0)): ArchivedPage => ({
  page: { row, bodies },
  known,
});

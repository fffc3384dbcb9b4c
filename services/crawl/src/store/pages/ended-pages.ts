import type { ErrorCode, FoundVia, RunPage, Verdict } from '@tidemark/contracts/page/v1/page';
import {
  column,
  type Expression,
  nullable,
  nullableStateOf,
  type Params,
  type RowOf,
  sql,
  stateOf,
} from '@tidemark/sql';
import type pg from 'pg';
import { schema } from '../tables.ts';

/** The fields of a run that its pages depend on. */
export interface RunOfPages {
  readonly no: bigint | string;
  /** none, waiting, read, missing. */
  readonly sitemap: string;
}

/** Columns of a page that has ended. */
export const PAGE_COLUMNS = {
  capture_id: column('text'),
  number: column('int4'),
  found_via: stateOf<FoundVia>(),
  referer: nullable('text'),
  in_sitemap: column('bool'),
  depth: column('int2'),
  in_links: nullable('int4'),
};
export type PageRow = RowOf<typeof PAGE_COLUMNS>;
/** The same columns of `f`; an ended page has a capture and a number. */
export const SELECT_PAGE = sql`coalesce(f.capture_id, '') AS capture_id, coalesce(f.number, 0) AS number, f.found_via, r.url AS referer, f.in_sitemap, f.depth, f.in_links`;
/** One lookup per page: the planner has no statistics of a run that has just begun. */
export const refererOf = (runNo: Expression<unknown>) =>
  sql`LEFT JOIN LATERAL (SELECT url FROM frontier WHERE run_no = ${runNo} AND url_key = f.referer LIMIT 1) r ON true`;

const ENDED_COLUMNS = Object.assign(
  {
    url: column('text'),
    verdict: nullableStateOf<Verdict>(),
    error_code: nullableStateOf<ErrorCode>(),
    http_status: nullable('int4'),
    credits: nullable('int4'),
  },
  PAGE_COLUMNS,
);
const ENDED = schema.prepareText(
  'ended-pages',
  ENDED_COLUMNS,
  ({
    runNo,
    after,
    limit,
  }: Params<{ readonly runNo: bigint | string; readonly after: number; readonly limit: number }>) =>
    sql`SELECT ${SELECT_PAGE}, f.url, f.verdict, f.error_code, f.http_status, f.credits FROM frontier f ${refererOf(runNo)} WHERE f.run_no = ${runNo} AND f.number > ${after} ORDER BY f.number LIMIT ${limit}`,
);

/** Returns pages of a run that have ended, with their results, in the order of their numbers from after `after`. */
export async function readEnded(
  client: pg.Pool | pg.PoolClient,
  run: RunOfPages,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<RunPage[]> {
  const rows = await ENDED.rows(client, { runNo: run.no, after, limit });
  return rows.map((row) => ({ ...toRunPage(run, row), ...toResult(row) }));
}

const toResult = (row: RowOf<typeof ENDED_COLUMNS>) => ({
  url: row.url,
  verdict: row.verdict ?? undefined,
  errorCode: row.error_code ?? undefined,
  httpStatus: row.http_status ?? 0,
  credits: row.credits ?? 0,
});

export function toRunPage({ sitemap }: RunOfPages, row: PageRow): RunPage {
  const inLinks = row.in_links ?? undefined;
  const hasSitemap = sitemap === 'read';
  return {
    pageId: row.capture_id,
    number: row.number,
    foundVia: row.found_via,
    firstReferer: row.referer ?? '',
    inSitemap: row.in_sitemap,
    depth: row.depth,
    inLinks,
    orphan: inLinks === undefined ? undefined : row.in_sitemap && inLinks === 0 && row.found_via === 'sitemap',
    unlisted: inLinks === undefined ? undefined : hasSitemap && !row.in_sitemap && inLinks > 0,
  };
}

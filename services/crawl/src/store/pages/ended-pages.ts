import type { ErrorCode, FoundVia, RunPage, Verdict } from '@tidemark/contracts/page/v1/page';
import type pg from 'pg';

/** The fields of a run that its pages depend on. */
export interface RunOfPages {
  readonly no: bigint | string;
  /** none, waiting, read, missing. */
  readonly sitemap: string;
}

export interface PageRow {
  readonly capture_id: string;
  readonly number: number;
  readonly found_via: FoundVia;
  readonly referer: string | null;
  readonly in_sitemap: boolean;
  readonly depth: number;
  readonly in_links: number | null;
}

interface EndedRow extends PageRow {
  readonly url: string;
  readonly verdict: Verdict | null;
  readonly error_code: ErrorCode | null;
  readonly http_status: number | null;
  readonly credits: number | null;
}

export const PAGE_COLUMNS = 'f.capture_id, f.number, f.found_via, r.url AS referer, f.in_sitemap, f.depth, f.in_links';
const RESULT = 'f.url, f.verdict, f.error_code, f.http_status, f.credits';
/** One lookup per page: the planner has no statistics of a run that has just begun. */
export const REFERER =
  'LEFT JOIN LATERAL (SELECT url FROM frontier WHERE run_no = $1 AND url_key = f.referer LIMIT 1) r ON true';

/** Returns pages of a run that have ended, with their results, in the order of their numbers from after `after`. */
export async function readEnded(
  client: pg.Pool | pg.PoolClient,
  run: RunOfPages,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<RunPage[]> {
  const { rows } = await client.query<EndedRow>({
    name: 'ended-pages',
    text: `SELECT ${PAGE_COLUMNS}, ${RESULT} FROM frontier f ${REFERER} WHERE f.run_no = $1 AND f.number > $2 ORDER BY f.number LIMIT $3`,
    values: [run.no, after, limit],
  });
  return rows.map((row) => ({ ...toRunPage(run, row), ...toResult(row) }));
}

const toResult = (row: EndedRow) => ({
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

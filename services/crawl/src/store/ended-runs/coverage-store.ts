import { CoverageEstimate } from '@tidemark/contracts/crawl/v1/crawl';
import { column, jsonOf, nullable, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { CaptureHistories, type CountedPages } from '../../domain/coverage-estimate/capture-histories.ts';
import type { Run } from '../../domain/run/run.ts';
import { followsLinks } from '../../domain/scope/scope-rules.ts';
import { schema } from '../tables.ts';
import { inIndexOrder } from './in-index-order.ts';

const BATCH_ROWS = 20_000;

interface CountHistoriesValues {
  readonly runNo: bigint | string;
  readonly after: Buffer;
  readonly limit: number;
  readonly followsLinks: boolean;
  readonly earlierNo: bigint | null;
}

/** Counts the pages of a batch by place, age, sources and outcome. Redirects and other URLs of a page (`same`) count with their page. */
const COUNT_HISTORIES = schema.prepareText(
  'count-histories',
  { last: nullable('bytea'), size: column('int4'), counts: jsonOf<CountedPages[]>() },
  (v: Params<CountHistoriesValues>) => sql`
  WITH piece AS (
    SELECT url_key, split_part(url, '?', 1) AS page_url, status, number, verdict, http_status, error_code,
  (${v.followsLinks} AND (found_via = 'link' OR in_links > 0)) AS is_linked, in_sitemap, in_feed, in_list
    FROM frontier WHERE run_no = ${v.runNo} AND url_key > ${v.after} ORDER BY url_key LIMIT ${v.limit}
  ), placed AS (
    SELECT split_part(page_url, '/', 4) AS folder, length(page_url) - length(replace(page_url, '/', '')) - 3 AS depth,
  is_linked::int + 2 * in_sitemap::int + 4 * in_feed::int + 8 * in_list::int AS sources, e.is_known IS NOT NULL AS is_known,
  CASE WHEN number IS NULL THEN 'unfetched' WHEN verdict IN ('ok', 'thin', 'skipped', 'cached') THEN 'read'
    WHEN verdict = 'robots' OR http_status BETWEEN 300 AND 399 OR http_status IN (404, 410) OR error_code = 'NOT_FOUND' THEN 'none' ELSE 'unread' END AS outcome
    FROM piece p LEFT JOIN LATERAL (
  SELECT true AS is_known FROM frontier
  WHERE run_no = ${v.earlierNo} AND url_key = p.url_key AND number IS NOT NULL AND verdict IN ('ok', 'thin', 'skipped', 'cached') LIMIT 1) e ON true
    WHERE p.status <> 'same'
  ), counted AS (
    SELECT CASE WHEN depth > 0 THEN '/' || folder ELSE '/' END AS section, depth, is_known AS "isKnown", sources, outcome, count(*)::int AS pages
    FROM placed GROUP BY 1, 2, 3, 4, 5
  )
  SELECT (SELECT url_key FROM piece ORDER BY url_key DESC LIMIT 1) AS last, (SELECT count(*) FROM piece)::int AS size,
    coalesce((SELECT jsonb_agg(counted) FROM counted), '[]') AS counts`,
);

const NOTE = schema.prepareText(
  'note-coverage',
  {},
  ({ runNo, coverage }: Params<{ readonly runNo: bigint | string; readonly coverage: string }>) => sql`
    INSERT INTO run_details (run_no, coverage) VALUES (${runNo}, ${coverage}::jsonb)
    ON CONFLICT (run_no) DO UPDATE SET coverage = excluded.coverage`,
);

const COVERAGE = schema.prepareText(
  'coverage-of-run',
  { coverage: nullable('jsonb') },
  ({ runNo }: Params<{ readonly runNo: bigint | string }>) =>
    sql`SELECT coverage FROM run_details WHERE run_no = ${runNo} AND coverage IS NOT NULL`,
);

/** Counts, stores and reads how much of its site a run covered. */
export class CoverageStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Counts the URLs of an ended run by the sources that list them. Memory is bounded by the number of distinct counts. */
  async histories({ no, earlierNo, scope }: Pick<Run, 'no' | 'earlierNo' | 'scope'>): Promise<CaptureHistories> {
    const histories = new CaptureHistories();
    for (let after = Buffer.alloc(0); ; ) {
      const [batch] = await inIndexOrder(this.#pool, COUNT_HISTORIES, {
        runNo: no,
        after,
        limit: BATCH_ROWS,
        followsLinks: followsLinks(scope),
        earlierNo: earlierNo ?? null,
      });
      for (const counted of batch?.counts ?? []) histories.add(counted);
      if (batch === undefined || batch.last === null || batch.size < BATCH_ROWS) return histories;
      after = Buffer.from(batch.last);
    }
  }

  /** Stores the estimate of a run. Safe to repeat. */
  async write(runNo: bigint, estimate: CoverageEstimate): Promise<void> {
    await NOTE.change(this.#pool, { runNo, coverage: JSON.stringify(CoverageEstimate.toJSON(estimate)) });
  }

  /** Returns the estimate of a run; undefined until it has ended. */
  async read(runNo: bigint): Promise<CoverageEstimate | undefined> {
    const rows = await COVERAGE.rows(this.#pool, { runNo });
    const [row] = rows;
    return row === undefined ? undefined : CoverageEstimate.fromJSON(row.coverage);
  }
}

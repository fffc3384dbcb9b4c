import { column, type Params, sql } from '@tidemark/sql';
import { schema } from '../tables.ts';

/** Lists contain the values at each position. */
export interface WriteResultsValues {
  readonly runNo: bigint | string;
  readonly lastNumber: number;
  readonly captureIds: readonly string[];
  readonly verdicts: readonly string[];
  readonly httpStatus: readonly number[];
  readonly errorCodes: readonly string[];
  readonly credits: readonly number[];
  readonly links: readonly Buffer[];
  readonly landedKeys: readonly (Buffer | null)[];
  readonly isSame: readonly boolean[];
  readonly aliasKeys: readonly Buffer[];
  readonly aliasUrls: readonly string[];
  readonly aliasHosts: readonly string[];
  readonly aliasOf: readonly Buffer[];
  readonly aliasDepths: readonly number[];
  readonly foundKeys: readonly Buffer[];
  readonly foundUrls: readonly string[];
  readonly foundHosts: readonly string[];
  readonly foundDepths: readonly number[];
  readonly foundRanks: readonly number[];
  readonly foundVia: readonly string[];
  readonly foundReferers: readonly (Buffer | null)[];
  readonly runId: string;
  readonly runVerdicts: string;
  readonly missingValues: string;
  readonly traps: string | null;
  readonly home: string | null;
  readonly silent: number;
  readonly givenUp: readonly string[];
  readonly blockKeys: readonly Buffer[];
  readonly samplePages: number;
}

/**
 * Writes page results, aliases, new URLs and the run's counters in one statement.
 *
 * The planner has no statistics of a run that has just begun, and would scan all of its pages for each result: so each page is read by its own
 * lookup (LATERAL … LIMIT 1) and updated by ctid, which is stable because the statement before locked the row.
 */
export const WRITE_RESULTS = schema.prepareText(
  'write-page-results',
  { url_key: column('bytea') },
  (v: Params<WriteResultsValues>) => sql`
  WITH results AS (
    SELECT t.*, row_number() OVER () AS place
    FROM unnest(${v.captureIds}::text[], ${v.verdicts}::text[], ${v.httpStatus}::int[], ${v.errorCodes}::text[], ${v.credits}::int[], ${v.links}::bytea[], ${v.landedKeys}::bytea[], ${v.isSame}::bool[], ${v.blockKeys}::bytea[])
      AS t(capture_id, verdict, http_status, error_code, credits, links, landed_key, is_same, block_keys)
  ), numbered AS (
    SELECT t.*, f.tid, f.status AS was,
      CASE WHEN NOT t.is_same THEN ${v.lastNumber}::int + row_number() OVER (PARTITION BY t.is_same ORDER BY t.place) END AS number
    FROM results t CROSS JOIN LATERAL (
      SELECT ctid AS tid, status FROM frontier
      WHERE run_no = ${v.runNo} AND capture_id = t.capture_id AND number IS NULL AND status IN ('dispatched', 'queued') LIMIT 1) f
  ), ended AS (
    UPDATE frontier f SET status = CASE WHEN n.is_same THEN 'same' ELSE 'done' END, number = n.number, verdict = n.verdict,
      http_status = n.http_status, error_code = n.error_code, credits = n.credits, links = n.links, landed_key = n.landed_key,
      block_keys = CASE WHEN n.number <= ${v.samplePages} THEN n.block_keys END, dispatched_until = NULL
    FROM numbered n WHERE f.ctid = n.tid
    RETURNING n.was, n.is_same, n.number, n.credits, n.verdict, n.http_status
  ), aliased AS (
    INSERT INTO frontier AS f (run_no, url_key, url, host, depth, rank, found_via, referer, status, landed_key)
    SELECT ${v.runNo}, a.url_key, a.url, a.host, a.depth, 0, 'redirect', a.of, 'same', a.of
    FROM unnest(${v.aliasKeys}::bytea[], ${v.aliasUrls}::text[], ${v.aliasHosts}::text[], ${v.aliasOf}::bytea[], ${v.aliasDepths}::int[]) AS a(url_key, url, host, of, depth) ORDER BY a.url_key
    ON CONFLICT (run_no, url_key) DO UPDATE SET status = 'same', landed_key = excluded.landed_key WHERE f.status = 'queued' AND f.capture_id IS NULL
    RETURNING (xmax = 0) AS is_new
  ), fresh AS (
    INSERT INTO frontier (run_no, url_key, url, host, depth, rank, found_via, referer)
    SELECT ${v.runNo}, p.url_key, p.url, p.host, p.depth, p.rank, p.found_via, p.referer
    FROM unnest(${v.foundKeys}::bytea[], ${v.foundUrls}::text[], ${v.foundHosts}::text[], ${v.foundDepths}::int[], ${v.foundRanks}::int[], ${v.foundVia}::text[], ${v.foundReferers}::bytea[]) WITH ORDINALITY
      AS p(url_key, url, host, depth, rank, found_via, referer, place) ORDER BY p.place
    ON CONFLICT DO NOTHING RETURNING url_key
  ), sums AS (
    SELECT count(*) FILTER (WHERE was = 'dispatched') AS flown, count(*) FILTER (WHERE was = 'queued') AS waited,
      count(number) AS pages, count(*) FILTER (WHERE is_same) AS same, coalesce(sum(credits), 0) AS credits,
      count(*) FILTER (WHERE NOT is_same AND verdict NOT IN ('robots', 'cached')) AS fetched,
      count(*) FILTER (WHERE http_status > 0) AS answered FROM ended
  ), moved AS (
    SELECT s.*, (SELECT count(*) FROM fresh) AS fresh, (SELECT count(*) FROM aliased WHERE is_new) AS noted,
      (SELECT count(*) FROM aliased WHERE NOT is_new) AS taken FROM sums s
  ), counted AS (
    UPDATE runs r SET in_flight = r.in_flight - m.flown, queued = r.queued - m.waited - m.taken + m.fresh, known = r.known + m.fresh + m.noted,
      done = r.done + m.pages, last_number = r.last_number + m.pages, fetched = r.fetched + m.fetched, same = r.same + m.same,
      answered = r.answered + m.answered, credits = r.credits + m.credits, silent = ${v.silent}, given_up = ${v.givenUp}::text[], verdicts = ${v.runVerdicts}::jsonb,
      missing_values = ${v.missingValues}::jsonb,
      traps = coalesce(${v.traps}::jsonb, r.traps), home = coalesce(${v.home}, r.home),
      total = greatest(r.total, r.done + m.pages + r.in_flight - m.flown + greatest(0, least(
        r.queued - m.waited - m.taken + m.fresh, r.max_pages - r.fetched - m.fetched - r.in_flight + m.flown)))
    FROM moved m WHERE r.id = ${v.runId}
  )
  SELECT url_key FROM fresh`,
);

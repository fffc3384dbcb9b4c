/**
 * Writes page results, aliases, new addresses and the run's counters in one statement.
 *
 * The planner has no statistics of a run that has just begun, and would scan all of its pages for each result: so each page is read by its own
 * lookup (LATERAL … LIMIT 1) and updated by ctid, which is stable because the statement before locked the row.
 */
export const WRITE_RESULTS = `
  WITH results AS (
    SELECT t.*, row_number() OVER () AS place
    FROM unnest($3::text[], $4::text[], $5::int[], $6::text[], $7::int[], $8::bytea[], $9::bytea[], $10::bool[], $29::bytea[])
      AS t(capture_id, verdict, http_status, error_code, credits, links, landed_key, is_same, block_keys)
  ), numbered AS (
    SELECT t.*, f.tid, f.status AS was,
      CASE WHEN NOT t.is_same THEN $2::int + row_number() OVER (PARTITION BY t.is_same ORDER BY t.place) END AS number
    FROM results t CROSS JOIN LATERAL (
      SELECT ctid AS tid, status FROM frontier
      WHERE run_no = $1 AND capture_id = t.capture_id AND number IS NULL AND status IN ('dispatched', 'queued') LIMIT 1) f
  ), ended AS (
    UPDATE frontier f SET status = CASE WHEN n.is_same THEN 'same' ELSE 'done' END, number = n.number, verdict = n.verdict,
      http_status = n.http_status, error_code = n.error_code, credits = n.credits, links = n.links, landed_key = n.landed_key,
      block_keys = CASE WHEN n.number <= $30 THEN n.block_keys END, dispatched_until = NULL
    FROM numbered n WHERE f.ctid = n.tid
    RETURNING n.was, n.is_same, n.number, n.credits, n.verdict, n.http_status
  ), aliased AS (
    INSERT INTO frontier AS f (run_no, url_key, url, host, depth, rank, found_via, referer, status, landed_key)
    SELECT $1, a.url_key, a.url, a.host, a.depth, 0, 'redirect', a.of, 'same', a.of
    FROM unnest($11::bytea[], $12::text[], $13::text[], $14::bytea[], $15::int[]) AS a(url_key, url, host, of, depth) ORDER BY a.url_key
    ON CONFLICT (run_no, url_key) DO UPDATE SET status = 'same', landed_key = excluded.landed_key WHERE f.status = 'queued' AND f.capture_id IS NULL
    RETURNING (xmax = 0) AS is_new
  ), fresh AS (
    INSERT INTO frontier (run_no, url_key, url, host, depth, rank, found_via, referer)
    SELECT $1, p.url_key, p.url, p.host, p.depth, p.rank, p.found_via, p.referer
    FROM unnest($16::bytea[], $17::text[], $18::text[], $19::int[], $20::int[], $21::text[], $22::bytea[]) WITH ORDINALITY
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
      answered = r.answered + m.answered, credits = r.credits + m.credits, silent = $27, given_up = $28::text[], verdicts = $24::jsonb,
      traps = coalesce($25::jsonb, r.traps), home = coalesce($26, r.home),
      total = greatest(r.total, r.done + m.pages + r.in_flight - m.flown + greatest(0, least(
        r.queued - m.waited - m.taken + m.fresh, r.max_pages - r.fetched - m.fetched - r.in_flight + m.flown)))
    FROM moved m WHERE r.id = $23
  )
  SELECT url_key FROM fresh`;

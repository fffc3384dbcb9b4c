import { column, nullable, type Params, type RowOf, sql } from '@tidemark/sql';
import { schema } from '../tables.ts';

/** Queued pages read in order beyond those that are claimed, before the queue is read host by host. */
const READ_AHEAD = 200;
/** Hosts with room that are read for pages that may be claimed. Hosts without room are passed over: at most as many as have pages in flight. */
const MAX_HOSTS = 200;
/** Pages claimed of one such host. */
const PAGES_PER_HOST = 8;

/** The counters of a run, read with the claim. */
const RUN_COLUMNS = {
  paused: column('bool'),
  pauses: column('int4'),
  isReturning: column('bool'),
  stop: nullable('text'),
  queued: column('int4'),
  inFlight: column('int4'),
  fetched: column('int4'),
  done: column('int4'),
  answered: column('int4'),
  silent: column('int4'),
  givenUp: column('text[]'),
  home: nullable('text'),
  room: column('int4'),
  isOverdue: column('bool'),
};
/** A claimed page; null without one. */
const PAGE_COLUMNS = {
  capture_id: nullable('text'),
  url_key: nullable('bytea'),
  url: nullable('text'),
  host: nullable('text'),
  work_id: nullable('text'),
  attempts: nullable('int2'),
  is_repeated: nullable('bool'),
};
/** `isReturning`: pages whose fetch had not begun at the last pause are still to be queued again. `pauses`: so far. */
export type RunNow = Readonly<RowOf<typeof RUN_COLUMNS>>;

interface ClaimValues {
  readonly runId: string;
  readonly owner: string;
  /** New capture ids, as many as pages may be claimed. */
  readonly fresh: readonly string[];
  readonly perHost: number;
  readonly perRun: number;
  readonly seconds: number;
}

/**
 * Claims queued pages. A queued page changes only while its run is locked. Pages are selected by the snapshot from before the lock wait: a page that
 * changed meanwhile is no longer queued, and is not claimed.
 *
 * The cost does not depend on the size of the frontier: a bounded number of pages is read in order, and if too few of them are of hosts with room,
 * the hosts are read one by one (a skip scan of the index). Claimed rows are found by their position (ctid): the planner can not estimate how many
 * there are, and would read the whole table for a join on a key.
 */
export const CLAIM_PAGES = schema.prepareText(
  'claim-pages',
  Object.assign({}, RUN_COLUMNS, PAGE_COLUMNS),
  (v: Params<ClaimValues>) => sql`
  WITH RECURSIVE run AS (
    SELECT no, paused, pauses, pauses > pauses_returned AS is_returning, stop, queued, in_flight, fetched, done, answered, silent, given_up, home, deadline < now() AS is_overdue,
      greatest(0, max_pages - fetched - in_flight - greatest(0, same - greatest(100, max_pages))) AS room
    FROM runs WHERE id = ${v.runId} AND owner = ${v.owner} AND status = 'running' FOR UPDATE
  ), due AS MATERIALIZED (
    SELECT no, CASE WHEN paused OR is_returning OR stop IS NOT NULL OR is_overdue THEN 0
      ELSE greatest(0, least(room, cardinality(${v.fresh}::text[]), ${v.perRun}::int - in_flight)) END AS pages FROM run
  ), busy AS MATERIALIZED (
    SELECT host, count(*) AS pages FROM frontier
    WHERE run_no = (SELECT no FROM due WHERE pages > 0) AND number IS NULL AND capture_id IS NOT NULL AND status = 'dispatched' GROUP BY host
  ), head AS MATERIALIZED (
    SELECT ctid AS tid, host, rank, seq, capture_id, attempts FROM frontier
    WHERE run_no = (SELECT no FROM due) AND status = 'queued'
    ORDER BY rank, seq LIMIT (SELECT CASE WHEN pages = 0 THEN 0 ELSE pages + ${sql.lit(READ_AHEAD)} END FROM due)
  ), in_order AS MATERIALIZED (
    SELECT h.tid, h.host, h.rank, h.seq, h.capture_id, h.attempts
    FROM (SELECT *, row_number() OVER (PARTITION BY host ORDER BY rank, seq) AS on_host FROM head) h LEFT JOIN busy b ON b.host = h.host
    WHERE h.on_host + coalesce(b.pages, 0) <= ${v.perHost}
    ORDER BY h.rank, h.seq LIMIT (SELECT pages FROM due)
  ), hosts AS (
    SELECT min(f.host) AS host FROM frontier f
    WHERE f.run_no = (
      SELECT no FROM due WHERE pages > (SELECT count(*) FROM in_order) AND (SELECT count(*) FROM head) = pages + ${sql.lit(READ_AHEAD)}
    ) AND f.status = 'queued'
    UNION ALL
    SELECT (SELECT min(f.host) FROM frontier f WHERE f.run_no = (SELECT no FROM due) AND f.status = 'queued' AND f.host > h.host)
    FROM hosts h WHERE h.host IS NOT NULL
  ), by_host AS MATERIALIZED (
    SELECT q.* FROM (
      SELECT host FROM hosts WHERE host IS NOT NULL AND host NOT IN (SELECT host FROM busy WHERE pages >= ${v.perHost}) LIMIT ${sql.lit(MAX_HOSTS)}
    ) h CROSS JOIN LATERAL (
      SELECT f.ctid AS tid, f.host, f.rank, f.seq, f.capture_id, f.attempts FROM frontier f
      WHERE f.run_no = (SELECT no FROM due) AND f.status = 'queued' AND f.host = h.host
      ORDER BY f.host, f.rank, f.seq LIMIT least(${sql.lit(PAGES_PER_HOST)}, ${v.perHost}::int)) q
    LIMIT (SELECT pages FROM due)
  ), next AS (
    SELECT * FROM in_order UNION SELECT * FROM by_host ORDER BY rank, seq LIMIT (SELECT pages FROM due)
  ), placed AS (
    SELECT n.*, row_number() OVER (ORDER BY n.rank, n.seq) AS place, row_number() OVER (PARTITION BY n.host ORDER BY n.rank, n.seq) AS on_host
    FROM next n
  ), named AS (
    SELECT p.*, coalesce(p.capture_id, (${v.fresh}::text[])[p.place]) AS id FROM placed p LEFT JOIN busy b ON b.host = p.host
    WHERE p.on_host + coalesce(b.pages, 0) <= ${v.perHost}
  ), grouped AS MATERIALIZED (
    SELECT n.*, first_value(n.id || ':' || (n.attempts + 1) || '.' || (SELECT pauses FROM run)) OVER (PARTITION BY n.host, (n.on_host - 1) / 8 ORDER BY n.on_host) AS work FROM named n
  ), claimed AS (
    UPDATE frontier f SET status = 'dispatched', capture_id = g.id, work_id = g.work, attempts = f.attempts + 1,
      dispatched_until = now() + make_interval(secs => ${v.seconds}::float8 * 2 ^ least(f.attempts, 4))
    FROM grouped g WHERE f.ctid = ANY (ARRAY(SELECT tid FROM grouped)) AND f.ctid = g.tid AND f.status = 'queued'
    RETURNING f.capture_id, f.url_key, f.url, f.host, f.work_id, f.attempts, g.capture_id IS NOT NULL AS is_repeated, g.place
  ), counted AS (
    UPDATE runs r SET in_flight = r.in_flight + c.pages, queued = r.queued - c.pages
    FROM (SELECT count(*) AS pages FROM claimed) c WHERE r.id = ${v.runId} AND c.pages > 0
  )
  SELECT run.paused, run.pauses, run.is_returning AS "isReturning", run.stop, run.queued, run.in_flight AS "inFlight", run.fetched, run.done, run.answered, run.silent, run.given_up AS "givenUp", run.home, run.room,
    run.is_overdue AS "isOverdue", c.capture_id, c.url_key, c.url, c.host, c.work_id, c.attempts, c.is_repeated
  FROM run LEFT JOIN claimed c ON true ORDER BY c.place`,
);

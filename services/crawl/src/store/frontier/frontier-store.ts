import { newId } from '@tidemark/contracts';
import type pg from 'pg';
import { type ClaimedPage, MAX_ATTEMPTS, maxKnown, type NewPage } from '../../domain/run/run.ts';

/** Seconds until a page counts as lost that no worker reports as held; doubled at each offer, since the queue may only be full. */
export const DISPATCH_SECONDS = 180;
const LEAVE_OUT_BATCH = 20_000;
/** Pages of one run in flight, over all its hosts. */
const MAX_IN_FLIGHT = 400;

/** The counters of a run, read with the claim. */
export interface RunNow {
  readonly paused: boolean;
  readonly stop: string | null;
  readonly queued: number;
  readonly inFlight: number;
  readonly fetched: number;
  readonly done: number;
  readonly answered: number;
  readonly silent: number;
  readonly givenUp: readonly string[];
  readonly home: string | null;
  readonly room: number;
  readonly isOverdue: boolean;
}

interface ClaimRow extends RunNow {
  readonly capture_id: string | null;
  readonly url_key: Buffer;
  readonly url: string;
  readonly host: string;
  readonly work_id: string;
  readonly attempts: number;
}

/** Frontier updates of the lease holder. Each locks the run's row first, so that its counters are exact. */
export class FrontierStore {
  readonly #pool: pg.Pool;
  readonly #owner: string;

  constructor(pool: pg.Pool, owner: string) {
    this.#pool = pool;
    this.#owner = owner;
  }

  /**
   * Adds addresses that are not in the frontier yet, in this order; marks existing ones that a sitemap declares.
   * @returns how many were new; undefined if the lease is lost
   */
  async add(runId: string, maxPages: number, pages: readonly NewPage[]): Promise<number | undefined> {
    const { rows } = await this.#pool.query<{ added: number }>({
      name: 'add-pages',
      text: `
        WITH run AS (
          SELECT no, known FROM runs WHERE id = $1 AND owner = $2 AND status = 'running' FOR UPDATE
        ), added AS (
          INSERT INTO frontier (run_no, url_key, url, host, depth, rank, found_via, in_sitemap)
          SELECT run.no, p.url_key, p.url, p.host, p.depth, p.rank, p.found_via, p.found_via = 'sitemap'
          FROM run, unnest($3::bytea[], $4::text[], $5::text[], $6::int[], $7::int[], $8::text[]) WITH ORDINALITY AS p(url_key, url, host, depth, rank, found_via, place)
          WHERE run.known + p.place <= $9
          ORDER BY p.place
          ON CONFLICT (run_no, url_key) DO UPDATE SET in_sitemap = true WHERE excluded.in_sitemap AND NOT frontier.in_sitemap
          RETURNING (xmax = 0) AS is_new
        ), counted AS (
          UPDATE runs r SET known = r.known + a.new, queued = r.queued + a.new,
            total = greatest(r.total, r.done + r.in_flight + least(r.queued + a.new, r.max_pages - r.fetched - r.in_flight))
          FROM (SELECT count(*) FILTER (WHERE is_new) AS new FROM added) a WHERE r.id = $1 AND EXISTS (SELECT FROM run) RETURNING a.new
        )
        SELECT new::int AS added FROM counted`,
      values: [
        runId,
        this.#owner,
        pages.map(({ key }) => key),
        pages.map(({ url }) => url),
        pages.map(({ host }) => host),
        pages.map(({ depth }) => depth),
        pages.map(({ rank }) => rank),
        pages.map(({ foundVia }) => foundVia),
        maxKnown(maxPages),
      ],
    });
    return rows[0]?.added;
  }

  /**
   * Claims up to `limit` queued pages in rank order, within the page limit and with at most `perHost` of one host in flight.
   * @returns the counters after the claim; undefined if the lease is lost or the run has ended
   */
  async claim(
    runId: string,
    limit: number,
    perHost: number,
  ): Promise<{ run: RunNow; pages: ClaimedPage[] } | undefined> {
    const fresh = Array.from({ length: limit }, () => newId('cap'));
    const { rows } = await this.#pool.query<ClaimRow>({
      name: 'claim-pages',
      text: CLAIM,
      values: [runId, this.#owner, fresh, perHost, DISPATCH_SECONDS],
    });
    const [first] = rows;
    if (first === undefined) return undefined;
    const pages = rows.flatMap((row) =>
      row.capture_id === null
        ? []
        : [
            {
              captureId: row.capture_id,
              key: row.url_key,
              url: row.url,
              host: row.host,
              workId: row.work_id,
              attempts: row.attempts,
            },
          ],
    );
    const { queued, inFlight, room } = first;
    const taken = pages.length;
    return { run: { ...first, queued: queued - taken, inFlight: inFlight + taken, room: room - taken }, pages };
  }

  /** Returns pages claimed recently whose work item may not have been sent before the former lease holder failed. Excludes pages a worker holds. */
  async inFlight(runId: string, claimedWithinSeconds: number): Promise<ClaimedPage[]> {
    const { rows } = await this.#pool.query<ClaimRow & { capture_id: string }>({
      name: 'in-flight-pages',
      text: `
        SELECT f.capture_id, f.url_key, f.url, f.host, f.work_id, f.attempts FROM frontier f JOIN runs r ON r.no = f.run_no
        WHERE r.id = $1 AND f.status = 'dispatched' AND f.number IS NULL AND f.capture_id IS NOT NULL AND f.work_id IS NOT NULL
          AND f.dispatched_until > now() + make_interval(secs => greatest(0, $2::float8 * 2 ^ least(f.attempts - 1, 4) - $3::float8))
        ORDER BY f.rank, f.seq LIMIT 1000`,
      values: [runId, DISPATCH_SECONDS, claimedWithinSeconds],
    });
    return rows.map((row) => ({
      captureId: row.capture_id,
      key: row.url_key,
      url: row.url,
      host: row.host,
      workId: row.work_id,
      attempts: row.attempts,
    }));
  }

  /** Queues claimed pages again that were not offered; a page that was never offered gets a new capture id next time. */
  async putBack(runId: string, pages: readonly ClaimedPage[]): Promise<void> {
    const back = `attempts = CASE WHEN f.attempts > 1 THEN f.attempts ELSE 0 END, capture_id = CASE WHEN f.attempts > 1 THEN f.capture_id END`;
    await this.#requeue({
      name: 'put-back-pages',
      back,
      which: `f.capture_id = ANY($3) AND $4 > 0`,
      runId,
      ids: pages.map((page) => page.captureId),
    });
  }

  /** Queues pages again that no worker has reported for too long; leaves out pages after MAX_ATTEMPTS offers. */
  async requeueLost(runId: string): Promise<number> {
    const which = `$3::text[] IS NULL AND f.dispatched_until < now()`;
    return this.#requeue({ name: 'requeue-lost-pages', back: 'capture_id = f.capture_id', which, runId, ids: null });
  }

  async #requeue(move: {
    readonly name: string;
    readonly back: string;
    readonly which: string;
    readonly runId: string;
    readonly ids: readonly string[] | null;
  }): Promise<number> {
    const { rows } = await this.#pool.query<{ moved: number }>({
      name: move.name,
      text: `
        WITH run AS (
          SELECT no, stop FROM runs WHERE id = $1 AND owner = $2 AND status = 'running' FOR UPDATE
        ), moved AS (
          UPDATE frontier f SET ${move.back}, dispatched_until = NULL,
            status = CASE WHEN run.stop IS NOT NULL OR f.attempts >= $4 THEN 'left_out' ELSE 'queued' END
          FROM run WHERE f.run_no = run.no AND f.status = 'dispatched' AND f.number IS NULL AND f.capture_id IS NOT NULL AND ${move.which}
          RETURNING f.status
        ), counted AS (
          UPDATE runs r SET in_flight = r.in_flight - m.moved, queued = r.queued + m.queued,
            verdicts = CASE WHEN r.stop IS NOT NULL OR m.moved = m.queued THEN r.verdicts
              ELSE r.verdicts || jsonb_build_object('lost', coalesce((r.verdicts->>'lost')::int, 0) + m.moved - m.queued) END
          FROM (SELECT count(*) AS moved, count(*) FILTER (WHERE status = 'queued') AS queued FROM moved) m WHERE r.id = $1 AND m.moved > 0
        )
        SELECT count(*)::int AS moved FROM moved`,
      values: [move.runId, this.#owner, move.ids, MAX_ATTEMPTS],
    });
    return rows[0]?.moved ?? 0;
  }

  /** Leaves out the queued pages and the pages in flight of a run that ends. @returns false if the lease is lost */
  async leaveOut(runId: string): Promise<boolean> {
    for (;;) {
      const { rows } = await this.#pool.query<{ mine: boolean; left: number }>({
        name: 'leave-out-pages',
        text: `
          WITH run AS (SELECT no FROM runs WHERE id = $1 AND owner = $2 FOR UPDATE), moved AS (
            UPDATE frontier f SET status = 'left_out' FROM run
            WHERE f.run_no = run.no AND f.url_key IN (
              (SELECT url_key FROM frontier WHERE run_no = (SELECT no FROM run) AND status = 'queued' LIMIT $3)
              UNION ALL
              (SELECT url_key FROM frontier WHERE run_no = (SELECT no FROM run) AND number IS NULL AND capture_id IS NOT NULL AND status = 'dispatched'))
            RETURNING 1
          )
          SELECT EXISTS (SELECT FROM run) AS mine, (SELECT count(*) FROM moved)::int AS left`,
        values: [runId, this.#owner, LEAVE_OUT_BATCH],
      });
      const { mine = false, left = 0 } = rows[0] ?? {};
      if (!mine) return false;
      if (left < LEAVE_OUT_BATCH) return true;
    }
  }
}

// A queued page changes only while its run is locked. Pages are selected by the snapshot from before the lock wait: a page that changed meanwhile
// is no longer queued, and is not claimed.
const CLAIM = `
  WITH run AS (
    SELECT no, paused, stop, queued, in_flight, fetched, done, answered, silent, given_up, home, deadline < now() AS is_overdue,
      greatest(0, max_pages - fetched - in_flight - greatest(0, same - greatest(100, max_pages))) AS room
    FROM runs WHERE id = $1 AND owner = $2 AND status = 'running' FOR UPDATE
  ), busy AS (
    SELECT host, count(*) AS pages FROM frontier
    WHERE run_no = (SELECT no FROM run) AND number IS NULL AND capture_id IS NOT NULL AND status = 'dispatched' GROUP BY host
  ), next AS (
    SELECT ctid AS tid, host, rank, seq, capture_id, attempts FROM frontier
    WHERE run_no = (SELECT no FROM run) AND status = 'queued' AND host NOT IN (SELECT host FROM busy WHERE pages >= $4)
    ORDER BY rank, seq
    LIMIT (SELECT CASE WHEN paused OR stop IS NOT NULL OR is_overdue THEN 0 ELSE greatest(0, least(room, cardinality($3::text[]), ${MAX_IN_FLIGHT} - in_flight)) END FROM run)
  ), placed AS (
    SELECT n.*, row_number() OVER (ORDER BY n.rank, n.seq) AS place, row_number() OVER (PARTITION BY n.host ORDER BY n.rank, n.seq) AS on_host
    FROM next n
  ), named AS (
    SELECT p.*, coalesce(p.capture_id, ($3::text[])[p.place]) AS id FROM placed p LEFT JOIN busy b ON b.host = p.host
    WHERE p.on_host + coalesce(b.pages, 0) <= $4
  ), grouped AS MATERIALIZED (
    SELECT n.*, first_value(n.id || ':' || (n.attempts + 1)) OVER (PARTITION BY n.host, (n.on_host - 1) / 8 ORDER BY n.on_host) AS work FROM named n
  ), claimed AS (
    UPDATE frontier f SET status = 'dispatched', capture_id = g.id, work_id = g.work, attempts = f.attempts + 1,
      dispatched_until = now() + make_interval(secs => $5::float8 * 2 ^ least(f.attempts, 4))
    FROM grouped g WHERE f.ctid = g.tid AND f.status = 'queued'
    RETURNING f.capture_id, f.url_key, f.url, f.host, f.work_id, f.attempts, g.place
  ), counted AS (
    UPDATE runs r SET in_flight = r.in_flight + c.pages, queued = r.queued - c.pages
    FROM (SELECT count(*) AS pages FROM claimed) c WHERE r.id = $1 AND c.pages > 0
  )
  SELECT run.paused, run.stop, run.queued, run.in_flight AS "inFlight", run.fetched, run.done, run.answered, run.silent, run.given_up AS "givenUp", run.home, run.room,
    run.is_overdue AS "isOverdue", c.capture_id, c.url_key, c.url, c.host, c.work_id, c.attempts
  FROM run LEFT JOIN claimed c ON true ORDER BY c.place`;

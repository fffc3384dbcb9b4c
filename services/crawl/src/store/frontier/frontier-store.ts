import { newId } from '@tidemark/contracts';
import type pg from 'pg';
import { type ClaimedPage, MAX_ATTEMPTS, maxKnown, type NewPage } from '../../domain/run/run.ts';
import { CLAIM_PAGES } from './claim-statement.ts';

/** Seconds until a page counts as lost that no worker reports as held; doubled at each offer, since the queue may only be full. */
export const DISPATCH_SECONDS = 180;
const LEAVE_OUT_BATCH = 20_000;

/** The counters of a run, read with the claim. */
export interface RunNow {
  readonly paused: boolean;
  /** Pauses of the run so far. */
  readonly pauses: number;
  /** Pages whose fetch had not begun at the last pause are still to be queued again. */
  readonly isReturning: boolean;
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
  readonly is_repeated: boolean;
}

const toClaimed = (row: ClaimRow & { readonly capture_id: string }): ClaimedPage => ({
  captureId: row.capture_id,
  key: row.url_key,
  url: row.url,
  host: row.host,
  workId: row.work_id,
  attempts: row.attempts,
  isRepeated: row.is_repeated,
  pauses: row.pauses,
});

/** Frontier updates of the lease holder. Each locks the run's row first, so that its counters are exact. */
export class FrontierStore {
  readonly #pool: pg.Pool;
  readonly #owner: string;

  constructor(pool: pg.Pool, owner: string) {
    this.#pool = pool;
    this.#owner = owner;
  }

  /**
   * Adds addresses that are not in the frontier yet, in this order; marks existing ones with the source that declares them: sitemap, feed or list.
   * @returns how many were new; undefined if the lease is lost
   */
  async add(runId: string, maxPages: number, pages: readonly NewPage[]): Promise<number | undefined> {
    const { rows } = await this.#pool.query<{ added: number }>({
      name: 'add-pages',
      text: `
        WITH run AS (
          SELECT no, known FROM runs WHERE id = $1 AND owner = $2 AND status = 'running' FOR UPDATE
        ), added AS (
          INSERT INTO frontier (run_no, url_key, url, host, depth, rank, found_via, in_sitemap, in_feed, in_list)
          SELECT run.no, p.url_key, p.url, p.host, p.depth, p.rank, p.found_via,
            p.found_via = 'sitemap', p.found_via = 'feed', p.found_via = 'list'
          FROM run, unnest($3::bytea[], $4::text[], $5::text[], $6::int[], $7::int[], $8::text[]) WITH ORDINALITY AS p(url_key, url, host, depth, rank, found_via, place)
          WHERE run.known + p.place <= $9
          ORDER BY p.place
          ON CONFLICT (run_no, url_key) DO UPDATE SET in_sitemap = frontier.in_sitemap OR excluded.in_sitemap,
            in_feed = frontier.in_feed OR excluded.in_feed, in_list = frontier.in_list OR excluded.in_list
          WHERE excluded.in_sitemap AND NOT frontier.in_sitemap OR excluded.in_feed AND NOT frontier.in_feed OR excluded.in_list AND NOT frontier.in_list
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
      text: CLAIM_PAGES,
      values: [runId, this.#owner, fresh, perHost, DISPATCH_SECONDS],
    });
    const [first] = rows;
    if (first === undefined) return undefined;
    const pages = rows.flatMap(({ capture_id, ...row }) =>
      capture_id === null ? [] : [toClaimed({ ...row, capture_id })],
    );
    const { queued, inFlight, room } = first;
    const taken = pages.length;
    return { run: { ...first, queued: queued - taken, inFlight: inFlight + taken, room: room - taken }, pages };
  }

  /** Returns pages claimed recently whose work item may not have been sent before the former lease holder failed. Excludes pages a worker holds, and pages of a paused run. */
  async inFlight(runId: string, claimedWithinSeconds: number): Promise<ClaimedPage[]> {
    const { rows } = await this.#pool.query<ClaimRow & { capture_id: string }>({
      name: 'in-flight-pages',
      text: `
        SELECT f.capture_id, f.url_key, f.url, f.host, f.work_id, f.attempts, true AS is_repeated, r.pauses FROM frontier f JOIN runs r ON r.no = f.run_no
        WHERE r.id = $1 AND NOT r.paused AND r.pauses = r.pauses_returned AND f.status = 'dispatched' AND f.number IS NULL AND f.capture_id IS NOT NULL AND f.work_id IS NOT NULL
          AND f.dispatched_until > now() + make_interval(secs => greatest(0, $2::float8 * 2 ^ least(f.attempts - 1, 4) - $3::float8))
        ORDER BY f.rank, f.seq LIMIT 1000`,
      values: [runId, DISPATCH_SECONDS, claimedWithinSeconds],
    });
    return rows.map(toClaimed);
  }

  /** Queues claimed pages again that were not offered; a page that was never offered gets a new capture id next time. */
  async putBack(runId: string, pages: readonly ClaimedPage[]): Promise<void> {
    const ids = pages.map((page) => page.captureId);
    const fresh = pages.filter(({ isRepeated }) => !isRepeated).map((page) => page.captureId);
    const back = `attempts = f.attempts - 1, capture_id = CASE WHEN f.capture_id = ANY($5) THEN NULL ELSE f.capture_id END`;
    const which = 'f.capture_id = ANY($3) AND $4 > 0';
    await this.#requeue({ name: 'put-back-pages', back, which, runId, ids, fresh });
  }

  /** Queues pages again that no worker has reported for too long; leaves out pages after MAX_ATTEMPTS offers. */
  async requeueLost(runId: string): Promise<number> {
    const which = `$3::text[] IS NULL AND $5::text[] IS NULL AND f.dispatched_until < now()`;
    const back = 'capture_id = f.capture_id';
    return this.#requeue({ name: 'requeue-lost-pages', back, which, runId, ids: null, fresh: null });
  }

  async #requeue(move: {
    readonly name: string;
    readonly back: string;
    readonly which: string;
    readonly runId: string;
    readonly ids: readonly string[] | null;
    /** Captures that were never offered. */
    readonly fresh: readonly string[] | null;
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
      values: [move.runId, this.#owner, move.ids, MAX_ATTEMPTS, move.fresh],
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

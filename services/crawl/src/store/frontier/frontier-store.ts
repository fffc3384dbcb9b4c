import { newId } from '@tidemark/contracts';
import { column, nullable, type Params, type RawBuilder, sql } from '@tidemark/sql';
import type pg from 'pg';
import { type InFlightBounds, MAX_IN_FLIGHT } from '../../domain/run/in-flight-bounds.ts';
import { type ClaimedPage, MAX_ATTEMPTS, maxKnown, type NewPage } from '../../domain/run/run.ts';
import { schema } from '../tables.ts';
import { CLAIM_PAGES, type RunNow } from './claim-statement.ts';

export type { RunNow };

/** Seconds until a page counts as lost that no worker reports as held; doubled at each offer, since the queue may only be full. */
export const DISPATCH_SECONDS = 180;
const LEAVE_OUT_BATCH = 20_000;

interface ClaimedRow {
  readonly capture_id: string | null;
  readonly url_key: Buffer | null;
  readonly url: string | null;
  readonly host: string | null;
  readonly work_id: string | null;
  readonly attempts: number | null;
  readonly is_repeated: boolean | null;
  readonly pauses: number;
}

/** Returns the page of a row; none for a row without one. */
function toClaimed(row: ClaimedRow): ClaimedPage[] {
  const { capture_id: captureId, url_key: key, url, host, work_id: workId, attempts, is_repeated, pauses } = row;
  if (captureId === null || key === null || url === null || host === null || workId === null) return [];
  return [{ captureId, key, url, host, workId, attempts: attempts ?? 0, isRepeated: is_repeated === true, pauses }];
}

interface AddPagesValues {
  readonly runId: string;
  readonly owner: string;
  readonly keys: readonly Buffer[];
  readonly urls: readonly string[];
  readonly hosts: readonly string[];
  readonly depths: readonly number[];
  readonly ranks: readonly number[];
  readonly foundVia: readonly string[];
  readonly maxKnown: number;
}

const ADD = schema.prepareText(
  'add-pages',
  { added: column('int4') },
  (v: Params<AddPagesValues>) => sql`
    WITH run AS (
      SELECT no, known FROM runs WHERE id = ${v.runId} AND owner = ${v.owner} AND status = 'running' FOR UPDATE
    ), added AS (
      INSERT INTO frontier (run_no, url_key, url, host, depth, rank, found_via, in_sitemap, in_feed, in_list)
      SELECT run.no, p.url_key, p.url, p.host, p.depth, p.rank, p.found_via,
        p.found_via = 'sitemap', p.found_via = 'feed', p.found_via = 'list'
      FROM run, unnest(${v.keys}::bytea[], ${v.urls}::text[], ${v.hosts}::text[], ${v.depths}::int[], ${v.ranks}::int[], ${v.foundVia}::text[]) WITH ORDINALITY AS p(url_key, url, host, depth, rank, found_via, place)
      WHERE run.known + p.place <= ${v.maxKnown}
      ORDER BY p.place
      ON CONFLICT (run_no, url_key) DO UPDATE SET in_sitemap = frontier.in_sitemap OR excluded.in_sitemap,
        in_feed = frontier.in_feed OR excluded.in_feed, in_list = frontier.in_list OR excluded.in_list
      WHERE excluded.in_sitemap AND NOT frontier.in_sitemap OR excluded.in_feed AND NOT frontier.in_feed OR excluded.in_list AND NOT frontier.in_list
      RETURNING (xmax = 0) AS is_new
    ), counted AS (
      UPDATE runs r SET known = r.known + a.new, queued = r.queued + a.new,
        total = greatest(r.total, r.done + r.in_flight + least(r.queued + a.new, r.max_pages - r.fetched - r.in_flight))
      FROM (SELECT count(*) FILTER (WHERE is_new) AS new FROM added) a WHERE r.id = ${v.runId} AND EXISTS (SELECT FROM run) RETURNING a.new
    )
    SELECT new::int AS added FROM counted`,
);

const IN_FLIGHT = schema.prepareText(
  'in-flight-pages',
  {
    capture_id: nullable('text'),
    url_key: column('bytea'),
    url: column('text'),
    host: column('text'),
    work_id: nullable('text'),
    attempts: column('int2'),
    is_repeated: column('bool'),
    pauses: column('int4'),
  },
  ({
    runId,
    seconds,
    claimedWithin,
  }: Params<{ readonly runId: string; readonly seconds: number; readonly claimedWithin: number }>) => sql`
    SELECT f.capture_id, f.url_key, f.url, f.host, f.work_id, f.attempts, true AS is_repeated, r.pauses FROM frontier f JOIN runs r ON r.no = f.run_no
    WHERE r.id = ${runId} AND NOT r.paused AND r.pauses = r.pauses_returned AND f.status = 'dispatched' AND f.number IS NULL AND f.capture_id IS NOT NULL AND f.work_id IS NOT NULL
      AND f.dispatched_until > now() + make_interval(secs => greatest(0, ${seconds}::float8 * 2 ^ least(f.attempts - 1, 4) - ${claimedWithin}::float8))
    ORDER BY f.rank, f.seq LIMIT ${sql.lit(MAX_IN_FLIGHT)}`,
);

interface OwnRun {
  readonly runId: string;
  readonly owner: string;
}
interface PutBackValues extends OwnRun {
  readonly ids: readonly string[];
  /** Captures that were never offered. */
  readonly fresh: readonly string[];
}

/** Queues the selected pages in flight again. */
const requeue = (
  { runId, owner }: Params<OwnRun>,
  { back, which }: { readonly back: RawBuilder<unknown>; readonly which: RawBuilder<unknown> },
) => sql`
  WITH run AS (
    SELECT no, stop FROM runs WHERE id = ${runId} AND owner = ${owner} AND status = 'running' FOR UPDATE
  ), moved AS (
    UPDATE frontier f SET ${back}, dispatched_until = NULL,
      status = CASE WHEN run.stop IS NOT NULL OR f.attempts >= ${sql.lit(MAX_ATTEMPTS)} THEN 'left_out' ELSE 'queued' END
    FROM run WHERE f.run_no = run.no AND f.status = 'dispatched' AND f.number IS NULL AND f.capture_id IS NOT NULL AND ${which}
    RETURNING f.status
  ), counted AS (
    UPDATE runs r SET in_flight = r.in_flight - m.moved, queued = r.queued + m.queued,
      verdicts = CASE WHEN r.stop IS NOT NULL OR m.moved = m.queued THEN r.verdicts
        ELSE r.verdicts || jsonb_build_object('lost', coalesce((r.verdicts->>'lost')::int, 0) + m.moved - m.queued) END
    FROM (SELECT count(*) AS moved, count(*) FILTER (WHERE status = 'queued') AS queued FROM moved) m WHERE r.id = ${runId} AND m.moved > 0
  )
  SELECT count(*)::int AS moved FROM moved`;
const MOVED = { moved: column('int4') };
const PUT_BACK = schema.prepareText('put-back-pages', MOVED, (values: Params<PutBackValues>) =>
  requeue(values, {
    back: sql`attempts = f.attempts - 1, capture_id = CASE WHEN f.capture_id = ANY(${values.fresh}) THEN NULL ELSE f.capture_id END`,
    which: sql`f.capture_id = ANY(${values.ids})`,
  }),
);
const REQUEUE_LOST = schema.prepareText('requeue-lost-pages', MOVED, (values: Params<OwnRun>) =>
  requeue(values, { back: sql`capture_id = f.capture_id`, which: sql`f.dispatched_until < now()` }),
);

const LEAVE_OUT = schema.prepareText(
  'leave-out-pages',
  { mine: column('bool'), left: column('int4') },
  ({ runId, owner, limit }: Params<{ readonly runId: string; readonly owner: string; readonly limit: number }>) => sql`
      WITH run AS (SELECT no FROM runs WHERE id = ${runId} AND owner = ${owner} FOR UPDATE), moved AS (
        UPDATE frontier f SET status = 'left_out' FROM run
        WHERE f.run_no = run.no AND f.status IN ('queued', 'dispatched') AND f.ctid = ANY (ARRAY(
          (SELECT ctid FROM frontier WHERE run_no = (SELECT no FROM run) AND status = 'queued' LIMIT ${limit})
          UNION ALL
          (SELECT ctid FROM frontier WHERE run_no = (SELECT no FROM run) AND number IS NULL AND capture_id IS NOT NULL AND status = 'dispatched')))
        RETURNING 1
      )
      SELECT EXISTS (SELECT FROM run) AS mine, (SELECT count(*) FROM moved)::int AS left`,
);

/** Frontier updates of the lease holder. Each locks the run's row first, so that its counters are exact. */
export class FrontierStore {
  readonly #pool: pg.Pool;
  readonly #owner: string;

  constructor(pool: pg.Pool, owner: string) {
    this.#pool = pool;
    this.#owner = owner;
  }

  /**
   * Adds URLs that are not in the frontier yet, in this order; marks existing ones with the source that declares them: sitemap, feed or list.
   * @returns how many were new; undefined if the lease is lost
   */
  async add(runId: string, maxPages: number, pages: readonly NewPage[]): Promise<number | undefined> {
    const rows = await ADD.rows(this.#pool, {
      runId,
      owner: this.#owner,
      keys: pages.map(({ key }) => key),
      urls: pages.map(({ url }) => url),
      hosts: pages.map(({ host }) => host),
      depths: pages.map(({ depth }) => depth),
      ranks: pages.map(({ rank }) => rank),
      foundVia: pages.map(({ foundVia }) => foundVia),
      maxKnown: maxKnown(maxPages),
    });
    return rows[0]?.added;
  }

  /**
   * Claims up to `limit` queued pages in rank order, within the page limit and the bounds of pages in flight.
   * @returns the counters after the claim; undefined if the lease is lost or the run has ended
   */
  async claim(
    runId: string,
    limit: number,
    { perHost, perRun }: InFlightBounds,
  ): Promise<{ run: RunNow; pages: ClaimedPage[] } | undefined> {
    const fresh = Array.from({ length: limit }, () => newId('cap'));
    const rows = await CLAIM_PAGES.rows(this.#pool, {
      runId,
      owner: this.#owner,
      fresh,
      perHost,
      perRun,
      seconds: DISPATCH_SECONDS,
    });
    const [first] = rows;
    if (first === undefined) return undefined;
    const pages = rows.flatMap(toClaimed);
    const { queued, inFlight, room } = first;
    const taken = pages.length;
    return { run: { ...first, queued: queued - taken, inFlight: inFlight + taken, room: room - taken }, pages };
  }

  /** Returns pages claimed recently whose work item may not have been sent before the former lease holder failed. Excludes pages a worker holds, and pages of a paused run. */
  async inFlight(runId: string, claimedWithinSeconds: number): Promise<ClaimedPage[]> {
    const rows = await IN_FLIGHT.rows(this.#pool, {
      runId,
      seconds: DISPATCH_SECONDS,
      claimedWithin: claimedWithinSeconds,
    });
    return rows.flatMap(toClaimed);
  }

  /** Queues claimed pages again that were not offered; a page that was never offered gets a new capture id next time. */
  async putBack(runId: string, pages: readonly ClaimedPage[]): Promise<void> {
    const ids = pages.map((page) => page.captureId);
    const fresh = pages.filter(({ isRepeated }) => !isRepeated).map((page) => page.captureId);
    await PUT_BACK.change(this.#pool, { runId, owner: this.#owner, ids, fresh });
  }

  /** Queues pages again that no worker has reported for too long; leaves out pages after MAX_ATTEMPTS offers. */
  async requeueLost(runId: string): Promise<number> {
    const row = await REQUEUE_LOST.row(this.#pool, { runId, owner: this.#owner });
    return row?.moved ?? 0;
  }

  /** Leaves out the queued pages and the pages in flight of a run that ends. @returns false if the lease is lost */
  async leaveOut(runId: string): Promise<boolean> {
    for (;;) {
      const rows = await LEAVE_OUT.rows(this.#pool, { runId, owner: this.#owner, limit: LEAVE_OUT_BATCH });
      const { mine = false, left = 0 } = rows[0] ?? {};
      if (!mine) return false;
      if (left < LEAVE_OUT_BATCH) return true;
    }
  }
}

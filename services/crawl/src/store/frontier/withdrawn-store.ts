import { type Expression, type Params, type RawBuilder, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from '../tables.ts';
import { DISPATCH_SECONDS } from './frontier-store.ts';

/** Seconds without a report after which a worker does not hold a page of a paused run any more: workers report twice a second. */
const REPORTED_SECONDS = 6;

interface OfPause {
  readonly runId: string;
  /** Number of the pause. */
  readonly pauses: number;
}
interface ReturnValues extends OfPause {
  readonly captureIds: readonly string[];
}

/** The run is paused, or was resumed before the pages withdrawn by its last pause were queued again. None of its pages is offered meanwhile. */
const isPaused = (pauses: Expression<number>) =>
  sql`status = 'running' AND pauses = ${pauses} AND (paused OR pauses > pauses_returned)`;

/** Returns SQL that queues the selected pages in flight again. The offer does not count as an attempt. `settled`: the new value of pauses_returned. */
const returning = ({
  run,
  which,
  settled,
  runId,
}: {
  readonly run: RawBuilder<unknown>;
  readonly which: RawBuilder<unknown>;
  readonly settled: RawBuilder<unknown>;
  readonly runId: Expression<string>;
}) => sql`
  WITH run AS (${run}), moved AS (
    UPDATE frontier f SET status = CASE WHEN run.stop IS NULL THEN 'queued' ELSE 'left_out' END, attempts = greatest(0, f.attempts - 1),
      work_id = NULL, dispatched_until = NULL
    FROM run WHERE f.run_no = run.no AND f.status = 'dispatched' AND f.number IS NULL AND f.capture_id IS NOT NULL AND ${which}
    RETURNING f.status
  )
  UPDATE runs r SET in_flight = r.in_flight - m.moved, queued = r.queued + m.queued, pauses_returned = ${settled}
  FROM (SELECT count(*) AS moved, count(*) FILTER (WHERE status = 'queued') AS queued FROM moved) m
  WHERE r.id = ${runId} AND EXISTS (SELECT FROM run)`;

const RETURN_UNHELD = schema.prepareText(
  'return-unheld-pages',
  {},
  ({ runId, pauses, owner }: Params<OfPause & { readonly owner: string }>) =>
    returning({
      runId,
      run: sql`SELECT no, stop FROM runs WHERE id = ${runId} AND owner = ${owner} AND ${isPaused(pauses)} FOR UPDATE`,
      which: sql`(f.work_id IS NOT NULL OR f.dispatched_until < now() + make_interval(secs => ${sql.lit(DISPATCH_SECONDS - REPORTED_SECONDS)}))`,
      settled: sql`r.pauses`,
    }),
);
const RETURN = schema.prepareText('return-pages', {}, ({ runId, pauses, captureIds }: Params<ReturnValues>) =>
  returning({
    runId,
    run: sql`SELECT no, stop, paused OR pauses > pauses_returned AS is_paused FROM runs WHERE id = ${runId} AND status = 'running' AND pauses = ${pauses} FOR UPDATE`,
    which: sql`f.capture_id = ANY(${captureIds}::text[]) AND (run.is_paused OR f.work_id IS NULL)`,
    settled: sql`r.pauses_returned`,
  }),
);
const TAKE_BACK = schema.prepareText(
  'take-back-pages',
  {},
  ({ runId, pauses, captureIds }: Params<ReturnValues>) => sql`
    WITH run AS (
      SELECT no FROM runs WHERE id = ${runId} AND ${isPaused(pauses)} FOR UPDATE
    ), moved AS (
      UPDATE frontier f SET status = 'dispatched', attempts = f.attempts + 1, dispatched_until = now() + make_interval(secs => ${sql.lit(DISPATCH_SECONDS)})
      FROM run WHERE f.run_no = run.no AND f.capture_id = ANY(${captureIds}::text[]) AND f.number IS NULL AND f.status = 'queued'
      RETURNING 1
    )
    UPDATE runs r SET in_flight = r.in_flight + m.moved, queued = r.queued - m.moved
    FROM (SELECT count(*) AS moved FROM moved) m WHERE r.id = ${runId} AND m.moved > 0`,
);

/**
 * Queues pages again that a pause withdraws. They keep their capture ids: a worker may still report the result of a page that counts as not
 * started, and the result is then recorded.
 */
export class WithdrawnStore {
  readonly #pool: pg.Pool;
  readonly #owner: string;

  constructor(pool: pg.Pool, owner: string) {
    this.#pool = pool;
    this.#owner = owner;
  }

  /** Queues the pages again that no worker holds, for the lease holder. Called once workers have had time to report. */
  async returnUnheld(runId: string, pauses: number): Promise<void> {
    await RETURN_UNHELD.change(this.#pool, { runId, pauses, owner: this.#owner });
  }

  /**
   * Queues the pages again that a worker returned. Of a run that was resumed since, only pages that a worker held all the time: the others may have
   * been offered again.
   */
  async returnPages(runId: string, pauses: number, captureIds: readonly string[]): Promise<void> {
    await RETURN.change(this.#pool, { runId, pauses, captureIds });
  }

  /** Marks pages as in flight that were queued because the report of their worker was late. */
  async takeBack(runId: string, pauses: number, captureIds: readonly string[]): Promise<void> {
    await TAKE_BACK.change(this.#pool, { runId, pauses, captureIds });
  }
}

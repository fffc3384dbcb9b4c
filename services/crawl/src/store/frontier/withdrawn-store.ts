import type pg from 'pg';
import { DISPATCH_SECONDS } from './frontier-store.ts';

/** Seconds without a report after which a worker does not hold a page of a paused run any more: workers report twice a second. */
const REPORTED_SECONDS = 6;

/** The run is paused, or was resumed before the pages withdrawn by its last pause were queued again. None of its pages is offered meanwhile. */
const IS_PAUSED = `status = 'running' AND pauses = $2 AND (paused OR pauses > pauses_returned)`;

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
    await this.#pool.query({
      name: 'return-unheld-pages',
      text: returning({
        run: `SELECT no, stop FROM runs WHERE id = $1 AND owner = $3 AND ${IS_PAUSED} FOR UPDATE`,
        which: `(f.work_id IS NOT NULL OR f.dispatched_until < now() + make_interval(secs => ${DISPATCH_SECONDS - REPORTED_SECONDS}))`,
        settled: 'r.pauses',
      }),
      values: [runId, pauses, this.#owner],
    });
  }

  /**
   * Queues the pages again that a worker returned. Of a run that was resumed since, only pages that a worker held all the time: the others may have
   * been offered again.
   */
  async returnPages(runId: string, pauses: number, captureIds: readonly string[]): Promise<void> {
    await this.#pool.query({
      name: 'return-pages',
      text: returning({
        run: `SELECT no, stop, paused OR pauses > pauses_returned AS is_paused FROM runs WHERE id = $1 AND status = 'running' AND pauses = $2 FOR UPDATE`,
        which: 'f.capture_id = ANY($3::text[]) AND (run.is_paused OR f.work_id IS NULL)',
        settled: 'r.pauses_returned',
      }),
      values: [runId, pauses, captureIds],
    });
  }

  /** Marks pages as in flight that were queued because the report of their worker was late. */
  async takeBack(runId: string, pauses: number, captureIds: readonly string[]): Promise<void> {
    await this.#pool.query({
      name: 'take-back-pages',
      text: `
        WITH run AS (
          SELECT no FROM runs WHERE id = $1 AND ${IS_PAUSED} FOR UPDATE
        ), moved AS (
          UPDATE frontier f SET status = 'dispatched', attempts = f.attempts + 1, dispatched_until = now() + make_interval(secs => ${DISPATCH_SECONDS})
          FROM run WHERE f.run_no = run.no AND f.capture_id = ANY($3::text[]) AND f.number IS NULL AND f.status = 'queued'
          RETURNING 1
        )
        UPDATE runs r SET in_flight = r.in_flight + m.moved, queued = r.queued - m.moved
        FROM (SELECT count(*) AS moved FROM moved) m WHERE r.id = $1 AND m.moved > 0`,
      values: [runId, pauses, captureIds],
    });
  }
}

/** Returns SQL that queues the selected pages in flight again. The offer does not count as an attempt. `settled`: the new value of pauses_returned. */
const returning = ({
  run,
  which,
  settled,
}: {
  readonly run: string;
  readonly which: string;
  readonly settled: string;
}) => `
  WITH run AS (${run}), moved AS (
    UPDATE frontier f SET status = CASE WHEN run.stop IS NULL THEN 'queued' ELSE 'left_out' END, attempts = greatest(0, f.attempts - 1),
      work_id = NULL, dispatched_until = NULL
    FROM run WHERE f.run_no = run.no AND f.status = 'dispatched' AND f.number IS NULL AND f.capture_id IS NOT NULL AND ${which}
    RETURNING f.status
  )
  UPDATE runs r SET in_flight = r.in_flight - m.moved, queued = r.queued + m.queued, pauses_returned = ${settled}
  FROM (SELECT count(*) AS moved, count(*) FILTER (WHERE status = 'queued') AS queued FROM moved) m
  WHERE r.id = $1 AND EXISTS (SELECT FROM run)`;

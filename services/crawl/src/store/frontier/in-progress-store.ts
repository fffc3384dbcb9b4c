import { nullable, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from '../tables.ts';
import { DISPATCH_SECONDS } from './frontier-store.ts';

const KEEP = schema.prepareText(
  'keep-in-progress',
  { capture_id: nullable('text') },
  ({
    runId,
    captureIds,
    seconds,
  }: Params<{ readonly runId: string; readonly captureIds: readonly string[]; readonly seconds: number }>) => sql`
    WITH open AS (
      SELECT f.run_no, f.url_key, f.capture_id, r.paused OR r.pauses > r.pauses_returned AS is_paused
      FROM runs r CROSS JOIN unnest(${captureIds}::text[]) AS c(id) CROSS JOIN LATERAL (
        SELECT * FROM frontier WHERE run_no = r.no AND capture_id = c.id AND number IS NULL AND status = 'dispatched' LIMIT 1) f
      WHERE r.id = ${runId} AND r.status = 'running'
    ), free AS (
      SELECT f.tid, o.is_paused FROM open o CROSS JOIN LATERAL (
        SELECT ctid AS tid FROM frontier WHERE run_no = o.run_no AND url_key = o.url_key LIMIT 1 FOR UPDATE SKIP LOCKED) f
    ), kept AS (
      UPDATE frontier f SET work_id = NULL,
        dispatched_until = CASE WHEN free.is_paused THEN now() + make_interval(secs => ${seconds}::float8)
          ELSE greatest(f.dispatched_until, now() + make_interval(secs => ${seconds}::float8)) END
      FROM free WHERE f.ctid = free.tid AND f.status = 'dispatched'
    )
    SELECT capture_id FROM open`,
);

/** Extends the timeout of pages that workers report as held. */
export class InProgressStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /**
   * Prevents pages that a worker holds from being offered again, in a paused run for exactly this time. Skips locked rows: a page whose result is recorded at the same moment is unchanged.
   * @returns the pages still to be fetched; the rest have ended, were called off or left out
   */
  async keep(runId: string, captureIds: readonly string[]): Promise<string[]> {
    const rows = await KEEP.rows(this.#pool, { runId, captureIds, seconds: DISPATCH_SECONDS });
    return rows.flatMap((row) => row.capture_id ?? []);
  }
}

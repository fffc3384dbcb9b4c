import { nullable, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from '../tables.ts';

const LEAVE_OUT = schema.prepareText(
  'leave-out-in-vain',
  { capture_id: nullable('text') },
  ({ runId, owner }: Params<{ readonly runId: string; readonly owner: string }>) => sql`
    WITH run AS (
      SELECT no, stop FROM runs WHERE id = ${runId} AND owner = ${owner} AND status = 'running' AND stop IS NOT NULL FOR UPDATE
    ), moved AS (
      UPDATE frontier f SET status = 'left_out', dispatched_until = NULL FROM run
      WHERE f.run_no = run.no AND f.status = 'dispatched' AND f.number IS NULL AND f.capture_id IS NOT NULL AND (
        run.stop = 'login_dead' OR f.host IN (SELECT host FROM held_hosts WHERE run_no = run.no AND until > now()))
      RETURNING f.capture_id
    ), counted AS (
      UPDATE runs r SET in_flight = r.in_flight - m.moved
      FROM (SELECT count(*) AS moved FROM moved) m WHERE r.id = ${runId} AND m.moved > 0
    )
    SELECT capture_id FROM moved`,
);

/**
 * Leaves out pages in flight that a stopping run does not wait for: those of held hosts, and all if its login is dead.
 * @returns their captures
 */
export function makeLeaveOutUnneeded(pool: pg.Pool, owner: string) {
  return async (runId: string): Promise<string[]> => {
    const rows = await LEAVE_OUT.rows(pool, { runId, owner });
    return rows.flatMap((row) => row.capture_id ?? []);
  };
}

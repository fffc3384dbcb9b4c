import type { OutgoingEvent } from '@tidemark/service';
import { writeEvents } from '@tidemark/service';
import { column, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { Run } from '../../domain/run/run.ts';
import { schema } from '../tables.ts';
import { toCharges } from './charges.ts';

const BATCH_CAPTURES = 500;

const LEFT_OUT = schema.prepareText(
  'left-out-captures',
  { capture_id: column('text') },
  ({
    runNo,
    after,
    limit,
  }: Params<{ readonly runNo: bigint | string; readonly after: string; readonly limit: number }>) => sql`
      SELECT coalesce(capture_id, '') AS capture_id FROM frontier f
      WHERE run_no = ${runNo} AND status = 'left_out' AND number IS NULL AND credits IS NULL AND capture_id > ${after}
      ORDER BY f.capture_id LIMIT ${limit}`,
);

interface ReleaseCreditsDeps {
  readonly pool: pg.Pool;
  /** Sends charges whose rows are committed. */
  readonly sendEvents: (charges: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
}

/**
 * Releases the credits leased for pages that were offered and are left out. Called when no page of the run can end any more, since no worker
 * reports results for them. Safe to repeat.
 */
export function makeReleaseCredits({ pool, sendEvents, now }: ReleaseCreditsDeps) {
  return async (run: Run): Promise<void> => {
    for (let after = ''; ; ) {
      const rows = await LEFT_OUT.rows(pool, { runNo: run.no, after, limit: BATCH_CAPTURES });
      const released = rows.map((row) => ({ captureId: row.capture_id, credits: 0, isPage: false }));
      const charges = toCharges(run, released, now());
      await writeEvents(pool, charges);
      sendEvents(charges);
      after = rows.at(-1)?.capture_id ?? '';
      if (rows.length < BATCH_CAPTURES) return;
    }
  };
}

import type { OutgoingEvent } from '@tidemark/service';
import { writeEvents } from '@tidemark/service';
import type pg from 'pg';
import type { Run } from '../../domain/run/run.ts';
import { toCharges } from './charges.ts';

const BATCH_CAPTURES = 500;

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
      const { rows } = await pool.query<{ capture_id: string }>({
        name: 'left-out-captures',
        text: `
          SELECT capture_id FROM frontier
          WHERE run_no = $1 AND status = 'left_out' AND number IS NULL AND credits IS NULL AND capture_id > $2
          ORDER BY capture_id LIMIT $3`,
        values: [run.no, after, BATCH_CAPTURES],
      });
      const released = rows.map((row) => ({ captureId: row.capture_id, credits: 0, isPage: false }));
      const charges = toCharges(run, released, now());
      await writeEvents(pool, charges);
      sendEvents(charges);
      after = rows.at(-1)?.capture_id ?? '';
      if (rows.length < BATCH_CAPTURES) return;
    }
  };
}

import type { OutgoingEvent } from '@tidemark/service';
import { writeEvents } from '@tidemark/service';
import type pg from 'pg';
import type { Run } from '../domain/run.ts';
import { toCharges } from './charges.ts';

const AT_ONCE = 500;

interface GiveBackDeps {
  readonly pool: pg.Pool;
  /** Sends charges whose rows are committed. */
  readonly tell: (charges: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
}

/**
 * Gives back what was set aside for pages that were offered and are left out, once no page of the run can end any more: whoever was
 * to fetch them has stopped, and tells nothing of them. Safe to repeat.
 */
export function makeGiveBack({ pool, tell, now }: GiveBackDeps) {
  return async ({ no, workspaceId }: Run): Promise<void> => {
    for (let after = ''; ; ) {
      const { rows } = await pool.query<{ capture_id: string }>({
        name: 'left-out-captures',
        text: `
          SELECT capture_id FROM frontier
          WHERE run_no = $1 AND status = 'left_out' AND number IS NULL AND credits IS NULL AND capture_id > $2
          ORDER BY capture_id LIMIT $3`,
        values: [no, after, AT_ONCE],
      });
      const free = rows.map((row) => ({ captureId: row.capture_id, credits: 0, isPage: false }));
      const charges = toCharges(workspaceId, free, now());
      await writeEvents(pool, charges);
      tell(charges);
      after = rows.at(-1)?.capture_id ?? '';
      if (rows.length < AT_ONCE) return;
    }
  };
}

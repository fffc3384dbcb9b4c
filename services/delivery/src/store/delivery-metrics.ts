import { observeGauge } from '@tidemark/service';
import { column, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from './tables.ts';

const COUNT_DUE = schema.prepareText(
  'count-due-deliveries',
  { due: column('int4'), oldest: column('float8'), paused: column('int4') },
  () => sql`
    SELECT count(*) FILTER (WHERE next_at <= now())::int AS due,
      coalesce(extract(epoch FROM now() - min(next_at) FILTER (WHERE next_at <= now())), 0)::float8 AS oldest,
      count(DISTINCT receiver_id) FILTER (WHERE status = 'paused')::int AS paused
    FROM deliveries WHERE status NOT IN ('delivered', 'failed')`,
);

/** Registers the backlog of deliveries: that of the database, the same in every instance. */
export function observeDeliveries(pool: pg.Pool): void {
  const count = async () => (await COUNT_DUE.rows(pool, {}))[0];
  observeGauge(
    'tidemark_deliveries',
    { description: 'Deliveries that are due now; receivers_paused: receivers with a delivery that used up its tries' },
    async () => {
      const row = await count();
      if (row === undefined) return [];
      return [
        { value: row.due, labels: { state: 'due' } },
        { value: row.paused, labels: { state: 'receivers_paused' } },
      ];
    },
  );
  observeGauge(
    'tidemark_delivery_oldest_due_seconds',
    { description: 'Age of the oldest due delivery; 0: none is due' },
    async () => [{ value: (await count())?.oldest ?? 0 }],
  );
}

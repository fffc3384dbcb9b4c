import { observeGauge } from '@tidemark/service';
import { column, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from './tables.ts';

const COUNT_SYNCS = schema.prepareText(
  'count-active-syncs',
  { queued: column('int4'), running: column('int4'), overdue: column('float8'), failed: column('int4') },
  () => sql`
    SELECT count(*) FILTER (WHERE status = 'queued')::int AS queued, count(*) FILTER (WHERE status = 'running')::int AS running,
      coalesce(extract(epoch FROM now() - min(lease_until) FILTER (WHERE status = 'queued' AND lease_until < now())), 0)::float8 AS overdue,
      count(*) FILTER (WHERE status = 'error' AND ended_at > now() - interval '1 hour')::int AS failed
    FROM syncs WHERE status IN ('queued', 'running') OR (status = 'error' AND ended_at > now() - interval '1 hour')`,
);

/** Registers the numbers of syncs: those of the database, the same in every instance. */
export function observeSyncs(pool: pg.Pool): void {
  const count = async () => (await COUNT_SYNCS.rows(pool, {}))[0];
  observeGauge(
    'tidemark_syncs',
    { description: 'Syncs by state; failed: those that ended with an error in the last hour' },
    async () => {
      const row = await count();
      if (row === undefined) return [];
      const { queued, running, failed } = row;
      return Object.entries({ queued, running, failed }).map(([state, value]) => ({ value, labels: { state } }));
    },
  );
  observeGauge(
    'tidemark_sync_oldest_due_seconds',
    { description: 'Time for which the oldest queued sync is due; 0: none is due' },
    async () => [{ value: (await count())?.overdue ?? 0 }],
  );
}

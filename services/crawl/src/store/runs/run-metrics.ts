import { observeGauge } from '@tidemark/service';
import { column, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from '../tables.ts';

const COUNT_ACTIVE = schema.prepareText(
  'count-active-runs',
  {
    queued: column('int4'),
    running: column('int4'),
    paused: column('int4'),
    unowned: column('int4'),
    waiting: column('int4'),
    flying: column('int4'),
  },
  () => sql`
    SELECT count(*) FILTER (WHERE status = 'queued')::int AS queued,
      count(*) FILTER (WHERE status = 'running' AND NOT paused)::int AS running,
      count(*) FILTER (WHERE paused)::int AS paused,
      count(*) FILTER (WHERE NOT paused AND coalesce(lease_until, created_at) < now() - interval '30 s')::int AS unowned,
      coalesce(sum(queued), 0)::int AS waiting, coalesce(sum(in_flight), 0)::int AS flying
    FROM runs WHERE status IN ('queued', 'running')`,
);

/** Registers the numbers of runs and their pages: those of the database, the same in every instance. */
export function observeRuns(pool: pg.Pool): void {
  const count = async () => (await COUNT_ACTIVE.rows(pool, {}))[0];
  observeGauge(
    'tidemark_runs',
    { description: 'Runs by state; unowned: for over 30 s no instance advances them' },
    async () => {
      const row = await count();
      if (row === undefined) return [];
      const { queued, running, paused, unowned } = row;
      return Object.entries({ queued, running, paused, unowned }).map(([state, value]) => ({
        value,
        labels: { state },
      }));
    },
  );
  observeGauge(
    'tidemark_run_frontier_pages',
    { description: 'Pages of active runs: queued, and in flight' },
    async () => {
      const row = await count();
      if (row === undefined) return [];
      return [
        { value: row.waiting, labels: { state: 'queued' } },
        { value: row.flying, labels: { state: 'in_flight' } },
      ];
    },
  );
}

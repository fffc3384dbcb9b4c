import type { PlanChanged } from '@tidemark/contracts/billing/v1/events';
import type pg from 'pg';

/** Stores changed plans of workspaces and of their sub-accounts. Older changes than the stored one are ignored. Safe to repeat. */
export async function storePlans(pool: pg.Pool, changes: readonly PlanChanged[]): Promise<void> {
  await pool.query({
    name: 'store-plans',
    text: `
      UPDATE workspaces w SET plan = c.plan, plan_version = c.version
      FROM (SELECT DISTINCT ON (id) * FROM unnest($1::text[], $2::text[], $3::bigint[]) AS c(id, plan, version) ORDER BY id, version DESC) c
      WHERE c.id IN (w.id, w.parent_id) AND w.plan_version < c.version`,
    values: [
      changes.map(({ workspaceId }) => workspaceId),
      changes.map(({ plan }) => plan),
      changes.map(({ version }) => version),
    ],
  });
}

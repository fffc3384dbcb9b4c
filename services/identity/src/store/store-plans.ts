import type { PlanChanged } from '@tidemark/contracts/billing/v1/events';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';

/**
 * Stores changed plans of workspaces and of their sub-accounts. Older changes than the stored one are ignored. Safe to repeat. The second statement
 * begins under the locks of the first, which the creation of a sub-account takes too, so that it includes every sub-account that has the old plan.
 */
export async function storePlans(pool: pg.Pool, changes: readonly PlanChanged[]): Promise<void> {
  const latest = new Map<string, PlanChanged>();
  for (const change of changes)
    if (change.version > (latest.get(change.workspaceId)?.version ?? 0)) latest.set(change.workspaceId, change);
  const sorted = [...latest.values()].toSorted((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1));
  const values = [
    sorted.map(({ workspaceId }) => workspaceId),
    sorted.map(({ plan }) => plan),
    sorted.map(({ version }) => version),
  ];
  await inTransaction(pool, async (db) => {
    await db.query({ name: 'store-plans', text: updateOf('w.id'), values });
    await db.query({ name: 'store-plans-of-children', text: updateOf('w.parent_id'), values });
  });
}

const updateOf = (id: 'w.id' | 'w.parent_id'): string => `
  UPDATE workspaces w SET plan = c.plan, plan_version = c.version
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS c(id, plan, version) WHERE ${id} = c.id AND w.plan_version < c.version`;

import type { PlanChanged } from '@tidemark/contracts/billing/v1/events';
import { inTransaction } from '@tidemark/service';
import { type Params, type RawBuilder, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from './tables.ts';

/** Changed plans: the values at each position of the lists. */
interface PlanLists {
  readonly ids: readonly string[];
  readonly plans: readonly string[];
  readonly versions: readonly number[];
}

const updateOf = (name: string, id: RawBuilder<unknown>) =>
  schema.prepareText(
    name,
    {},
    ({ ids, plans, versions }: Params<PlanLists>) => sql`
      UPDATE workspaces w SET plan = c.plan, plan_version = c.version
      FROM unnest(${ids}::text[], ${plans}::text[], ${versions}::bigint[]) AS c(id, plan, version)
      WHERE ${id} = c.id AND w.plan_version < c.version`,
  );
const STORE = updateOf('store-plans', sql`w.id`);
const STORE_OF_CHILDREN = updateOf('store-plans-of-children', sql`w.parent_id`);

/**
 * Stores changed plans of workspaces and of their sub-accounts. Older changes than the stored one are ignored. Safe to repeat. The second statement
 * begins under the locks of the first, which the creation of a sub-account takes too, so that it includes every sub-account that has the old plan.
 */
export async function storePlans(pool: pg.Pool, changes: readonly PlanChanged[]): Promise<void> {
  const latest = new Map<string, PlanChanged>();
  for (const change of changes)
    if (change.version > (latest.get(change.workspaceId)?.version ?? 0)) latest.set(change.workspaceId, change);
  const sorted = [...latest.values()].toSorted((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1));
  const lists = {
    ids: sorted.map(({ workspaceId }) => workspaceId),
    plans: sorted.map(({ plan }) => plan),
    versions: sorted.map(({ version }) => version),
  };
  await inTransaction(pool, async (db) => {
    await STORE.change(db, lists);
    await STORE_OF_CHILDREN.change(db, lists);
  });
}

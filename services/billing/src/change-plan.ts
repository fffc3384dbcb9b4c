import type { Plan } from '@tidemark/catalogue';
import { AppError } from '@tidemark/errors';
import { inTransaction, type Outbox } from '@tidemark/service';
import type pg from 'pg';
import type { PlanStore } from './store/plan-store.ts';

/**
 * Makes the change of a workspace's plan by an operator. The first period of the new plan begins now. Does nothing if the workspace has the plan.
 * @throws AppError validation for an unknown plan, not_found
 */
export function makeChangePlan({
  pool,
  plans,
  catalogue,
  outbox,
}: {
  readonly pool: pg.Pool;
  readonly plans: PlanStore;
  readonly catalogue: Readonly<Record<string, Plan>>;
  readonly outbox: Pick<Outbox, 'send'>;
}) {
  return async ({
    workspaceId,
    plan: name,
  }: {
    readonly workspaceId: string;
    readonly plan: string;
  }): Promise<void> => {
    const plan = catalogue[name];
    if (plan === undefined)
      throw new AppError(
        'validation',
        `plan "${name}" does not exist; expected one of ${Object.keys(catalogue).join(', ')}`,
      );
    const event = await inTransaction(pool, async (db) => {
      const { plan: current, version, now } = await plans.lockPlan(db, workspaceId);
      if (current === name) return undefined;
      const periodStart = (plan.allowance ?? 0) > 0 ? now : null;
      return plans.setPlan(db, { workspaceId, plan: name, ref: `operator:${version + 1}`, periodStart });
    });
    if (event !== undefined) outbox.send([event]);
  };
}

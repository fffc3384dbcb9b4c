import type { Plan } from '@tidemark/catalogue';
import { events, OPERATOR } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { auditEvent, inTransaction, type Outbox, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import type { PlanStore } from './store/plan-store.ts';

/**
 * Changes a workspace's plan for an operator. The first period of the new plan begins now. Does nothing if the workspace has the plan.
 * @throws AppError validation for an unknown plan, not_found
 */
export type ChangePlan = (request: { readonly workspaceId: string; readonly plan: string }) => Promise<void>;

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
}): ChangePlan {
  return async ({ workspaceId, plan: name }) => {
    const plan = catalogue[name];
    if (plan === undefined)
      throw new AppError(
        'validation',
        `plan "${name}" does not exist; expected one of ${Object.keys(catalogue).join(', ')}`,
      );
    const outgoing = await inTransaction(pool, async (db) => {
      const { plan: current, version, now } = await plans.lockPlan(db, workspaceId);
      if (current === name) return [];
      const periodStart = (plan.allowance ?? 0) > 0 ? now : null;
      const changed = await plans.setPlan(db, { workspaceId, plan: name, ref: `operator:${version + 1}`, periodStart });
      if (changed === undefined) return [];
      const action = { action: 'plan.changed', subjectId: workspaceId, detail: { from: current, to: name }, at: now };
      const entry = auditEvent(events.billingAudited, { workspaceId, actorId: OPERATOR }, action);
      await writeEvents(db, [entry]);
      return [changed, entry];
    });
    outbox.send(outgoing);
  };
}

import { type Catalogue, planOf } from '@tidemark/catalogue';
import { events, newId, OPERATOR } from '@tidemark/contracts';
import type { WorkspaceSnapshot } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import { auditEvent, inTransaction, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { AccountStore } from '../store/account-store.ts';
import { type AdministeredAccount, readAccounts } from '../store/administered-accounts.ts';
import { PlanStore } from '../store/plan-store.ts';
import { makeChangePlan } from './change-plan.ts';

export type { AdministeredAccount } from '../store/administered-accounts.ts';

const MAX_CREDITS = 1_000_000_000;
const MAX_REASON_CHARS = 300;

/** What the operator of an installation does with the credit accounts of workspaces. Events are rows of the outbox, which the service sends. */
export interface AccountAdministration {
  /** Returns the accounts of workspaces by id. A workspace that has made no request yet has none. */
  readonly read: (workspaceIds: readonly string[]) => Promise<ReadonlyMap<string, AdministeredAccount>>;
  /** Sets the plan of a workspace and of its sub-accounts. @throws AppError validation for an unknown plan, conflict for a sub-account */
  readonly setPlan: (workspace: WorkspaceSnapshot, plan: string) => Promise<void>;
  /**
   * Adds bought credits, or removes some with a negative number. `ref` identifies the grant: a repeated one does nothing.
   * @returns false if it was done before. @throws AppError validation, conflict for a sub-account
   */
  readonly addCredits: (workspace: WorkspaceSnapshot, grant: Grant) => Promise<boolean>;
}

export interface Grant {
  readonly credits: number;
  readonly reason: string;
  /** Absent: each call is a grant of its own. */
  readonly ref?: string | undefined;
}

export function makeAdministerAccounts({
  pool,
  catalogue,
  defaultPlan,
  now,
}: {
  readonly pool: pg.Pool;
  readonly catalogue: Catalogue;
  readonly defaultPlan: string;
  readonly now: () => Date;
}): AccountAdministration {
  const fallback = { name: defaultPlan, plan: planOf(catalogue, defaultPlan) };
  const named = (name: string) => {
    const plan = catalogue.plans[name];
    return plan === undefined ? fallback : { name, plan };
  };
  const accounts = new AccountStore(pool, named);
  const plans = new PlanStore(pool, named);
  const changePlan = makeChangePlan({ pool, plans, catalogue: catalogue.plans, outbox: { send: () => undefined } });

  /** Opens the account of a workspace that has made no request yet. @throws AppError conflict for a sub-account */
  const openPayer = async (workspace: WorkspaceSnapshot): Promise<void> => {
    const { workspaceId, parentId } = workspace;
    if (parentId !== undefined)
      throw new AppError(
        'conflict',
        `${workspaceId} is a sub-account of ${parentId}, which has the plan and the credits`,
      );
    await accounts.open(workspace);
  };

  return {
    read: (ids) => readAccounts(pool, ids),
    async setPlan(workspace, plan) {
      await openPayer(workspace);
      await changePlan({ workspaceId: workspace.workspaceId, plan });
    },
    async addCredits(workspace, { credits, reason, ref = newId('led') }) {
      if (!Number.isSafeInteger(credits) || credits === 0 || Math.abs(credits) > MAX_CREDITS)
        throw new AppError(
          'validation',
          `credits: expected a whole number from -${MAX_CREDITS} to ${MAX_CREDITS}, not 0`,
        );
      if (reason.trim() === '' || reason.length > MAX_REASON_CHARS)
        throw new AppError('validation', `reason: expected a text of 1 to ${MAX_REASON_CHARS} characters`);
      await openPayer(workspace);
      const { workspaceId } = workspace;
      return inTransaction(pool, async (db) => {
        if (!(await plans.addCredits(db, { workspaceId, kind: 'adjustment', ref, credits }))) return false;
        const action = { action: 'credits.adjusted', subjectId: workspaceId, detail: { credits, reason }, at: now() };
        await writeEvents(db, [auditEvent(events.billingAudited, { workspaceId, actorId: OPERATOR }, action)]);
        return true;
      });
    },
  };
}

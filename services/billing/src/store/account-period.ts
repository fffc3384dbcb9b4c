import type pg from 'pg';
import type { Period } from '../credits/period.ts';

/** The state of an account that pays for itself. Amounts are credits. */
export interface AccountRow {
  readonly workspaceId: string;
  readonly plan: string;
  readonly planVersion: string;
  readonly anchor: Date | null;
  readonly periodStart: Date | null;
  readonly periodEnd: Date | null;
  readonly allowanceLeft: string;
  readonly overageUsed: string;
  readonly overageCap: string;
  readonly isPastDue: boolean;
  readonly now: Date;
}

export const ACCOUNT_COLUMNS = `workspace_id AS "workspaceId", plan, plan_version AS "planVersion", anchor_at AS anchor, period_start AS "periodStart", period_end AS "periodEnd",
  allowance_left AS "allowanceLeft", overage_used AS "overageUsed", overage_cap AS "overageCap", is_past_due AS "isPastDue", now() AS now`;

/** Where the next state of an account comes from. */
export interface NextState {
  readonly plan: string;
  readonly anchor: Date | null;
  readonly allowanceLeft: number;
  readonly isNewPeriod: boolean;
}

/** Writes the entry of a changed allowance. @returns false if an entry of this cause exists */
export async function writeEntry(
  db: pg.PoolClient,
  account: AccountRow,
  { kind, ref, next }: { readonly kind: 'period' | 'plan'; readonly ref: string; readonly next: NextState },
): Promise<boolean> {
  const allowance = next.allowanceLeft - Number(account.allowanceLeft);
  const overage = next.isNewPeriod ? Number(account.overageUsed) : 0;
  const { rowCount } = await db.query(
    `INSERT INTO ledger (workspace_id, kind, ref, credits, allowance, overage) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
    [account.workspaceId, kind, ref, allowance + overage, allowance, overage],
  );
  return rowCount === 1;
}

/** Keeps the overage of a period that ended: an invoice charges it. A period that is cut short ends when the next one begins. */
export async function closePeriod(db: pg.PoolClient, account: AccountRow, next: Period | undefined): Promise<void> {
  if (account.periodStart === null || account.periodEnd === null) return;
  const endedAt = account.periodEnd < account.now ? account.periodEnd : (next?.start ?? account.now);
  await db.query(
    `INSERT INTO periods (workspace_id, starts_at, ends_at, plan, overage_used) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    [account.workspaceId, account.periodStart, endedAt, account.plan, account.overageUsed],
  );
}

import { changeRows, type Database, sql } from '@tidemark/sql';
import type { Period } from '../credits/period.ts';
import { tables } from './tables.ts';

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

/** Reads the state of accounts. */
export const selectAccounts = () =>
  tables
    .selectFrom('accounts')
    .select([
      'workspace_id as workspaceId',
      'plan',
      'plan_version as planVersion',
      'anchor_at as anchor',
      'period_start as periodStart',
      'period_end as periodEnd',
      'allowance_left as allowanceLeft',
      'overage_used as overageUsed',
      'overage_cap as overageCap',
      'is_past_due as isPastDue',
      sql<Date>`now()`.as('now'),
    ]);

/** Where the next state of an account comes from. */
export interface NextState {
  readonly plan: string;
  readonly anchor: Date | null;
  readonly allowanceLeft: number;
  readonly isNewPeriod: boolean;
}

/** Writes the entry of a changed allowance. @returns false if an entry of this cause exists */
export async function writeEntry(
  db: Database,
  account: AccountRow,
  { kind, ref, next }: { readonly kind: 'period' | 'plan'; readonly ref: string; readonly next: NextState },
): Promise<boolean> {
  const { workspaceId } = account;
  const allowance = next.allowanceLeft - Number(account.allowanceLeft);
  const overage = next.isNewPeriod ? Number(account.overageUsed) : 0;
  const written = await changeRows(
    db,
    tables
      .insertInto('ledger')
      .values({ workspace_id: workspaceId, kind, ref, credits: allowance + overage, allowance, overage })
      .onConflict((conflict) => conflict.doNothing()),
  );
  return written === 1;
}

/** Rows that may share the start of a period. A start moves by 1 ms for each of them. */
const MAX_SAME_START = 1_000;

/**
 * Stores a period that ended with its overage, which an invoice charges. A period that is cut short ends when the next one begins.
 * A workspace that leaves a plan and returns to the same anchor ends two periods with one start: the later row gets the next free
 * start, so that each has a row and a charge of its own.
 * @throws Error if no start is free; the transaction then changes nothing
 */
export async function closePeriod(db: Database, account: AccountRow, next: Period | undefined): Promise<void> {
  const { workspaceId, plan, periodStart, periodEnd, overageUsed } = account;
  if (periodStart === null || periodEnd === null) return;
  const endsAt = periodEnd < account.now ? periodEnd : (next?.start ?? account.now);
  for (let shiftMs = 0; shiftMs < MAX_SAME_START; shiftMs += 1) {
    const startsAt = new Date(periodStart.getTime() + shiftMs);
    const written = await changeRows(
      db,
      tables
        .insertInto('periods')
        .values({ workspace_id: workspaceId, starts_at: startsAt, ends_at: endsAt, plan, overage_used: overageUsed })
        .onConflict((conflict) => conflict.doNothing()),
    );
    if (written === 1) return;
  }
  throw new Error(`the period of ${workspaceId} that began at ${periodStart.toISOString()} could not be stored`);
}

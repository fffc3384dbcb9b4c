import type { Plan } from '@tidemark/catalogue';
import { events } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction, type OutgoingEvent, outgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { overageRoom } from '../credits/overage-room.ts';
import { periodAt } from '../credits/period.ts';
import { ACCOUNT_COLUMNS, type AccountRow, closePeriod, type NextState, writeEntry } from './account-period.ts';

/** Returns a plan by its name, and the default plan for a name that is not in the catalogue. */
export type FindPlan = (name: string) => { readonly name: string; readonly plan: Plan };

export interface PlanChange {
  readonly workspaceId: string;
  readonly plan: string;
  /** Identifies the cause; a repeated change with the same ref does nothing. */
  readonly ref: string;
  /**
   * When the months of the allowance begin; null for a plan without an allowance. An unchanged value keeps the current period, another one
   * ends it and begins a new one.
   */
  readonly periodStart: Date | null;
  /** Credits that an upgrade within the period adds to the allowance; ignored when a new period begins. */
  readonly allowanceAdded?: number;
}

export interface CreditGrant {
  readonly workspaceId: string;
  readonly kind: 'purchase' | 'refund' | 'adjustment';
  /** Identifies the cause; a repeated grant with the same ref does nothing. */
  readonly ref: string;
  /** Added to the purchased credits; negative for a refund. */
  readonly credits: number;
}

/** An account whose period has ended, as a position in their order. */
export interface DueAccount {
  readonly id: string;
  readonly endedAt: string;
}

const DUE_BATCH = 100;

/** Changes the plans, periods and granted credits of accounts. Each change is an entry of the ledger, identified by its cause. */
export class PlanStore {
  readonly #pool: pg.Pool;
  readonly #planOf: FindPlan;

  constructor(pool: pg.Pool, planOf: FindPlan) {
    this.#pool = pool;
    this.#planOf = planOf;
  }

  /** Begins the current period of accounts whose period is over: the allowance is full again, the overage is zero. Safe to repeat. */
  beginPeriods(workspaceIds: readonly string[]): Promise<void> {
    return inTransaction(this.#pool, (db) => this.beginPeriodsIn(db, workspaceIds));
  }

  async beginPeriodsIn(
    db: pg.PoolClient,
    workspaceIds: readonly string[],
    locked: 'SKIP LOCKED' | '' = '',
  ): Promise<void> {
    const { rows } = await db.query<AccountRow>({
      name: `lock-due-periods ${locked}`,
      text: `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE workspace_id = ANY($1) AND period_end <= now() ORDER BY workspace_id FOR UPDATE ${locked}`,
      values: [[...new Set(workspaceIds)]],
    });
    for (const account of rows) {
      if (account.anchor === null) continue;
      const { plan } = this.#planOf(account.plan);
      const { start } = periodAt(account.anchor, account.now);
      const next = {
        plan: account.plan,
        anchor: account.anchor,
        allowanceLeft: plan.allowance ?? 0,
        isNewPeriod: true,
      };
      if (await writeEntry(db, account, { kind: 'period', ref: start.toISOString(), next }))
        await this.#apply(db, account, next);
    }
  }

  /**
   * Begins the periods of accounts that are due, at most 100, each in a transaction of its own: a failure of one does not stop the others.
   * Accounts that another process has locked are left to it. @param after where the last batch ended; undefined: the first batch
   * @returns where this batch ended; undefined if it was the last one
   */
  async beginDuePeriods(
    after: DueAccount | undefined,
    onFailed: (workspaceId: string, error: unknown) => void,
  ): Promise<DueAccount | undefined> {
    const { rows } = await this.#pool.query<DueAccount>(
      `SELECT workspace_id AS id, period_end::text AS "endedAt" FROM accounts
       WHERE period_end <= now() AND (period_end, workspace_id) > (coalesce($1::timestamptz, '-infinity'), $2)
       ORDER BY period_end, workspace_id LIMIT ${DUE_BATCH}`,
      [after?.endedAt ?? null, after?.id ?? ''],
    );
    for (const { id } of rows)
      await inTransaction(this.#pool, (db) => this.beginPeriodsIn(db, [id], 'SKIP LOCKED')).catch((error: unknown) =>
        onFailed(id, error),
      );
    return rows.length < DUE_BATCH ? undefined : rows.at(-1);
  }

  /** Locks the account of a workspace that pays for itself until the end of the transaction. @throws AppError not_found */
  async lockPlan(db: pg.PoolClient, workspaceId: string): Promise<{ plan: string; version: number; now: Date }> {
    const { plan, planVersion, now } = await this.#lock(db, workspaceId);
    return { plan, version: Number(planVersion), now };
  }

  /**
   * Sets the plan of a workspace and of its sub-accounts. Publishes the change with the transaction.
   * @returns the event to send after the commit; undefined if this change was made before, or the workspace is deleted
   */
  async setPlan(db: pg.PoolClient, change: PlanChange): Promise<OutgoingEvent | undefined> {
    const { workspaceId, periodStart: anchor } = change;
    // The overage of a period that ended is priced by the plan that used it.
    await this.beginPeriodsIn(db, [workspaceId]);
    const account = await this.#find(db, workspaceId);
    if (account === undefined) return undefined;
    const { name, plan } = this.#planOf(change.plan);
    const isNewPeriod = account.anchor?.getTime() !== anchor?.getTime();
    const allowanceLeft = isNewPeriod
      ? anchor === null
        ? 0
        : (plan.allowance ?? 0)
      : Number(account.allowanceLeft) + (change.allowanceAdded ?? 0);
    const next = { plan: name, anchor, allowanceLeft, isNewPeriod };
    if (!(await writeEntry(db, account, { kind: 'plan', ref: change.ref, next }))) return undefined;
    await this.#apply(db, account, next);
    const version = Number(account.planVersion) + 1;
    await db.query('UPDATE accounts SET plan = $2, plan_version = $3 WHERE workspace_id = $1 OR payer_id = $1', [
      workspaceId,
      name,
      version,
    ]);
    const event = outgoingEvent(events.planChanged, `plan:${workspaceId}:${version}`, {
      workspaceId,
      plan: name,
      version,
      at: account.now,
    });
    await writeEvents(db, [event]);
    return event;
  }

  /** Adds purchased credits, or removes refunded ones, which may leave a negative number. @returns false if it was done before, or the workspace is deleted */
  async addCredits(db: pg.PoolClient, { workspaceId, kind, ref, credits }: CreditGrant): Promise<boolean> {
    if ((await this.#find(db, workspaceId)) === undefined) return false;
    const { rowCount } = await db.query(
      `INSERT INTO ledger (workspace_id, kind, ref, credits, purchased) VALUES ($1, $2, $3, $4, $4) ON CONFLICT DO NOTHING`,
      [workspaceId, kind, ref, credits],
    );
    if (rowCount === 0) return false;
    await db.query('UPDATE accounts SET purchased_left = purchased_left + $2 WHERE workspace_id = $1', [
      workspaceId,
      credits,
    ]);
    return true;
  }

  /**
   * Sets how far a workspace may go beyond its allowance, and writes `outgoing` events. @param cap multiple of the allowance; 0: no cap
   * @throws AppError not_found
   */
  async setOverageCap(workspaceId: string, cap: number, outgoing: readonly OutgoingEvent[] = []): Promise<void> {
    await inTransaction(this.#pool, async (db) => {
      const account = await this.#lock(db, workspaceId);
      await this.#setRoom(db, { ...account, overageCap: String(cap) });
      await writeEvents(db, outgoing);
    });
  }

  /** Stops overage while a renewal is unpaid, and allows it again. */
  async setPastDue(db: pg.PoolClient, workspaceId: string, isPastDue: boolean): Promise<void> {
    const account = await this.#find(db, workspaceId);
    if (account !== undefined) await this.#setRoom(db, { ...account, isPastDue });
  }

  async #lock(db: pg.PoolClient, workspaceId: string): Promise<AccountRow> {
    const account = await this.#find(db, workspaceId);
    if (account === undefined) throw new AppError('not_found', 'the workspace has no credit account');
    return account;
  }

  async #find(db: pg.PoolClient, workspaceId: string): Promise<AccountRow | undefined> {
    const { rows } = await db.query<AccountRow>(
      `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE workspace_id = $1 AND payer_id IS NULL FOR UPDATE`,
      [workspaceId],
    );
    return rows[0];
  }

  async #setRoom(db: pg.PoolClient, { workspaceId, plan, overageCap, isPastDue }: AccountRow): Promise<void> {
    await db.query(
      'UPDATE accounts SET overage_cap = $2, overage_room = $3, is_past_due = $4 WHERE workspace_id = $1',
      [workspaceId, overageCap, overageRoom(this.#planOf(plan).plan, Number(overageCap), isPastDue), isPastDue],
    );
  }

  async #apply(db: pg.PoolClient, account: AccountRow, next: NextState): Promise<void> {
    const { plan } = this.#planOf(next.plan);
    const period = next.anchor === null ? undefined : periodAt(next.anchor, account.now);
    if (next.isNewPeriod) await closePeriod(db, account, period);
    await db.query(
      `UPDATE accounts SET plan = $2, allowance = $3, allowance_left = $4, overage_room = $5, anchor_at = $6, period_start = $7, period_end = $8,
         overage_used = CASE WHEN $9::boolean THEN 0 ELSE overage_used END, alerted = CASE WHEN $9::boolean THEN 0 ELSE alerted END
       WHERE workspace_id = $1`,
      [
        account.workspaceId,
        next.plan,
        plan.allowance,
        next.allowanceLeft,
        overageRoom(plan, Number(account.overageCap), account.isPastDue),
        next.anchor,
        period?.start ?? null,
        period?.end ?? null,
        next.isNewPeriod,
      ],
    );
  }
}

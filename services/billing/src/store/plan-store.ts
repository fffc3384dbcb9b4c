import type { Plan } from '@tidemark/catalogue';
import { events } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction, type OutgoingEvent, outgoingEvent, writeEvents } from '@tidemark/service';
import { anyOf, changeRows, type Params, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { overageRoom } from '../credits/overage-room.ts';
import { periodAt } from '../credits/period.ts';
import { type AccountRow, closePeriod, type NextState, selectAccounts, writeEntry } from './account-period.ts';
import { schema, tables } from './tables.ts';

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

/** What is counted within a period, at its begin. */
const STARTED = { overage_used: 0, alerted: 0 };

type DueValues = Params<{ readonly workspaceIds: readonly string[] }>;
const selectDue = ({ workspaceIds }: DueValues) =>
  selectAccounts()
    .where('workspace_id', '=', anyOf(workspaceIds))
    .where('period_end', '<=', sql<Date>`now()`)
    .orderBy('workspace_id');
const LOCK_DUE = schema.prepare('lock-due-periods', (params: DueValues) => selectDue(params).forUpdate());
const LOCK_DUE_UNLOCKED = schema.prepare('lock-due-unlocked-periods', (params: DueValues) =>
  selectDue(params).forUpdate().skipLocked(),
);

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
    locked: 'wait' | 'skip' = 'wait',
  ): Promise<void> {
    const due = locked === 'skip' ? LOCK_DUE_UNLOCKED : LOCK_DUE;
    const rows = await due.rows(db, { workspaceIds: [...new Set(workspaceIds)] });
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
    const due = tables
      .selectFrom('accounts')
      .select(['workspace_id as id', sql<string>`period_end::text`.as('endedAt')])
      .where('period_end', '<=', sql<Date>`now()`)
      .orderBy('period_end')
      .orderBy('workspace_id')
      .limit(DUE_BATCH);
    const rows = await selectRows(
      this.#pool,
      after === undefined
        ? due
        : due.where(sql<boolean>`(period_end, workspace_id) > (${after.endedAt}::timestamptz, ${after.id})`),
    );
    for (const { id } of rows)
      await inTransaction(this.#pool, (db) => this.beginPeriodsIn(db, [id], 'skip')).catch((error: unknown) =>
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
    await changeRows(
      db,
      tables
        .updateTable('accounts')
        .set({ plan: name, plan_version: version })
        .where((eb) => eb.or([eb('workspace_id', '=', workspaceId), eb('payer_id', '=', workspaceId)])),
    );
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
    const written = await changeRows(
      db,
      tables
        .insertInto('ledger')
        .values({ workspace_id: workspaceId, kind, ref, credits, purchased: credits })
        .onConflict((conflict) => conflict.doNothing()),
    );
    if (written === 0) return false;
    await changeRows(
      db,
      tables
        .updateTable('accounts')
        .set({ purchased_left: sql`purchased_left + ${credits}` })
        .where('workspace_id', '=', workspaceId),
    );
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

  #find(db: pg.PoolClient, workspaceId: string): Promise<AccountRow | undefined> {
    return selectRow(
      db,
      selectAccounts().where('workspace_id', '=', workspaceId).where('payer_id', 'is', null).forUpdate(),
    );
  }

  async #setRoom(db: pg.PoolClient, { workspaceId, plan, overageCap, isPastDue }: AccountRow): Promise<void> {
    await changeRows(
      db,
      tables
        .updateTable('accounts')
        .set({
          overage_cap: overageCap,
          overage_room: overageRoom(this.#planOf(plan).plan, Number(overageCap), isPastDue),
          is_past_due: isPastDue,
        })
        .where('workspace_id', '=', workspaceId),
    );
  }

  async #apply(db: pg.PoolClient, account: AccountRow, next: NextState): Promise<void> {
    const { plan } = this.#planOf(next.plan);
    const period = next.anchor === null ? undefined : periodAt(next.anchor, account.now);
    if (next.isNewPeriod) await closePeriod(db, account, period);
    await changeRows(
      db,
      tables
        .updateTable('accounts')
        .set({
          plan: next.plan,
          allowance: plan.allowance,
          allowance_left: next.allowanceLeft,
          overage_room: overageRoom(plan, Number(account.overageCap), account.isPastDue),
          anchor_at: next.anchor,
          period_start: period?.start ?? null,
          period_end: period?.end ?? null,
          ...(next.isNewPeriod && STARTED),
        })
        .where('workspace_id', '=', account.workspaceId),
    );
  }
}

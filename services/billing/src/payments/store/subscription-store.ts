import { AppError, codeOf } from '@tidemark/errors';
import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import { changeRows, selectRow, selectRows, sql } from '@tidemark/sql';
import { statesBefore } from '@tidemark/sql/transitions';
import type pg from 'pg';
import { LIVE_STATES, SUBSCRIPTION_TRANSITIONS } from '../../states/subscription-state.ts';
import { tables } from '../../store/tables.ts';
import { SUBSCRIPTION_COLUMNS, SUBSCRIPTIONS, type SubscriptionRow } from './subscription-row.ts';

export type NewSubscription = Pick<
  SubscriptionRow,
  | 'id'
  | 'workspaceId'
  | 'plan'
  | 'period'
  | 'currency'
  | 'netMinor'
  | 'grossMinor'
  | 'dueMinor'
  | 'dueNetMinor'
  | 'dueLines'
  | 'renewalLines'
  | 'taxNote'
  | 'replaces'
  | 'allowanceAdded'
  | 'anchorAt'
  | 'firstFrom'
  | 'firstUntil'
>;

const { expire } = SUBSCRIPTION_TRANSITIONS;

/** Stores subscriptions of one gateway. */
export class SubscriptionStore {
  readonly #pool: pg.Pool;
  readonly #gateway: string;

  constructor(pool: pg.Pool, gateway: string) {
    this.#pool = pool;
    this.#gateway = gateway;
  }

  /** Stores a subscription with the entry of the audit log. */
  insert(row: NewSubscription, entry: OutgoingEvent): Promise<void> {
    return inTransaction(this.#pool, async (db) => {
      await this.#insert(db, row);
      await writeEvents(db, [entry]);
    });
  }

  async #insert(db: pg.PoolClient, row: NewSubscription): Promise<void> {
    await changeRows(
      db,
      tables.insertInto('subscriptions').values({
        id: row.id,
        workspace_id: row.workspaceId,
        gateway: this.#gateway,
        state: 'incomplete',
        plan: row.plan,
        period: row.period,
        currency: row.currency,
        net_minor: row.netMinor,
        gross_minor: row.grossMinor,
        due_minor: row.dueMinor,
        due_net_minor: row.dueNetMinor,
        due_lines: JSON.stringify(row.dueLines),
        renewal_lines: JSON.stringify(row.renewalLines),
        tax_note: row.taxNote,
        replaces: row.replaces,
        allowance_added: row.allowanceAdded,
        anchor_at: row.anchorAt,
        first_from: row.firstFrom,
        first_until: row.firstUntil,
      }),
    );
  }

  async setGatewayId(id: string, gatewayId: string): Promise<void> {
    await changeRows(
      this.#pool,
      tables.updateTable('subscriptions').set({ gateway_id: gatewayId }).where('id', '=', id),
    );
  }

  /** Returns a subscription of a workspace. */
  find(workspaceId: string, id: string): Promise<SubscriptionRow | undefined> {
    return selectRow(this.#pool, SUBSCRIPTIONS.where('workspace_id', '=', workspaceId).where('id', '=', id));
  }

  byId(id: string): Promise<SubscriptionRow | undefined> {
    return selectRow(this.#pool, SUBSCRIPTIONS.where('id', '=', id));
  }

  byGatewayId(gatewayId: string): Promise<SubscriptionRow | undefined> {
    return selectRow(
      this.#pool,
      SUBSCRIPTIONS.where('gateway', '=', this.#gateway).where('gateway_id', '=', gatewayId),
    );
  }

  /** Returns the active or unpaid subscription of a workspace. */
  live(workspaceId: string): Promise<SubscriptionRow | undefined> {
    return selectRow(
      this.#pool,
      SUBSCRIPTIONS.where('workspace_id', '=', workspaceId).where('state', 'in', LIVE_STATES),
    );
  }

  /** Returns an unfinished subscription of the last 12 hours with the same price and purpose. */
  unfinished({
    workspaceId,
    plan,
    period,
    currency,
    dueMinor,
    replaces,
  }: Pick<NewSubscription, 'workspaceId' | 'plan' | 'period' | 'currency' | 'dueMinor' | 'replaces'>): Promise<
    SubscriptionRow | undefined
  > {
    return selectRow(
      this.#pool,
      SUBSCRIPTIONS.where('workspace_id', '=', workspaceId)
        .where('plan', '=', plan)
        .where('period', '=', period)
        .where('currency', '=', currency)
        .where('due_minor', '=', dueMinor)
        .where('replaces', 'is not distinct from', replaces)
        .where('state', '=', 'incomplete')
        .where('created_at', '>', sql<Date>`now() - interval '12 hours'`)
        .orderBy('created_at', 'desc')
        .limit(1),
    );
  }

  /** Locks a subscription until the end of the transaction. */
  async lock(db: pg.PoolClient, id: string): Promise<SubscriptionRow> {
    const row = await selectRow(db, SUBSCRIPTIONS.where('id', '=', id).forUpdate());
    if (row === undefined) throw new AppError('not_found', 'subscription not found');
    return row;
  }

  /**
   * Stores what a fetch and its payments changed. @throws AppError conflict if the workspace has another live subscription
   * @throws Error for a state that does not follow from the stored one
   */
  async save(db: pg.PoolClient, row: SubscriptionRow): Promise<void> {
    const changed = await changeRows(
      db,
      tables
        .updateTable('subscriptions')
        .set({
          state: row.state,
          gateway_state: row.gatewayState,
          fetched_at: row.fetchedAt,
          plan: row.plan,
          net_minor: row.netMinor,
          gross_minor: row.grossMinor,
          renewal_lines: JSON.stringify(row.renewalLines),
          anchor_at: row.anchorAt,
          paid_from: row.paidFrom,
          paid_until: row.paidUntil,
          paid_net_minor: row.paidNetMinor,
          cancel_at_end: row.cancelAtEnd,
          next: row.next && JSON.stringify(row.next),
          closing: row.closing,
          card: row.card,
          past_due_at: row.pastDueAt,
          reminders: row.reminders,
        })
        .where('id', '=', row.id)
        .where('state', 'in', [row.state, ...statesBefore(SUBSCRIPTION_TRANSITIONS, row.state)]),
    ).catch((error: unknown) => {
      if (codeOf(error) === '23505')
        throw new AppError('conflict', 'the workspace has a subscription already', { cause: error });
      throw error;
    });
    if (changed === 0) throw new Error(`the subscription ${row.id} can not become ${row.state}`);
  }

  /** Counts the reminders that are due, one and three days after a renewal was found unpaid. @returns their subscriptions */
  remind(db: pg.PoolClient, now: Date): Promise<SubscriptionRow[]> {
    const due = tables
      .selectFrom('subscriptions')
      .select('id')
      .where('gateway', '=', this.#gateway)
      .where('state', '=', 'past_due')
      .where(
        sql<Date>`past_due_at + CASE reminders WHEN 1 THEN interval '1 day' WHEN 2 THEN interval '3 days' END`,
        '<=',
        now,
      )
      .orderBy('id')
      .limit(100)
      .forUpdate()
      .skipLocked();
    return selectRows(
      db,
      tables
        .updateTable('subscriptions')
        .set(({ eb }) => ({ reminders: eb('reminders', '+', 1) }))
        .where('id', 'in', due)
        .returning(SUBSCRIPTION_COLUMNS),
    );
  }

  /**
   * Records a cancellation with the entry of the audit log, before the gateway is called. @returns false if the subscription is not live
   */
  close(id: string, closing: 'now' | 'cycle_end', entry: OutgoingEvent): Promise<boolean> {
    return inTransaction(this.#pool, async (db) => {
      const changed = await changeRows(
        db,
        tables
          .updateTable('subscriptions')
          .set({ cancel_at_end: true, closing, next: null })
          .where('id', '=', id)
          .where('state', 'in', LIVE_STATES),
      );
      if (changed === 1) await writeEvents(db, [entry]);
      return changed === 1;
    });
  }

  /** Records that an unpaid checkout is rejected, and has to be cancelled at the gateway. */
  async reject(id: string): Promise<SubscriptionRow> {
    await changeRows(
      this.#pool,
      tables
        .updateTable('subscriptions')
        .set({ state: expire.to, cancel_at_end: true, closing: 'now' })
        .where('id', '=', id)
        .where('state', 'in', [expire.to, ...expire.from])
        .where('paid_until', 'is', null)
        .where('cancel_at_end', '=', false),
    );
    const row = await this.byId(id);
    if (row === undefined) throw new AppError('not_found', 'subscription not found');
    return row;
  }

  /** Records that the gateway has confirmed a cancellation. */
  async closed(id: string): Promise<void> {
    await changeRows(this.#pool, tables.updateTable('subscriptions').set({ closing: null }).where('id', '=', id));
  }

  /** Schedules a change of plan, or calls it off with null, with the entries of the audit log. */
  setNext(id: string, next: SubscriptionRow['next'], entries: readonly OutgoingEvent[]): Promise<void> {
    return inTransaction(this.#pool, async (db) => {
      await changeRows(
        db,
        tables
          .updateTable('subscriptions')
          .set({ next: next && JSON.stringify(next) })
          .where('id', '=', id),
      );
      await writeEvents(db, entries);
    });
  }

  /**
   * Returns subscriptions to compare with the gateway: cancellations that it has not confirmed, ended periods, and unfinished checkouts of the
   * last two days.
   */
  due(limit: number): Promise<SubscriptionRow[]> {
    return selectRows(
      this.#pool,
      SUBSCRIPTIONS.where('gateway', '=', this.#gateway)
        .where('gateway_id', 'is not', null)
        .where((where) =>
          where.or([
            where('closing', 'is not', null),
            where.and([where('state', 'in', LIVE_STATES), where('paid_until', '<', sql<Date>`now()`)]),
            where.and([
              where('state', '=', 'incomplete'),
              where('created_at', '<', sql<Date>`now() - interval '15 minutes'`),
              where('created_at', '>', sql<Date>`now() - interval '2 days'`),
            ]),
          ]),
        )
        .orderBy(({ fn }) => fn.coalesce('fetched_at', 'created_at'))
        .limit(limit),
    );
  }
}

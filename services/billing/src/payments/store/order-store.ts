import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import { changeRows, type RowOfQuery, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { tables } from '../../store/tables.ts';

const COLUMNS = [
  'id',
  'workspace_id as workspaceId',
  'gateway_id as gatewayId',
  'state',
  'pack',
  'quantity',
  'credits',
  'amount_minor as amountMinor',
  'currency',
  'lines',
  'tax_note as taxNote',
  'request_hash as requestHash',
  'created_at as createdAt',
] as const;
const ORDERS = tables.selectFrom('orders').select(COLUMNS);

/** An order as stored. Bigint columns are read as text. */
export type OrderRow = RowOfQuery<typeof ORDERS>;

export type NewOrder = Omit<OrderRow, 'gatewayId' | 'state' | 'createdAt'> & {
  readonly idempotencyKey: string | undefined;
};

/** Stores orders of credits at one gateway. */
export class OrderStore {
  readonly #pool: pg.Pool;
  readonly #gateway: string;

  constructor(pool: pg.Pool, gateway: string) {
    this.#pool = pool;
    this.#gateway = gateway;
  }

  /** Stores an order with the entry of the audit log, or returns the earlier one of the same idempotency key. */
  insert(order: NewOrder, entry: OutgoingEvent): Promise<OrderRow> {
    return inTransaction(this.#pool, async (db) => {
      const row = await this.#insert(db, order);
      if (row.id === order.id) await writeEvents(db, [entry]);
      return row;
    });
  }

  async #insert(db: pg.PoolClient, order: NewOrder): Promise<OrderRow> {
    const row = await selectRow(
      db,
      tables
        .insertInto('orders')
        .values({
          id: order.id,
          workspace_id: order.workspaceId,
          gateway: this.#gateway,
          pack: order.pack,
          quantity: order.quantity,
          credits: order.credits,
          amount_minor: order.amountMinor,
          currency: order.currency,
          lines: JSON.stringify(order.lines),
          tax_note: order.taxNote,
          idempotency_key: order.idempotencyKey ?? null,
          request_hash: order.requestHash,
        })
        .onConflict((conflict) =>
          conflict.columns(['workspace_id', 'idempotency_key']).doUpdateSet(({ ref }) => ({ id: ref('orders.id') })),
        )
        .returning(COLUMNS),
    );
    if (row === undefined) throw new Error('the order was not stored');
    return row;
  }

  async setGatewayId(id: string, gatewayId: string): Promise<void> {
    await changeRows(this.#pool, tables.updateTable('orders').set({ gateway_id: gatewayId }).where('id', '=', id));
  }

  find(workspaceId: string, id: string): Promise<OrderRow | undefined> {
    return selectRow(this.#pool, ORDERS.where('workspace_id', '=', workspaceId).where('id', '=', id));
  }

  byGatewayId(gatewayId: string): Promise<OrderRow | undefined> {
    return selectRow(this.#pool, ORDERS.where('gateway', '=', this.#gateway).where('gateway_id', '=', gatewayId));
  }

  /** Marks an order as paid. @returns false if it was paid before, or if the amount is another one */
  async markPaid(
    db: pg.PoolClient,
    { id, paymentId, amountMinor, currency }: { id: string; paymentId: string; amountMinor: number; currency: string },
  ): Promise<boolean> {
    const changed = await changeRows(
      db,
      tables
        .updateTable('orders')
        .set({ state: 'paid', payment_id: paymentId, paid_at: sql<Date>`now()` })
        .where('id', '=', id)
        .where('state', '<>', 'paid')
        .where('amount_minor', '=', String(amountMinor))
        .where('currency', '=', currency),
    );
    return changed === 1;
  }

  /** Returns open orders that are older than 15 minutes and younger than 7 days; a payment may still be captured for them. */
  due(limit: number): Promise<OrderRow[]> {
    return selectRows(
      this.#pool,
      ORDERS.where('gateway', '=', this.#gateway)
        .where('gateway_id', 'is not', null)
        .where('state', '=', 'open')
        .where('created_at', '<', sql<Date>`now() - interval '15 minutes'`)
        .where('created_at', '>', WEEK_AGO)
        .orderBy(sql`random()`)
        .limit(limit),
    );
  }

  async expire(): Promise<void> {
    await changeRows(
      this.#pool,
      tables
        .updateTable('orders')
        .set({ state: 'expired' })
        .where('state', '=', 'open')
        .where('created_at', '<', WEEK_AGO),
    );
  }
}

const WEEK_AGO = sql<Date>`now() - interval '7 days'`;

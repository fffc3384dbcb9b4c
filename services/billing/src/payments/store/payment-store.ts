import { changeRows, type Params, type RowOfQuery, selectRow, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from '../../store/tables.ts';

const PAYMENTS = tables
  .selectFrom('payments')
  .select([
    'id',
    'workspace_id as workspaceId',
    'order_id as orderId',
    'subscription_id as subscriptionId',
    'amount_minor as amountMinor',
    'refunded_minor as refundedMinor',
    'currency',
    'method',
    'invoice_id as invoiceId',
    'paid_at as paidAt',
  ]);

/** An accepted payment as stored. Bigint columns are read as text. */
export type PaymentRow = RowOfQuery<typeof PAYMENTS>;
export type NewPayment = Omit<PaymentRow, 'refundedMinor'>;

const INSERT = schema.prepareText(
  'insert-payment',
  {},
  ({
    gateway,
    id,
    workspaceId,
    orderId,
    subscriptionId,
    amountMinor,
    currency,
    method,
    invoiceId,
    paidAt,
  }: Params<NewPayment & { readonly gateway: string }>) => sql`
    WITH matched AS (
      UPDATE unmatched_payments SET state = 'matched', resolved_at = now() WHERE gateway = ${gateway} AND id = ${id} AND state = 'open'
    )
    INSERT INTO payments (gateway, id, workspace_id, order_id, subscription_id, amount_minor, currency, method, invoice_id, paid_at)
    VALUES (${gateway}, ${id}, ${workspaceId}, ${orderId}, ${subscriptionId}, ${amountMinor}, ${currency}, ${method}, ${invoiceId}, ${paidAt})`,
);

/** Stores the accepted payments of one gateway. */
export class PaymentStore {
  readonly #gateway: string;

  constructor(gateway: string) {
    this.#gateway = gateway;
  }

  /** Stores an accepted payment, which may have been unmatched until then. */
  async insert(db: pg.PoolClient, payment: NewPayment): Promise<void> {
    await INSERT.change(db, { ...payment, gateway: this.#gateway });
  }

  /** Locks an accepted payment until the end of the transaction. */
  lock(db: pg.PoolClient, id: string): Promise<PaymentRow | undefined> {
    return selectRow(db, PAYMENTS.where('gateway', '=', this.#gateway).where('id', '=', id).forUpdate());
  }

  async setRefunded(db: pg.PoolClient, id: string, refundedMinor: bigint): Promise<void> {
    await changeRows(
      db,
      tables
        .updateTable('payments')
        .set({ refunded_minor: refundedMinor.toString() })
        .where('gateway', '=', this.#gateway)
        .where('id', '=', id),
    );
  }
}

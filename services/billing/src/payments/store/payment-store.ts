import type pg from 'pg';

export interface PaymentRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly orderId: string | null;
  readonly subscriptionId: string | null;
  readonly amountMinor: string;
  readonly refundedMinor: string;
  readonly currency: string;
  readonly method: string;
  readonly invoiceId: string;
  readonly paidAt: Date;
}

const COLUMNS = `id, workspace_id AS "workspaceId", order_id AS "orderId", subscription_id AS "subscriptionId", amount_minor AS "amountMinor",
  refunded_minor AS "refundedMinor", currency, method, invoice_id AS "invoiceId", paid_at AS "paidAt"`;

/** Stores the accepted payments of one gateway. */
export class PaymentStore {
  readonly #gateway: string;

  constructor(gateway: string) {
    this.#gateway = gateway;
  }

  /** Stores an accepted payment, which may have been unmatched until then. */
  async insert(db: pg.PoolClient, payment: Omit<PaymentRow, 'refundedMinor'>): Promise<void> {
    await db.query(
      `WITH matched AS (UPDATE unmatched_payments SET state = 'matched', resolved_at = now() WHERE gateway = $1 AND id = $2 AND state = 'open')
       INSERT INTO payments (gateway, id, workspace_id, order_id, subscription_id, amount_minor, currency, method, invoice_id, paid_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        this.#gateway,
        payment.id,
        payment.workspaceId,
        payment.orderId,
        payment.subscriptionId,
        payment.amountMinor,
        payment.currency,
        payment.method,
        payment.invoiceId,
        payment.paidAt,
      ],
    );
  }

  /** Locks an accepted payment until the end of the transaction. */
  async lock(db: pg.PoolClient, id: string): Promise<PaymentRow | undefined> {
    const { rows } = await db.query<PaymentRow>(
      `SELECT ${COLUMNS} FROM payments WHERE gateway = $1 AND id = $2 FOR UPDATE`,
      [this.#gateway, id],
    );
    return rows[0];
  }

  async setRefunded(db: pg.PoolClient, id: string, refundedMinor: bigint): Promise<void> {
    await db.query('UPDATE payments SET refunded_minor = $3 WHERE gateway = $1 AND id = $2', [
      this.#gateway,
      id,
      refundedMinor.toString(),
    ]);
  }
}

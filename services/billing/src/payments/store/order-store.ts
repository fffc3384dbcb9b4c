import type pg from 'pg';
import type { StoredLine } from '../../documents/document.ts';
import type { OrderState } from '../../states/payment-state.ts';

export interface OrderRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly gatewayId: string | null;
  readonly state: OrderState;
  readonly pack: string;
  readonly quantity: number;
  readonly credits: string;
  readonly amountMinor: string;
  readonly currency: string;
  readonly lines: readonly StoredLine[];
  readonly taxNote: string;
  readonly requestHash: string;
  readonly createdAt: Date;
}

export type NewOrder = Omit<OrderRow, 'gatewayId' | 'state' | 'createdAt'> & { readonly idempotencyKey: string };

const COLUMNS = `id, workspace_id AS "workspaceId", gateway_id AS "gatewayId", state, pack, quantity, credits, amount_minor AS "amountMinor",
  currency, lines, tax_note AS "taxNote", request_hash AS "requestHash", created_at AS "createdAt"`;

/** Stores orders of credits at one gateway. */
export class OrderStore {
  readonly #pool: pg.Pool;
  readonly #gateway: string;

  constructor(pool: pg.Pool, gateway: string) {
    this.#pool = pool;
    this.#gateway = gateway;
  }

  /** Stores an order, or returns the earlier one of the same idempotency key. */
  async insert(order: NewOrder): Promise<OrderRow> {
    const { rows } = await this.#pool.query<OrderRow>(
      `INSERT INTO orders AS o (id, workspace_id, gateway, pack, quantity, credits, amount_minor, currency, lines, tax_note, idempotency_key, request_hash)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, nullif($11, ''), $12)
       ON CONFLICT (workspace_id, idempotency_key) DO UPDATE SET id = o.id RETURNING ${COLUMNS}`,
      [
        order.id,
        order.workspaceId,
        this.#gateway,
        order.pack,
        order.quantity,
        order.credits,
        order.amountMinor,
        order.currency,
        JSON.stringify(order.lines),
        order.taxNote,
        order.idempotencyKey,
        order.requestHash,
      ],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('the order was not stored');
    return row;
  }

  async setGatewayId(id: string, gatewayId: string): Promise<void> {
    await this.#pool.query('UPDATE orders SET gateway_id = $2 WHERE id = $1', [id, gatewayId]);
  }

  find(workspaceId: string, id: string): Promise<OrderRow | undefined> {
    return this.#first('workspace_id = $1 AND id = $2', [workspaceId, id]);
  }

  byGatewayId(gatewayId: string): Promise<OrderRow | undefined> {
    return this.#first('gateway = $1 AND gateway_id = $2', [this.#gateway, gatewayId]);
  }

  /** Marks an order as paid. @returns false if it was paid before, or if the amount is another one */
  async markPaid(
    db: pg.PoolClient,
    { id, paymentId, amountMinor, currency }: { id: string; paymentId: string; amountMinor: number; currency: string },
  ): Promise<boolean> {
    const { rowCount } = await db.query(
      `UPDATE orders SET state = 'paid', payment_id = $2, paid_at = now()
       WHERE id = $1 AND state <> 'paid' AND amount_minor = $3 AND currency = $4`,
      [id, paymentId, amountMinor, currency],
    );
    return rowCount === 1;
  }

  /** Returns open orders that are older than 15 minutes and younger than 7 days; a payment may still be captured for them. */
  async due(limit: number): Promise<OrderRow[]> {
    const { rows } = await this.#pool.query<OrderRow>(
      `SELECT ${COLUMNS} FROM orders WHERE gateway = $1 AND gateway_id IS NOT NULL AND state = 'open'
         AND created_at < now() - interval '15 minutes' AND created_at > now() - interval '7 days' ORDER BY random() LIMIT $2`,
      [this.#gateway, limit],
    );
    return rows;
  }

  async expire(): Promise<void> {
    await this.#pool.query(
      `UPDATE orders SET state = 'expired' WHERE state = 'open' AND created_at < now() - interval '7 days'`,
    );
  }

  async #first(where: string, values: readonly string[]): Promise<OrderRow | undefined> {
    const { rows } = await this.#pool.query<OrderRow>(`SELECT ${COLUMNS} FROM orders WHERE ${where}`, [...values]);
    return rows[0];
  }
}

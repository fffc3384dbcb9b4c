import type pg from 'pg';
import type { Buyer } from '../../documents/document.ts';
import type { GatewayIds } from '../port/gateway-ids.ts';

/** Stores the billing details of workspaces. */
export class DetailsStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async find(workspaceId: string): Promise<Buyer | undefined> {
    const { rows } = await this.#pool.query<Buyer>(
      `SELECT legal_name AS "legalName", address, country, state, tax_id AS "taxId", email FROM billing_details WHERE workspace_id = $1`,
      [workspaceId],
    );
    return rows[0];
  }

  async save(workspaceId: string, { legalName, address, country, state, taxId, email }: Buyer): Promise<void> {
    await this.#pool.query(
      `INSERT INTO billing_details (workspace_id, legal_name, address, country, state, tax_id, email) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (workspace_id) DO UPDATE SET legal_name = $2, address = $3, country = $4, state = $5, tax_id = $6, email = $7`,
      [workspaceId, legalName, address, country, state, taxId, email],
    );
  }
}

/** Stores the ids that a gateway gave to customers and plans. */
export class GatewayIdStore implements GatewayIds {
  readonly #pool: pg.Pool;
  readonly #gateway: string;

  constructor(pool: pg.Pool, gateway: string) {
    this.#pool = pool;
    this.#gateway = gateway;
  }

  async find(kind: 'customer' | 'plan', key: string): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ id: string }>(
      'SELECT id FROM gateway_ids WHERE gateway = $1 AND kind = $2 AND key = $3',
      [this.#gateway, kind, key],
    );
    return rows[0]?.id;
  }

  async save(kind: 'customer' | 'plan', key: string, id: string): Promise<string> {
    const { rows } = await this.#pool.query<{ id: string }>(
      `INSERT INTO gateway_ids AS g (gateway, kind, key, id) VALUES ($1, $2, $3, $4)
       ON CONFLICT (gateway, kind, key) DO UPDATE SET id = g.id RETURNING id`,
      [this.#gateway, kind, key, id],
    );
    return rows[0]?.id ?? id;
  }
}

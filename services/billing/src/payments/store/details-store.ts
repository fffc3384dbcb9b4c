import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import { changeRows, selectRow } from '@tidemark/sql';
import type pg from 'pg';
import type { Buyer } from '../../documents/document.ts';
import { tables } from '../../store/tables.ts';
import type { GatewayIds } from '../port/gateway-ids.ts';

/** Stores the billing details of workspaces. */
export class DetailsStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  find(workspaceId: string): Promise<Buyer | undefined> {
    return selectRow(
      this.#pool,
      tables
        .selectFrom('billing_details')
        .select(['legal_name as legalName', 'address', 'country', 'state', 'tax_id as taxId', 'email'])
        .where('workspace_id', '=', workspaceId),
    );
  }

  /** Stores the details with the entry of the audit log. */
  save(
    workspaceId: string,
    { legalName, address, country, state, taxId, email }: Buyer,
    entry: OutgoingEvent,
  ): Promise<void> {
    const details = { legal_name: legalName, address, country, state, tax_id: taxId, email };
    return inTransaction(this.#pool, async (db) => {
      await changeRows(
        db,
        tables
          .insertInto('billing_details')
          .values({ workspace_id: workspaceId, ...details })
          .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(details)),
      );
      await writeEvents(db, [entry]);
    });
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
    const row = await selectRow(
      this.#pool,
      tables
        .selectFrom('gateway_ids')
        .select('id')
        .where('gateway', '=', this.#gateway)
        .where('kind', '=', kind)
        .where('key', '=', key),
    );
    return row?.id;
  }

  async save(kind: 'customer' | 'plan', key: string, id: string): Promise<string> {
    const row = await selectRow(
      this.#pool,
      tables
        .insertInto('gateway_ids')
        .values({ gateway: this.#gateway, kind, key, id })
        .onConflict((conflict) =>
          conflict.columns(['gateway', 'kind', 'key']).doUpdateSet(({ ref }) => ({ id: ref('gateway_ids.id') })),
        )
        .returning('id'),
    );
    return row?.id ?? id;
  }
}

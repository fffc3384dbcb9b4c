import { ChargeKind, type Spend, type StatementResponse } from '@tidemark/contracts/billing/v1/billing';
import { anyOf, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { z } from 'zod';
import type { PaidWorkspaces } from './paid-workspaces.ts';
import { tables } from './tables.ts';

const Kind = z.enum(ChargeKind);

const MAX_CHARGES = 50;

/**
 * Reads the months of workspaces: what they spent, by kind, and the charges behind it. Months are UTC. The month of a workspace includes that of
 * its sub-accounts.
 */
export class StatementViews {
  readonly #pool: pg.Pool;

  readonly #paidWorkspaces: PaidWorkspaces;

  constructor({ pool, paidWorkspaces }: { readonly pool: pg.Pool; readonly paidWorkspaces: PaidWorkspaces }) {
    this.#pool = pool;
    this.#paidWorkspaces = paidWorkspaces;
  }

  /** Returns the spend of these workspaces, as far as `payerId` pays for them. */
  async spends(payerId: string, workspaceIds: readonly string[], now: Date): Promise<Spend[]> {
    const rows = await selectRows(
      this.#pool,
      selectSpend(monthOf(now).startsAt)
        .where('workspace_id', '=', anyOf(workspaceIds))
        .where('payer_id', '=', payerId),
    );
    return rows.map(toSpend);
  }

  /** Returns the currency of the subscription of a workspace; undefined: it has none. */
  async currencyOf(workspaceId: string): Promise<string | undefined> {
    const row = await selectRow(
      this.#pool,
      tables
        .selectFrom('subscriptions')
        .select('currency')
        .where('workspace_id', '=', workspaceId)
        .where('state', 'in', ['active', 'past_due']),
    );
    return row?.currency;
  }

  /** Returns the current month of a workspace. */
  async statement(workspaceId: string, now: Date): Promise<StatementResponse> {
    const { startsAt, endsAt } = monthOf(now);
    const paid = await this.#paidWorkspaces(workspaceId);
    const [spends, kinds, charges] = await Promise.all([
      selectRows(this.#pool, selectSpend(startsAt).where('workspace_id', '=', anyOf(paid))),
      selectRows(
        this.#pool,
        tables
          .selectFrom('usage_days')
          .select(({ fn }) => ['kind', fn.sum<string>('pages').as('pages'), fn.sum<string>('credits').as('credits')])
          .where('workspace_id', '=', anyOf(paid))
          .where('day', '>=', startsAt)
          .groupBy('kind')
          .orderBy(({ fn }) => fn.sum('credits'), 'desc')
          .orderBy('kind'),
      ),
      selectRows(
        this.#pool,
        tables
          .selectFrom('ledger')
          .select([
            'created_at as at',
            'kind',
            'ref',
            sql<number>`(-credits)::int`.as('credits'),
            'actor_id as actorId',
            'workspace_id as workspaceId',
          ])
          .where('workspace_id', '=', anyOf(paid))
          .where('created_at', '>=', startsAt)
          .where('credits', '<', '0')
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(MAX_CHARGES),
      ),
    ]);
    const byKind = kinds.map(({ kind, pages, credits }) => ({
      kind: Kind.parse(kind),
      pages: Number(pages),
      credits: Number(credits),
    }));
    const month = spends.reduce((sum, spend) => sum + Number(spend.month), 0);
    // The reserved credits of a payer include those of its sub-accounts.
    const reserved = Number(spends.find(({ id }) => id === workspaceId)?.reserved ?? 0);
    return { startsAt, endsAt, month, byKind, charges, reserved };
  }
}

interface SpendRow {
  readonly id: string;
  /** Null never: a sum without rows is 0. */
  readonly month: string | null;
  readonly reserved: string;
}

/** Reads what workspaces have spent since the begin of a month, and what is reserved. */
const selectSpend = (startsAt: Date) =>
  tables.selectFrom('accounts').select(({ selectFrom }) => [
    'workspace_id as id',
    'reserved',
    selectFrom('usage_days as u')
      .select(({ fn }) => fn.coalesce(fn.sum<string>('u.credits'), sql<string>`0`).as('month'))
      .whereRef('u.workspace_id', '=', 'accounts.workspace_id')
      .where('u.day', '>=', startsAt)
      .as('month'),
  ]);

const toSpend = ({ id, month, reserved }: SpendRow): Spend => ({
  workspaceId: id,
  month: Number(month),
  reserved: Number(reserved),
});

const monthOf = (now: Date) => ({
  startsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)),
  endsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)),
});

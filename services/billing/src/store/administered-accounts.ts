import { selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { tables } from './tables.ts';

/** The credit account of a workspace, as the operator of an installation sees it. */
export interface AdministeredAccount {
  readonly plan: string;
  /** Credits left without overage; null: the plan has no limit, or the account is that of a sub-account. */
  readonly creditsLeft: number | null;
  /** Credits charged since the begin of the month (UTC), those of sub-accounts under their own id. */
  readonly usedThisMonth: number;
}

/** Reads the accounts of workspaces, by id. */
export async function readAccounts(pool: pg.Pool, ids: readonly string[]): Promise<Map<string, AdministeredAccount>> {
  const rows = await selectRows(
    pool,
    tables
      .selectFrom('accounts as a')
      .select(({ selectFrom }) => [
        'a.workspace_id as id',
        'a.plan',
        sql<number | null>`CASE WHEN a.allowance IS NULL OR a.payer_id IS NOT NULL THEN NULL
          ELSE (a.allowance_left + a.welcome_left + a.purchased_left)::float8 END`.as('creditsLeft'),
        selectFrom('usage_days as u')
          .select(sql<number>`coalesce(sum(u.credits), 0)::float8`.as('used'))
          .whereRef('u.workspace_id', '=', 'a.workspace_id')
          .where('u.day', '>=', sql<Date>`date_trunc('month', now() AT TIME ZONE 'UTC')::date`)
          .as('used'),
      ])
      .where('a.workspace_id', 'in', [...ids]),
  );
  return new Map(rows.map(({ id, plan, creditsLeft, used }) => [id, { plan, creditsLeft, usedThisMonth: used ?? 0 }]));
}

import { changeRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { LIVE_STATES, SUBSCRIPTION_TRANSITIONS, type SubscriptionState } from '../../states/subscription-state.ts';
import { tables } from '../../store/tables.ts';

const { expire, end } = SUBSCRIPTION_TRANSITIONS;

/**
 * Ends what a deleted workspace has at the gateway, and deletes its billing details. Its invoices, credit notes and payments are kept, as the law
 * requires; they copy what they show. The gateway is called later: the reconciler sends the cancellation. Safe to repeat.
 */
export async function discardPayments(pool: pg.Pool, workspaceId: string): Promise<void> {
  await changeRows(pool, tables.deleteFrom('billing_details').where('workspace_id', '=', workspaceId));
  await changeRows(
    pool,
    tables.deleteFrom('gateway_ids').where('kind', '=', 'customer').where('key', '=', workspaceId),
  );
  await changeRows(
    pool,
    tables.deleteFrom('overage_charges').where('workspace_id', '=', workspaceId).where('state', '<>', 'paid'),
  );
  await changeRows(
    pool,
    tables
      .updateTable('subscriptions')
      .set({
        state: sql<SubscriptionState>`CASE WHEN paid_until IS NULL THEN ${sql.lit(expire.to)} ELSE ${sql.lit(end.to)} END`,
        next: null,
        cancel_at_end: true,
        closing: sql<'now' | null>`CASE WHEN gateway_id IS NULL THEN NULL ELSE 'now' END`,
      })
      .where('workspace_id', '=', workspaceId)
      .where('state', 'in', ['incomplete', ...LIVE_STATES]),
  );
  await changeRows(
    pool,
    tables
      .updateTable('orders')
      .set({ state: 'expired' })
      .where('workspace_id', '=', workspaceId)
      .where('state', '=', 'open'),
  );
}

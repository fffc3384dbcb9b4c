import type pg from 'pg';

/**
 * Ends what a deleted workspace has at the gateway, and deletes its billing details. Its invoices, credit notes and payments are kept, as the law
 * requires; they copy what they show. The gateway is called later: the reconciler sends the cancellation. Safe to repeat.
 */
export async function discardPayments(pool: pg.Pool, workspaceId: string): Promise<void> {
  const statements = [
    'DELETE FROM billing_details WHERE workspace_id = $1',
    `DELETE FROM gateway_ids WHERE kind = 'customer' AND key = $1`,
    `DELETE FROM overage_charges WHERE workspace_id = $1 AND state <> 'paid'`,
    `UPDATE subscriptions SET state = CASE WHEN paid_until IS NULL THEN 'expired' ELSE 'ended' END, next = NULL, cancel_at_end = true,
       closing = CASE WHEN gateway_id IS NULL THEN NULL ELSE 'now' END WHERE workspace_id = $1 AND state IN ('incomplete', 'active', 'past_due')`,
    `UPDATE orders SET state = 'expired' WHERE workspace_id = $1 AND state = 'open'`,
  ];
  for (const statement of statements) await pool.query(statement, [workspaceId]);
}

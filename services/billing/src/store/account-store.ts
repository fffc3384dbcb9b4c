import type { WorkspaceSnapshot } from '@tidemark/contracts/identity/v1/identity';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { DEFAULT_OVERAGE_CAP, overageRoom } from '../credits/overage-room.ts';
import { periodAt } from '../credits/period.ts';
import type { FindPlan } from './plan-store.ts';

/** Stores credit accounts: one for each workspace, opened when it is needed. */
export class AccountStore {
  readonly #pool: pg.Pool;
  readonly #planOf: FindPlan;

  constructor(pool: pg.Pool, planOf: FindPlan) {
    this.#pool = pool;
    this.#planOf = planOf;
  }

  /**
   * Opens an account, with the allowance and the welcome credits of its plan. A sub-account has no credits of its own: its payer's account is
   * used. Does nothing if the account exists.
   */
  async open({ workspaceId, plan: planName, parentId, cap, version, isWelcome }: WorkspaceSnapshot): Promise<void> {
    const { name, plan } = this.#planOf(planName);
    if (parentId !== '') {
      await this.#pool.query({
        name: 'open-child-account',
        text: `INSERT INTO accounts (workspace_id, plan, payer_id, cap, snapshot_version) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
        values: [workspaceId, name, parentId, cap, version],
      });
      return;
    }
    const anchor = (plan.allowance ?? 0) > 0 ? new Date() : null;
    const end = anchor === null ? null : periodAt(anchor, anchor).end;
    await this.#pool.query({
      name: 'open-account',
      text: `
        WITH opened AS (
          INSERT INTO accounts (workspace_id, plan, allowance, allowance_left, welcome_left, welcome, overage_room, anchor_at, period_start, period_end,
            cap, snapshot_version)
          VALUES ($1, $2, $3::bigint, coalesce($3::bigint, 0), $4::bigint, $4::bigint, $5::bigint, $6, $6, $7, $8, $9)
          ON CONFLICT DO NOTHING RETURNING workspace_id)
        INSERT INTO ledger (workspace_id, kind, ref, credits, allowance, welcome)
        SELECT workspace_id, g.kind, g.ref, g.credits, g.allowance, g.welcome FROM opened CROSS JOIN (VALUES
          ('allowance', $1, coalesce($3::bigint, 0), coalesce($3::bigint, 0), 0),
          ('welcome', $1, $4::bigint, 0, $4::bigint)) AS g(kind, ref, credits, allowance, welcome)
        WHERE g.credits > 0 ON CONFLICT DO NOTHING`,
      values: [
        workspaceId,
        name,
        plan.allowance,
        isWelcome && plan.allowance !== null ? plan.welcomeCredits : 0,
        overageRoom(plan, DEFAULT_OVERAGE_CAP, false),
        anchor,
        end,
        cap,
        version,
      ],
    });
  }

  /** Returns whether an account exists. */
  async exists(workspaceId: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'account-exists',
      text: 'SELECT 1 FROM accounts WHERE workspace_id = $1',
      values: [workspaceId],
    });
    return (rowCount ?? 0) > 0;
  }

  /**
   * Stores newer snapshot of a workspace in its account, if it has one: the cap, and welcome credits that it got after the account was opened.
   * Safe to repeat.
   */
  async update({ workspaceId, plan: planName, cap, version, isWelcome }: WorkspaceSnapshot): Promise<void> {
    const { plan } = this.#planOf(planName);
    await this.#pool.query({
      name: 'update-account',
      text: `
        WITH account AS (
          SELECT workspace_id, allowance IS NOT NULL AND payer_id IS NULL AS has_buckets FROM accounts WHERE workspace_id = $1 FOR UPDATE
        ), welcome AS (
          INSERT INTO ledger (workspace_id, kind, ref, credits, welcome)
          SELECT workspace_id, 'welcome', workspace_id, $4::bigint, $4::bigint FROM account WHERE $5::boolean AND has_buckets AND $4::bigint > 0
          ON CONFLICT DO NOTHING RETURNING credits
        )
        UPDATE accounts a SET welcome_left = a.welcome_left + coalesce((SELECT sum(credits) FROM welcome), 0),
          welcome = a.welcome + coalesce((SELECT sum(credits) FROM welcome), 0),
          cap = CASE WHEN $3 > a.snapshot_version THEN $2 ELSE a.cap END, snapshot_version = greatest(a.snapshot_version, $3)
        FROM account WHERE a.workspace_id = account.workspace_id`,
      values: [workspaceId, cap, version, plan.welcomeCredits, isWelcome],
    });
  }

  /**
   * Deletes everything that is stored of a workspace. The account that pays for a sub-account gets one entry with the sums of its
   * charges, and its reserved credits back. Charges that arrive later are dropped, as the workspace has no account. Safe to repeat.
   */
  async delete(workspaceId: string): Promise<void> {
    await inTransaction(this.#pool, async (db) => {
      await db.query({ name: 'close-sub-account', text: CLOSE_SUB_ACCOUNT, values: [workspaceId] });
      for (const table of [
        'accounts',
        'leases',
        'spend_limits',
        'periods',
        'usage_days',
        'token_uses',
        'ledger',
        'balance_checks',
      ] as const)
        await db.query(`DELETE FROM ${table} WHERE workspace_id = $1`, [workspaceId]);
    });
  }
}

/** Keeps the charges and returns the reserved credits of a sub-account at its payer. Locks both accounts in order of their id. */
const CLOSE_SUB_ACCOUNT = `
  WITH locked AS (
    SELECT workspace_id, payer_id FROM accounts
    WHERE workspace_id = $1 OR workspace_id = (SELECT payer_id FROM accounts WHERE workspace_id = $1) ORDER BY workspace_id FOR UPDATE
  ), closed AS (
    INSERT INTO ledger (workspace_id, kind, ref, credits, allowance, welcome, purchased, overage)
    SELECT l.payer_id, 'closed', $1, sum(l.credits), sum(l.allowance), sum(l.welcome), sum(l.purchased), sum(l.overage)
    FROM ledger l JOIN locked p ON p.workspace_id = l.payer_id WHERE l.workspace_id = $1 GROUP BY l.payer_id
    ON CONFLICT DO NOTHING
  )
  UPDATE accounts a SET reserved = a.reserved - coalesce((SELECT sum(credits) FROM leases WHERE workspace_id = $1), 0)
  FROM locked c WHERE c.workspace_id = $1 AND a.workspace_id = c.payer_id`;

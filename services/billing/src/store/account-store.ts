import type { WorkspaceSnapshot } from '@tidemark/contracts/identity/v1/identity';
import { inTransaction } from '@tidemark/service';
import { changeRows, type Params, selectRow, sql } from '@tidemark/sql';
import type pg from 'pg';
import { DEFAULT_OVERAGE_CAP, overageRoom } from '../credits/overage-room.ts';
import { periodAt } from '../credits/period.ts';
import type { FindPlan } from './plan-store.ts';
import { schema, tables } from './tables.ts';

/** Value of the column `cap` of an account without a cap. */
const NO_CAP = 0;

interface OpenValues {
  readonly workspaceId: string;
  readonly plan: string;
  readonly allowance: number | null;
  readonly welcome: number;
  readonly overageRoom: number | null;
  readonly anchor: Date | null;
  readonly end: Date | null;
  readonly cap: number;
  readonly version: number;
}

/** Inserts an account, and the ledger entries of its first allowance and of its welcome credits. */
const OPEN = schema.prepareText(
  'open-account',
  {},
  ({ workspaceId, plan, allowance, welcome, overageRoom, anchor, end, cap, version }: Params<OpenValues>) => sql`
    WITH opened AS (
      INSERT INTO accounts (workspace_id, plan, allowance, allowance_left, welcome_left, welcome, overage_room, anchor_at, period_start, period_end,
        cap, snapshot_version)
      VALUES (${workspaceId}, ${plan}, ${allowance}, coalesce(${allowance}::bigint, 0), ${welcome}, ${welcome}, ${overageRoom},
        ${anchor}, ${anchor}, ${end}, ${cap}, ${version})
      ON CONFLICT DO NOTHING RETURNING workspace_id, allowance_left, welcome)
    INSERT INTO ledger (workspace_id, kind, ref, credits, allowance, welcome)
    SELECT o.workspace_id, g.kind, o.workspace_id, g.allowance + g.welcome, g.allowance, g.welcome
    FROM opened o CROSS JOIN LATERAL (VALUES ('allowance', o.allowance_left, 0), ('welcome', 0, o.welcome)) AS g(kind, allowance, welcome)
    WHERE g.allowance + g.welcome > 0 ON CONFLICT DO NOTHING`,
);

interface UpdateValues {
  readonly workspaceId: string;
  readonly cap: number;
  readonly version: number;
  readonly welcomeCredits: number;
  readonly isWelcome: boolean;
}

const UPDATE = schema.prepareText(
  'update-account',
  {},
  ({ workspaceId, cap, version, welcomeCredits, isWelcome }: Params<UpdateValues>) => sql`
    WITH account AS (
      SELECT workspace_id, allowance IS NOT NULL AND payer_id IS NULL AS has_buckets FROM accounts WHERE workspace_id = ${workspaceId} FOR UPDATE
    ), welcome AS (
      INSERT INTO ledger (workspace_id, kind, ref, credits, welcome)
      SELECT workspace_id, 'welcome', workspace_id, ${welcomeCredits}::bigint, ${welcomeCredits}::bigint FROM account
      WHERE ${isWelcome}::boolean AND has_buckets AND ${welcomeCredits}::bigint > 0
      ON CONFLICT DO NOTHING RETURNING credits
    )
    UPDATE accounts a SET welcome_left = a.welcome_left + coalesce((SELECT sum(credits) FROM welcome), 0),
      welcome = a.welcome + coalesce((SELECT sum(credits) FROM welcome), 0),
      cap = CASE WHEN ${version}::bigint > a.snapshot_version THEN ${cap}::bigint ELSE a.cap END,
      snapshot_version = greatest(a.snapshot_version, ${version}::bigint)
    FROM account WHERE a.workspace_id = account.workspace_id`,
);

/** Keeps the charges and the usage, and returns the reserved credits of a sub-account at its payer. Locks both accounts in order of their id. */
const CLOSE_SUB_ACCOUNT = schema.prepareText(
  'close-sub-account',
  {},
  ({ workspaceId }: Params<{ readonly workspaceId: string }>) => sql`
    WITH locked AS (
      SELECT workspace_id, payer_id FROM accounts
      WHERE workspace_id = ${workspaceId} OR workspace_id = (SELECT payer_id FROM accounts WHERE workspace_id = ${workspaceId})
      ORDER BY workspace_id FOR UPDATE
    ), closed AS (
      INSERT INTO ledger (workspace_id, kind, ref, credits, allowance, welcome, purchased, overage)
      SELECT l.payer_id, 'closed', ${workspaceId}::text, sum(l.credits), sum(l.allowance), sum(l.welcome), sum(l.purchased), sum(l.overage)
      FROM ledger l JOIN locked p ON p.workspace_id = l.payer_id WHERE l.workspace_id = ${workspaceId} GROUP BY l.payer_id
      ON CONFLICT DO NOTHING
    ), used AS (
      INSERT INTO usage_days AS u (workspace_id, day, kind, actor_id, project_id, pages, credits)
      SELECT c.payer_id, d.day, d.kind, '', '', sum(d.pages)::int, sum(d.credits)::int
      FROM usage_days d JOIN locked c ON c.workspace_id = d.workspace_id JOIN locked p ON p.workspace_id = c.payer_id
      WHERE d.workspace_id = ${workspaceId} GROUP BY c.payer_id, d.day, d.kind
      ON CONFLICT (workspace_id, day, kind, actor_id, project_id)
        DO UPDATE SET pages = u.pages + excluded.pages, credits = u.credits + excluded.credits
    )
    UPDATE accounts a SET reserved = a.reserved - coalesce((SELECT sum(credits) FROM leases WHERE workspace_id = ${workspaceId}), 0)
    FROM locked c WHERE c.workspace_id = ${workspaceId} AND a.workspace_id = c.payer_id`,
);

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
    if (parentId !== undefined) {
      await changeRows(
        this.#pool,
        tables
          .insertInto('accounts')
          .values({
            workspace_id: workspaceId,
            plan: name,
            payer_id: parentId,
            cap: cap ?? NO_CAP,
            snapshot_version: version,
          })
          .onConflict((conflict) => conflict.doNothing()),
      );
      return;
    }
    const anchor = (plan.allowance ?? 0) > 0 ? new Date() : null;
    const end = anchor === null ? null : periodAt(anchor, anchor).end;
    await OPEN.change(this.#pool, {
      workspaceId,
      plan: name,
      allowance: plan.allowance,
      welcome: isWelcome && plan.allowance !== null ? plan.welcomeCredits : 0,
      overageRoom: overageRoom(plan, DEFAULT_OVERAGE_CAP, false),
      anchor,
      end,
      cap: cap ?? NO_CAP,
      version,
    });
  }

  /** Returns whether an account exists. */
  async exists(workspaceId: string): Promise<boolean> {
    const row = await selectRow(
      this.#pool,
      tables.selectFrom('accounts').select('workspace_id').where('workspace_id', '=', workspaceId),
    );
    return row !== undefined;
  }

  /**
   * Stores newer snapshot of a workspace in its account, if it has one: the cap, and welcome credits that it got after the account was opened.
   * Safe to repeat.
   */
  async update({ workspaceId, plan: planName, cap, version, isWelcome }: WorkspaceSnapshot): Promise<void> {
    const { plan } = this.#planOf(planName);
    await UPDATE.change(this.#pool, {
      workspaceId,
      cap: cap ?? NO_CAP,
      version,
      welcomeCredits: plan.welcomeCredits,
      isWelcome,
    });
  }

  /**
   * Deletes everything that is stored of a workspace. The account that pays for a sub-account gets one entry with the sums of its
   * charges, its usage of each day, and its reserved credits back. Charges that arrive later are dropped, as the workspace has no account. Safe to repeat.
   */
  async delete(workspaceId: string): Promise<void> {
    await inTransaction(this.#pool, async (db) => {
      await CLOSE_SUB_ACCOUNT.change(db, { workspaceId });
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
        await changeRows(db, tables.deleteFrom(table).where('workspace_id', '=', workspaceId));
    });
  }
}

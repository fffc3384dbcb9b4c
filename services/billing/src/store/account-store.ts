import type { Plan } from '@tidemark/catalogue';
import type { WorkspaceSnapshot } from '@tidemark/contracts/identity/v1/identity';
import type pg from 'pg';

/** Stores credit accounts: one for each workspace, opened when it is needed. */
export class AccountStore {
  readonly #pool: pg.Pool;
  readonly #planOf: (name: string) => { readonly name: string; readonly plan: Plan };

  /** `planOf` returns a plan by its name, and the default plan for a name that is not in the catalogue. */
  constructor(pool: pg.Pool, planOf: (name: string) => { readonly name: string; readonly plan: Plan }) {
    this.#pool = pool;
    this.#planOf = planOf;
  }

  /**
   * Opens an account, with the welcome credits of its plan if it has them; a plan without a credit limit has the balance null. A sub-account
   * has no balance: its payer's account is used. Does nothing if the account exists.
   */
  async open({ workspaceId, plan: planName, parentId, cap, version, isWelcome }: WorkspaceSnapshot): Promise<void> {
    const { name, plan } = this.#planOf(planName);
    const isChild = parentId !== '';
    const welcome = isChild ? null : plan.welcomeCredits;
    await this.#pool.query({
      name: 'open-account',
      text: `
        WITH opened AS (
          INSERT INTO accounts (workspace_id, plan, balance, payer_id, cap, snapshot_version)
          VALUES ($1, $2, CASE WHEN $3::bigint IS NULL THEN NULL WHEN $4::boolean THEN $3::bigint ELSE 0 END, $5, $6, $7)
          ON CONFLICT DO NOTHING RETURNING workspace_id)
        INSERT INTO ledger (workspace_id, kind, ref, credits)
        SELECT workspace_id, 'welcome', workspace_id, $3::bigint FROM opened WHERE $3::bigint IS NOT NULL AND $4::boolean
        ON CONFLICT DO NOTHING`,
      values: [workspaceId, name, welcome, isWelcome, isChild ? parentId : null, cap, version],
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
          SELECT workspace_id, balance IS NOT NULL AND payer_id IS NULL AS has_balance FROM accounts WHERE workspace_id = $1 FOR UPDATE
        ), welcome AS (
          INSERT INTO ledger (workspace_id, kind, ref, credits)
          SELECT workspace_id, 'welcome', workspace_id, $4::bigint FROM account WHERE $5::boolean AND has_balance AND $4::bigint IS NOT NULL
          ON CONFLICT DO NOTHING RETURNING credits
        )
        UPDATE accounts a SET balance = a.balance + coalesce((SELECT sum(credits) FROM welcome), 0),
          cap = CASE WHEN $3 > a.snapshot_version THEN $2 ELSE a.cap END, snapshot_version = greatest(a.snapshot_version, $3)
        FROM account WHERE a.workspace_id = account.workspace_id`,
      values: [workspaceId, cap, version, plan.welcomeCredits, isWelcome],
    });
  }

  /** Deletes everything that is stored of a workspace. Charges that arrive later are dropped, as it has no account. Safe to repeat. */
  async delete(workspaceId: string): Promise<void> {
    await this.#pool.query('DELETE FROM leases WHERE workspace_id = $1', [workspaceId]);
    await this.#pool.query('DELETE FROM accounts WHERE workspace_id = $1', [workspaceId]);
    await this.#pool.query('DELETE FROM usage_days WHERE workspace_id = $1', [workspaceId]);
    await this.#pool.query('DELETE FROM ledger WHERE workspace_id = $1', [workspaceId]);
  }
}

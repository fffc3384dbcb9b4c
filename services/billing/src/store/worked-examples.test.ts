import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadCatalogue, planOf } from '@tidemark/catalogue';
import { newId } from '@tidemark/contracts';
import { inTransaction, openPool } from '@tidemark/service';
import { createDatabase, newWorkspace, type TestDatabase } from '@tidemark/testkit';
import type pg from 'pg';
import { overageMinor } from '../credits/estimate-cost.ts';
import { AccountStore } from './account-store.ts';
import { LedgerStore } from './ledger-store.ts';
import { PlanStore } from './plan-store.ts';

const catalogue = loadCatalogue();
const named = (name: string) => ({ name, plan: planOf(catalogue, name) });
let database: TestDatabase;
let pool: pg.Pool;
let plans: PlanStore;
let ledger: LedgerStore;
let accounts: AccountStore;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 'billing');
  plans = new PlanStore(pool, named);
  ledger = new LedgerStore(pool, plans, 900);
  accounts = new AccountStore(pool, named);
}, 120_000);
afterAll(async () => {
  await pool.end();
  await database.close();
});

async function open(plan: string): Promise<string> {
  const workspaceId = newWorkspace();
  const snapshot = {
    version: 1,
    state: 'active' as const,
    parentId: undefined,
    cap: 0,
    isWelcome: true,
    suspendedAt: undefined,
  };
  await accounts.open({ ...snapshot, workspaceId, plan });
  return workspaceId;
}

const spend = (workspaceId: string, credits: number) =>
  ledger.settle([
    { ref: newId('cap'), workspaceId, kind: 'page', credits, pages: 1, at: new Date(), actorId: '', projectId: '' },
  ]);
const leasable = async (workspaceId: string) => {
  const id = newId('cap');
  const { granted } = await ledger.lease({ id, workspaceId, maxCredits: 1_000_000, minCredits: 1 });
  await ledger.settle([
    { ref: id, workspaceId, kind: 'page', credits: 0, pages: 0, at: new Date(), actorId: '', projectId: '' },
  ]);
  return granted;
};
const bucketsOf = async (workspaceId: string) => {
  const [row] = await database.sql<Record<'allowance' | 'welcome' | 'purchased' | 'overage', number>>(
    `SELECT allowance_left::int AS allowance, welcome_left::int AS welcome, purchased_left::int AS purchased, overage_used::int AS overage
     FROM billing.accounts WHERE workspace_id = $1`,
    [workspaceId],
  );
  return row;
};
const endPeriod = (workspaceId: string) =>
  database.sql(
    "UPDATE billing.accounts SET anchor_at = anchor_at - interval '32 days', period_start = period_start - interval '32 days', period_end = now() - interval '1 second' WHERE workspace_id = $1",
    [workspaceId],
  );

describe('a month on the plan starter of 20,000 credits', () => {
  it('ends with 21,500 of 26,000 credits from other buckets, 4,500 in overage at its price, and the next month begins full', async () => {
    const workspace = await open('starter');
    const { welcome = 0 } = (await bucketsOf(workspace)) ?? {};
    await inTransaction(pool, (db) =>
      plans.addCredits(db, { workspaceId: workspace, kind: 'purchase', ref: newId('ord'), credits: 1_500 - welcome }),
    );
    for (const credits of [19_990, 20, 5_990]) await spend(workspace, credits);
    expect(await bucketsOf(workspace)).toEqual({ allowance: 0, welcome: 0, purchased: 0, overage: 4_500 });
    // 120.00 INR for 1,000 credits.
    expect(overageMinor(4_500, planOf(catalogue, 'starter').overagePer1000['INR'] ?? 0)).toBe(54_000);
    await endPeriod(workspace);
    await plans.beginPeriods([workspace]);
    expect(await bucketsOf(workspace)).toEqual({ allowance: 20_000, welcome: 0, purchased: 0, overage: 0 });
    const closed = await database.sql('SELECT plan, overage_used::int FROM billing.periods WHERE workspace_id = $1', [
      workspace,
    ]);
    expect(closed).toEqual([{ plan: 'starter', overage_used: 4_500 }]);
  });

  it('allows 20,000 credits of overage under the cap of 1, 10,000 under 0.5, no new ones under a cap below what was used, and any under 0', async () => {
    const workspace = await open('starter');
    const { welcome = 0 } = (await bucketsOf(workspace)) ?? {};
    await spend(workspace, 20_000 + welcome);
    expect(await leasable(workspace)).toBe(20_000);
    await plans.setOverageCap(workspace, 0.5);
    expect(await leasable(workspace)).toBe(10_000);
    await spend(workspace, 8_000);
    await plans.setOverageCap(workspace, 0.3);
    expect(await leasable(workspace)).toBe(0);
    await plans.setOverageCap(workspace, 0);
    expect(await leasable(workspace)).toBe(1_000_000);
  });

  it('keeps what was bought and never carries the allowance over', async () => {
    const workspace = await open('starter');
    const { welcome = 0 } = (await bucketsOf(workspace)) ?? {};
    await inTransaction(pool, (db) =>
      plans.addCredits(db, { workspaceId: workspace, kind: 'purchase', ref: newId('ord'), credits: 700 }),
    );
    await spend(workspace, 300);
    await endPeriod(workspace);
    expect(await leasable(workspace)).toBe(20_000 + welcome + 700 + 20_000);
    expect(await bucketsOf(workspace)).toEqual({ allowance: 20_000, welcome, purchased: 700, overage: 0 });
  });
});

describe('a period that has ended', () => {
  const overageOf = (workspace: string) =>
    database.sql('SELECT plan, overage_used::int AS overage FROM billing.periods WHERE workspace_id = $1', [workspace]);
  const beginAll = async (store: PlanStore, failed: string[]) => {
    let after = await store.beginDuePeriods(undefined, (id) => failed.push(id));
    while (after !== undefined) after = await store.beginDuePeriods(after, (id) => failed.push(id));
  };

  it('is followed by the next one without a call of the workspace, once in two processes, and an account that fails stops no other', async () => {
    // More than one batch. The account without further work is the last one that is due.
    const broken = await open('starter');
    const workspace = await open('starter');
    const { welcome = 0 } = (await bucketsOf(workspace)) ?? {};
    await spend(workspace, 20_000 + welcome + 4_500);
    const others = await Promise.all(Array.from({ length: 120 }, () => open('starter')));
    for (const id of [broken, ...others, workspace]) await endPeriod(id);
    await database.sql("UPDATE billing.accounts SET plan = 'not sold' WHERE workspace_id = $1", [broken]);
    const failing = new PlanStore(pool, (name) => {
      if (name === 'not sold') throw new Error('no such plan');
      return named(name);
    });
    const failed: string[] = [];
    await Promise.all([beginAll(failing, failed), beginAll(failing, failed)]);
    expect(new Set(failed)).toEqual(new Set([broken]));
    expect(await overageOf(workspace)).toEqual([{ plan: 'starter', overage: 4_500 }]);
    expect(await bucketsOf(workspace)).toMatchObject({ allowance: 20_000, overage: 0 });
    const due = await database.sql('SELECT workspace_id AS id FROM billing.accounts WHERE period_end <= now()', []);
    expect(due).toEqual([{ id: broken }]);
    const begun = await database.sql<{ id: string }>(
      "SELECT workspace_id AS id FROM billing.ledger WHERE kind = 'period' AND workspace_id = ANY($1)",
      [others],
    );
    expect(begun.map(({ id }) => id).toSorted()).toEqual(others.toSorted());
  });

  it('keeps its overage at the price of its plan when an upgrade is the first change after its end', async () => {
    const workspace = await open('starter');
    const { welcome = 0 } = (await bucketsOf(workspace)) ?? {};
    await spend(workspace, 20_000 + welcome + 1_000);
    await endPeriod(workspace);
    const [row] = await database.sql<{ anchor: Date }>(
      'SELECT anchor_at AS anchor FROM billing.accounts WHERE workspace_id = $1',
      [workspace],
    );
    const change = { workspaceId: workspace, plan: 'growth', ref: newId('sub'), allowanceAdded: 500 };
    await inTransaction(pool, (db) => plans.setPlan(db, { ...change, periodStart: row?.anchor ?? null }));
    expect(await overageOf(workspace)).toEqual([{ plan: 'starter', overage: 1_000 }]);
    expect(await bucketsOf(workspace)).toMatchObject({ allowance: 20_500, overage: 0 });
  });
});

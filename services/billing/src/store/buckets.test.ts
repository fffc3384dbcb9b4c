import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { inTransaction, openPool } from '@tidemark/service';
import { createDatabase, newWorkspace, type TestDatabase } from '@tidemark/testkit';
import type pg from 'pg';
import { planNamed } from '../../test/plans.ts';
import { AccountStore } from './account-store.ts';
import { LedgerStore } from './ledger-store.ts';
import { PlanStore } from './plan-store.ts';

let database: TestDatabase;
let pool: pg.Pool;
let ledger: LedgerStore;
let plans: PlanStore;
let accounts: AccountStore;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 'billing');
  plans = new PlanStore(pool, planNamed);
  ledger = new LedgerStore(pool, plans, 900);
  accounts = new AccountStore(pool, planNamed);
}, 120_000);
afterAll(async () => {
  await pool.end();
  await database.close();
});

/** A workspace on the plan `paid`: 100 credits a month, 20 welcome credits, overage up to 100. */
async function open(plan = 'paid'): Promise<string> {
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

const chargeOf = (workspaceId: string, credits: number, ref = newId('cap')) => ({
  ref,
  workspaceId,
  kind: 'page' as const,
  credits,
  pages: 1,
  at: new Date(),
  actorId: '',
  projectId: '',
});
const buy = (workspaceId: string, credits: number, ref = newId('cap')) =>
  inTransaction(pool, (db) => plans.addCredits(db, { workspaceId, kind: 'purchase', ref, credits }));
/** The start of a period that no account has: an equal start keeps the current period. */
const anotherStart = () => new Date(Date.now() - randomInt(1_000_000_000));
const endPeriod = (workspaceId: string) =>
  database.sql(
    "UPDATE billing.accounts SET anchor_at = anchor_at - interval '32 days', period_start = period_start - interval '32 days', period_end = now() - interval '1 second' WHERE workspace_id = $1",
    [workspaceId],
  );

async function bucketsOf(workspaceId: string): Promise<{ left: number[]; ledger: number[] }> {
  const [left] = await database.sql<Record<string, string>>(
    'SELECT allowance_left, welcome_left, purchased_left, -overage_used AS overage FROM billing.accounts WHERE workspace_id = $1',
    [workspaceId],
  );
  const [sums] = await database.sql<Record<string, string>>(
    `SELECT sum(allowance) AS allowance, sum(welcome) AS welcome, sum(purchased) AS purchased, sum(overage) AS overage
     FROM billing.ledger WHERE coalesce(payer_id, workspace_id) = $1`,
    [workspaceId],
  );
  return { left: Object.values(left ?? {}).map(Number), ledger: Object.values(sums ?? {}).map(Number) };
}

/** Expects the buckets: allowance, welcome, purchased, overage (negative). They equal the sums of the ledger. */
async function expectBuckets(workspaceId: string, expected: readonly number[]): Promise<void> {
  expect(await bucketsOf(workspaceId)).toEqual({ left: expected, ledger: expected });
}

describe('a charge', () => {
  it('is taken from the allowance, then the welcome credits, then purchased ones, and the rest is overage', async () => {
    const workspace = await open();
    await buy(workspace, 30);
    await expectBuckets(workspace, [100, 20, 30, 0]);
    await ledger.settle([
      chargeOf(workspace, 90),
      chargeOf(workspace, 25),
      chargeOf(workspace, 40),
      chargeOf(workspace, 5),
    ]);
    await expectBuckets(workspace, [0, 0, 0, -10]);
    const entries = await database.sql(
      `SELECT allowance::int, welcome::int, purchased::int, overage::int FROM billing.ledger WHERE workspace_id = $1 AND kind = 'page' ORDER BY allowance, welcome`,
      [workspace],
    );
    expect(entries).toEqual([
      { allowance: -90, welcome: 0, purchased: 0, overage: 0 },
      { allowance: -10, welcome: -15, purchased: 0, overage: 0 },
      { allowance: 0, welcome: -5, purchased: -30, overage: -5 },
      { allowance: 0, welcome: 0, purchased: 0, overage: -5 },
    ]);
  });

  it('of a plan without a credit limit changes no bucket', async () => {
    const workspace = await open('unlimited');
    await ledger.settle([chargeOf(workspace, 50)]);
    await expectBuckets(workspace, [0, 0, 0, 0]);
  });
});

describe('leases', () => {
  const lease = async (workspaceId: string, maxCredits: number) =>
    (await ledger.lease({ id: newId('cap'), workspaceId, maxCredits, minCredits: 1 })).granted;

  it('reach into the overage up to the cap, which is a multiple of the allowance', async () => {
    const workspace = await open();
    expect([await lease(workspace, 220), await lease(workspace, 1)]).toEqual([220, 0]);
    await plans.setOverageCap(workspace, 1.5);
    expect([await lease(workspace, 60), await lease(workspace, 1)]).toEqual([50, 0]);
    await plans.setOverageCap(workspace, 0);
    expect(await lease(workspace, 1_000_000)).toBe(1_000_000);
  });

  it('have no overage on a plan without a price for it, or while a renewal is unpaid', async () => {
    const [free, paid] = [await open('free'), await open()];
    expect([await lease(free, 11), await lease(free, 1)]).toEqual([10, 0]);
    await inTransaction(pool, (db) => plans.setPastDue(db, paid, true));
    expect(await lease(paid, 500)).toBe(120);
  });

  it('begin the next period of an account whose period is over, once for 40 callers', async () => {
    const workspace = await open();
    await ledger.settle([chargeOf(workspace, 150)]);
    await expectBuckets(workspace, [0, 0, 0, -30]);
    await endPeriod(workspace);
    const granted = await Promise.all(Array.from({ length: 40 }, () => lease(workspace, 2)));
    expect(granted).toEqual(granted.map(() => 2));
    await expectBuckets(workspace, [100, 0, 0, 0]);
    const closed = await database.sql('SELECT plan, overage_used::int FROM billing.periods WHERE workspace_id = $1', [
      workspace,
    ]);
    expect(closed).toEqual([{ plan: 'paid', overage_used: 30 }]);
  });
});

describe('PlanStore.setPlan', () => {
  const setPlan = (workspaceId: string, plan: string, periodStart: Date | null, more = {}) =>
    inTransaction(pool, (db) => plans.setPlan(db, { workspaceId, plan, periodStart, ref: newId('cap'), ...more }));

  it('within a period adds to the allowance, and with another start begins a new period', async () => {
    const workspace = await open();
    await ledger.settle([chargeOf(workspace, 30)]);
    const [row] = await database.sql<{ anchor_at: Date }>(
      'SELECT anchor_at FROM billing.accounts WHERE workspace_id = $1',
      [workspace],
    );
    await setPlan(workspace, 'larger', row?.anchor_at ?? null, { allowanceAdded: 150 });
    await expectBuckets(workspace, [220, 20, 0, 0]);
    await setPlan(workspace, 'paid', anotherStart());
    await expectBuckets(workspace, [100, 20, 0, 0]);
    await setPlan(workspace, 'free', null);
    await expectBuckets(workspace, [0, 20, 0, 0]);
  });

  it('does nothing for a cause that it has applied, and publishes one event for each change', async () => {
    const workspace = await open('free');
    const ref = newId('cap');
    const change = { workspaceId: workspace, plan: 'paid', periodStart: new Date(), ref };
    const results = await Promise.all(
      Array.from({ length: 20 }, () => inTransaction(pool, (db) => plans.setPlan(db, change))),
    );
    expect(results.filter((event) => event !== undefined)).toHaveLength(1);
    await expectBuckets(workspace, [100, 10, 0, 0]);
    expect(await database.sql('SELECT id FROM billing.outbox WHERE id LIKE $1', [`plan:${workspace}:%`])).toHaveLength(
      1,
    );
  });

  it('stores each of two ended periods that began at the same time, with its own overage', async () => {
    const workspace = await open();
    const start = anotherStart();
    await setPlan(workspace, 'paid', start);
    await ledger.settle([chargeOf(workspace, 130)]);
    await setPlan(workspace, 'free', null);
    await setPlan(workspace, 'paid', start);
    await ledger.settle([chargeOf(workspace, 107)]);
    await setPlan(workspace, 'free', null);
    const periods = await database.sql<{ overage: string }>(
      'SELECT overage_used AS overage FROM billing.periods WHERE workspace_id = $1 AND overage_used > 0 ORDER BY starts_at',
      [workspace],
    );
    expect(periods.map(({ overage }) => Number(overage))).toEqual([10, 7]);
  });
});

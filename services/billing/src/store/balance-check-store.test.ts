import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { inTransaction, openPool } from '@tidemark/service';
import { createDatabase, newWorkspace, type TestDatabase } from '@tidemark/testkit';
import type pg from 'pg';
import { planNamed } from '../../test/plans.ts';
import { AccountStore } from './account-store.ts';
import { BalanceCheckStore, type BalanceDifference } from './balance-check-store.ts';
import { LedgerStore } from './ledger-store.ts';
import { PlanStore } from './plan-store.ts';

let database: TestDatabase;
let pool: pg.Pool;
let plans: PlanStore;
let ledger: LedgerStore;
let accounts: AccountStore;
let checks: BalanceCheckStore;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 'billing');
  plans = new PlanStore(pool, planNamed);
  ledger = new LedgerStore(pool, plans, 900);
  accounts = new AccountStore(pool, planNamed);
  checks = new BalanceCheckStore(pool);
}, 120_000);
afterAll(async () => {
  await pool.end();
  await database.close();
});

const snapshot = {
  version: 1,
  state: 'active' as const,
  parentId: undefined,
  cap: 0,
  isWelcome: true,
  suspendedAt: undefined,
};

/** A payer with a sub-account; both have charges and a lease. */
async function open(): Promise<{ payer: string; child: string }> {
  const [payer, child] = [newWorkspace(), newWorkspace()];
  await accounts.open({ ...snapshot, workspaceId: payer, plan: 'paid' });
  await accounts.open({ ...snapshot, workspaceId: child, plan: 'paid', parentId: payer, isWelcome: false, cap: 50 });
  for (const workspaceId of [payer, child]) {
    await charge(workspaceId, 15);
    await ledger.lease({ id: newId('cap'), workspaceId, maxCredits: 10, minCredits: 1 });
  }
  return { payer, child };
}

const charge = (workspaceId: string, credits: number) =>
  ledger.settle([
    { ref: newId('cap'), workspaceId, kind: 'page', credits, pages: 1, at: new Date(), actorId: '', projectId: '' },
  ]);
const refund = (workspaceId: string, credits: number) =>
  inTransaction(pool, (db) =>
    plans.addCredits(db, { workspaceId, kind: 'refund', ref: newId('cap'), credits: -credits }),
  );
const alter = (workspaceId: string, change: string) =>
  database.sql(`UPDATE billing.accounts SET ${change} WHERE workspace_id = $1`, [workspaceId]);

/** The column is rounded to milliseconds: `now()` may be stored as a later time than that of the next statement. */
const makeDue = () => database.sql("UPDATE billing.balance_checks SET due = now() - interval '1 second'");

/** Compares every account, and returns the differences. */
async function checkAll(store = checks): Promise<BalanceDifference[]> {
  await store.checkSome();
  await makeDue();
  const all: BalanceDifference[] = [];
  for (let found = await store.checkSome(); found !== undefined; found = await store.checkSome()) all.push(...found);
  return all;
}

describe('the comparison of accounts with the ledger', () => {
  it('finds no difference after charges, leases, purchases, refunds and new periods of payers and sub-accounts', async () => {
    const { payer, child } = await open();
    await inTransaction(pool, (db) =>
      plans.addCredits(db, { workspaceId: payer, kind: 'purchase', ref: newId('cap'), credits: 30 }),
    );
    await charge(child, 130);
    await refund(payer, 40);
    await alter(
      payer,
      "anchor_at = anchor_at - interval '32 days', period_start = period_start - interval '32 days', period_end = now() - interval '1 second'",
    );
    await plans.beginPeriods([payer]);
    await charge(payer, 7);
    expect(await checkAll()).toEqual([]);
  });

  it('names each column that the entries or leases do not explain, and counts the account', async () => {
    const [{ payer, child }, other] = [await open(), await open()];
    await alter(payer, 'allowance_left = allowance_left + 5, reserved = reserved - 3');
    await alter(child, 'reserved = 0');
    await alter(other.payer, 'purchased_left = -4');
    const found = await checkAll();
    expect(found).toHaveLength(4);
    expect(found).toEqual(
      expect.arrayContaining([
        { workspaceId: payer, column: 'allowance_left', stored: 75, expected: 70 },
        { workspaceId: payer, column: 'reserved', stored: 17, expected: 20 },
        { workspaceId: child, column: 'reserved', stored: 0, expected: 10 },
        { workspaceId: other.payer, column: 'purchased_left', stored: -4, expected: 0 },
      ]),
    );
    expect(await checks.countWithDifferences()).toBe(2);
    await alter(payer, 'allowance_left = allowance_left - 5, reserved = reserved + 3');
    await alter(child, 'reserved = 10');
    await alter(other.payer, 'purchased_left = 0');
    expect(await checkAll()).toEqual([]);
    expect(await checks.countWithDifferences()).toBe(0);
  });

  it('compares each account once where two replicas run it', async () => {
    await checks.checkSome();
    for (let n = 0; n < 30; n += 1) await open();
    await checks.checkSome();
    await makeDue();
    await database.sql('UPDATE billing.accounts SET welcome_left = 1 WHERE payer_id IS NULL AND allowance_left = 70');
    const replicas = [checks, new BalanceCheckStore(pool)];
    const found = await Promise.all(
      replicas.map(async (store) => {
        const all: BalanceDifference[] = [];
        for (let some = await store.checkSome(); some !== undefined; some = await store.checkSome()) all.push(...some);
        return all;
      }),
    );
    const named = found.flat().map(({ workspaceId }) => workspaceId);
    expect(named.length).toBeGreaterThanOrEqual(30);
    expect(new Set(named).size).toBe(named.length);
    await database.sql('UPDATE billing.accounts SET welcome_left = 20 WHERE welcome_left = 1');
  });

  it('finds no difference at a payer whose sub-account was deleted, also twice at once', async () => {
    const { payer, child } = await open();
    await Promise.all([accounts.delete(child), accounts.delete(child)]);
    const [row] = await database.sql<{ reserved: number; left: number }>(
      'SELECT reserved::int, allowance_left::int AS left FROM billing.accounts WHERE workspace_id = $1',
      [payer],
    );
    expect(row).toEqual({ reserved: 10, left: 70 });
    expect(await checkAll()).toEqual([]);
  });

  it('finds no difference while charges and leases arrive', async () => {
    const { payer, child } = await open();
    let isDone = false;
    const work = async () => {
      for (let n = 0; n < 60; n += 1) {
        const workspaceId = n % 2 === 0 ? payer : child;
        const id = newId('cap');
        await ledger.lease({ id, workspaceId, maxCredits: 1, minCredits: 1 });
        await ledger.settle([
          { ref: id, workspaceId, kind: 'page', credits: 1, pages: 1, at: new Date(), actorId: '', projectId: '' },
        ]);
      }
      isDone = true;
    };
    const working = work();
    const found: BalanceDifference[] = [];
    while (!isDone) found.push(...(await checkAll()));
    await working;
    expect(found).toEqual([]);
  });
});

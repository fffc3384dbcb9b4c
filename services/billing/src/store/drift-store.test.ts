import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { inTransaction, openPool } from '@tidemark/service';
import { createDatabase, newWorkspace, type TestDatabase } from '@tidemark/testkit';
import type pg from 'pg';
import { planNamed } from '../../test/plans.ts';
import { AccountStore } from './account-store.ts';
import { DriftStore } from './drift-store.ts';
import { LedgerStore } from './ledger-store.ts';
import { PlanStore } from './plan-store.ts';

let database: TestDatabase;
let pool: pg.Pool;
let drifts: DriftStore;
let ledger: LedgerStore;
let plans: PlanStore;
let accounts: AccountStore;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 'billing');
  plans = new PlanStore(pool, planNamed);
  ledger = new LedgerStore(pool, plans, 900);
  accounts = new AccountStore(pool, planNamed);
  drifts = new DriftStore(pool);
}, 120_000);
afterAll(async () => {
  await pool.end();
  await database.close();
});

async function open(parentId = ''): Promise<string> {
  const workspaceId = newWorkspace();
  const snapshot = { version: 1, state: 'active', plan: 'paid', cap: 0, isWelcome: true, suspendedAt: undefined };
  await accounts.open({ ...snapshot, workspaceId, parentId });
  return workspaceId;
}

const chargeOf = (workspaceId: string, credits: number, ref = newId('cap')) => ({
  ...{ ref, workspaceId, kind: 'page', credits, pages: 1, at: new Date(), actorId: '', projectId: '' },
});

/** Runs a whole comparison by two instances at once, and returns what they found. */
async function compareAll() {
  await database.sql("UPDATE billing.ledger_checks SET due_at = now() - interval '1 second'");
  const one = async () => {
    const found = [];
    for (let batch = await drifts.compareNext(3_600); batch !== undefined; batch = await drifts.compareNext(3_600))
      found.push(...batch);
    return found;
  };
  return (await Promise.all([one(), one()])).flat();
}

describe('DriftStore', () => {
  it('finds nothing after charges, leases, refunds and a new period of a payer and its sub-account, also while charges continue', async () => {
    const payer = await open();
    const child = await open(payer);
    const work = async () => {
      for (let i = 0; i < 20; i += 1) {
        const workspaceId = i % 2 === 0 ? payer : child;
        const id = newId('cap');
        await ledger.lease({ id, workspaceId, maxCredits: 5, minCredits: 1 });
        if (i % 3 !== 0) await ledger.settle([chargeOf(workspaceId, 3, id)]);
      }
    };
    const refund = { workspaceId: payer, kind: 'refund' as const, ref: newId('ord'), credits: -50 };
    await inTransaction(pool, (db) => plans.addCredits(db, refund));
    const working = work();
    expect(await compareAll()).toEqual([]);
    await working;
    const next = { workspaceId: payer, plan: 'larger', ref: newId('cap'), periodStart: new Date(Date.now() - 60_000) };
    await inTransaction(pool, (db) => plans.setPlan(db, next));
    expect(await compareAll()).toEqual([]);
    expect(await drifts.drift()).toBe(0);
  });

  it('names the broken invariants of an account once, by one of two instances, and is not due again before its time', async () => {
    const workspace = await open();
    await database.sql(
      'UPDATE billing.accounts SET welcome_left = welcome_left + 1, purchased_left = -2, reserved = 7 WHERE workspace_id = $1',
      [workspace],
    );
    expect(await compareAll()).toEqual([
      { workspaceId: workspace, broken: ['welcome', 'purchased', 'reserved', 'negative'] },
    ]);
    expect(await drifts.drift()).toBe(1);
    expect(await drifts.compareNext(3_600)).toBeUndefined();
  });
});

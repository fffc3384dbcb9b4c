import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { CreditsLow } from '@tidemark/contracts/billing/v1/events';
import { inTransaction, openPool } from '@tidemark/service';
import { createDatabase, newWorkspace, type TestDatabase } from '@tidemark/testkit';
import type pg from 'pg';
import { planNamed } from '../../test/plans.ts';
import { AccountStore } from './account-store.ts';
import { AlertStore } from './alert-store.ts';
import { LedgerStore } from './ledger-store.ts';
import { PlanStore } from './plan-store.ts';

let database: TestDatabase;
let pool: pg.Pool;
let alerts: AlertStore;
let plans: PlanStore;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 'billing');
  alerts = new AlertStore(pool);
  plans = new PlanStore(pool, planNamed);
}, 120_000);
afterAll(async () => {
  await pool.end();
  await database.close();
});

async function open(plan: string) {
  const workspaceId = newWorkspace();
  const snapshot = {
    version: 1,
    state: 'active' as const,
    parentId: undefined,
    cap: 0,
    isWelcome: true,
    suspendedAt: undefined,
  };
  await new AccountStore(pool, planNamed).open({ ...snapshot, workspaceId, plan });
  const ledger = new LedgerStore(pool, plans, 900);
  const spend = (credits: number) =>
    ledger.settle([
      { ref: newId('cap'), workspaceId, kind: 'page', credits, pages: 1, at: new Date(), actorId: '', projectId: '' },
    ]);
  /** Publishes what is due, by two callers at once, and returns what was published of this workspace. */
  const due = async () => {
    const published = (await Promise.all([alerts.publish(), alerts.publish()])).flat();
    const decoded = published.map(({ payload }) => CreditsLow.decode(payload));
    return decoded
      .filter((alert) => alert.workspaceId === workspaceId)
      .map(({ of, percent, remaining }) => ({ of, percent, remaining }));
  };
  return { workspaceId, spend, due };
}

describe('alerts of credits', () => {
  it('are published once for each share of the allowance and of the overage, also if a share is skipped', async () => {
    const { spend, due } = await open('paid');
    await spend(49);
    expect(await due()).toEqual([]);
    await spend(1);
    expect(await due()).toEqual([{ of: 'allowance', percent: 50, remaining: 170 }]);
    expect(await due()).toEqual([]);
    await spend(50);
    expect(await due()).toEqual([{ of: 'allowance', percent: 100, remaining: 120 }]);
    await spend(20 + 80);
    expect(await due()).toEqual([{ of: 'overage', percent: 80, remaining: 20 }]);
  });

  it('concern the welcome credits of a plan without an allowance', async () => {
    const { spend, due } = await open('free');
    await spend(8);
    expect(await due()).toEqual([{ of: 'welcome', percent: 80, remaining: 2 }]);
  });

  it('begin again with a new period', async () => {
    const { workspaceId, spend, due } = await open('paid');
    await spend(60);
    expect(await due()).toHaveLength(1);
    const next = { workspaceId, plan: 'paid', ref: newId('cap'), periodStart: new Date(Date.now() - 3_600_000) };
    await inTransaction(pool, (db) => plans.setPlan(db, next));
    expect(await due()).toEqual([]);
    await spend(60);
    expect(await due()).toEqual([{ of: 'allowance', percent: 50, remaining: 160 }]);
  });

  it('are not published for a plan without a credit limit', async () => {
    const { spend, due } = await open('unlimited');
    await spend(1_000);
    expect(await due()).toEqual([]);
  });
});

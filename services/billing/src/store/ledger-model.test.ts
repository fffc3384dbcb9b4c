import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { inTransaction, openPool } from '@tidemark/service';
import { createDatabase, newWorkspace, type TestDatabase } from '@tidemark/testkit';
import fc from 'fast-check';
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

describe('any sequence of charges, also of a sub-account, purchases, refunds, periods, plans, upgrades and caps', () => {
  /** Credits that no account of the test has. */
  const MANY = 5_000;
  const CHILD = {
    version: 1,
    state: 'active' as const,
    plan: 'paid',
    cap: 0,
    isWelcome: false,
    suspendedAt: undefined,
  };
  /** Changes the plan within the period. */
  async function upgrade(workspaceId: string, allowanceAdded: number): Promise<void> {
    const [row] = await database.sql<{ anchor_at: Date }>(
      'SELECT anchor_at FROM billing.accounts WHERE workspace_id = $1',
      [workspaceId],
    );
    const periodStart = row?.anchor_at ?? null;
    await inTransaction(pool, (db) =>
      plans.setPlan(db, { workspaceId, plan: 'larger', periodStart, ref: newId('cap'), allowanceAdded }),
    );
  }

  interface Model {
    allowance: number;
    welcome: number;
    purchased: number;
    overage: number;
    plan: 'paid' | 'larger';
    /** Multiple of the allowance; 0: no cap. */
    cap: number;
  }
  const ALLOWANCE = { paid: 100, larger: 300 };
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('charge' as const),
        amounts: fc.array(fc.nat(60), { minLength: 1, maxLength: 5 }),
        repeat: fc.boolean(),
      }),
    },
    fc.record({ kind: fc.constant('buy' as const), credits: fc.integer({ min: 1, max: 80 }) }),
    fc.record({ kind: fc.constant('refund' as const), credits: fc.integer({ min: 1, max: 80 }) }),
    fc.record({ kind: fc.constant('child' as const), credits: fc.nat(60) }),
    fc.record({ kind: fc.constant('cap' as const), cap: fc.constantFrom(0, 0.1, 0.5, 1, 2) }),
    fc.record({ kind: fc.constant('upgrade' as const), added: fc.nat(150) }),
    fc.record({ kind: fc.constant('period' as const) }),
    fc.record({ kind: fc.constant('plan' as const), plan: fc.constantFrom('paid' as const, 'larger' as const) }),
  );

  function spend(model: Model, credits: number): void {
    let rest = credits;
    for (const bucket of ['allowance', 'welcome', 'purchased'] as const) {
      const taken = Math.min(Math.max(model[bucket], 0), rest);
      model[bucket] -= taken;
      rest -= taken;
    }
    model.overage += rest;
  }

  type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

  /** Applies a step to the accounts. */
  async function apply(one: Step, { workspace, child }: { workspace: string; child: string }): Promise<void> {
    switch (one.kind) {
      case 'charge': {
        const batch = one.amounts.map((credits) => chargeOf(workspace, credits));
        await ledger.settle(batch);
        if (one.repeat) await ledger.settle([...batch, ...batch]);
        return;
      }
      case 'buy':
        return void (await buy(workspace, one.credits));
      case 'refund': {
        const refund = { workspaceId: workspace, kind: 'refund', ref: newId('cap'), credits: -one.credits } as const;
        return void (await inTransaction(pool, (db) => plans.addCredits(db, refund)));
      }
      case 'child':
        return void (await ledger.settle([chargeOf(child, one.credits)]));
      case 'cap':
        return void (await plans.setOverageCap(workspace, one.cap));
      case 'upgrade':
        return upgrade(workspace, one.added);
      case 'period':
        await endPeriod(workspace);
        return void (await plans.beginPeriods([workspace]));
      case 'plan': {
        const change = { workspaceId: workspace, plan: one.plan, ref: newId('cap'), periodStart: anotherStart() };
        return void (await inTransaction(pool, (db) => plans.setPlan(db, change)));
      }
    }
  }

  /** Applies a step to the model. */
  function advance(model: Model, one: Step): void {
    switch (one.kind) {
      case 'charge':
        for (const credits of one.amounts) spend(model, credits);
        break;
      case 'buy':
        model.purchased += one.credits;
        break;
      case 'refund':
        model.purchased -= one.credits;
        break;
      case 'child':
        spend(model, one.credits);
        break;
      case 'cap':
        model.cap = one.cap;
        break;
      case 'upgrade':
        Object.assign(model, { plan: 'larger', allowance: model.allowance + one.added });
        break;
      case 'period':
        Object.assign(model, { allowance: ALLOWANCE[model.plan], overage: 0 });
        break;
      case 'plan':
        Object.assign(model, { plan: one.plan, allowance: ALLOWANCE[one.plan], overage: 0 });
    }
  }

  it('leaves the buckets of the model, which equal the sums of the ledger, and what may be leased', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const workspace = await open();
        const model: Model = { allowance: 100, welcome: 20, purchased: 0, overage: 0, plan: 'paid', cap: 1 };
        const child = newWorkspace();
        await accounts.open({ ...CHILD, workspaceId: child, parentId: workspace });
        for (const one of steps) {
          await apply(one, { workspace, child });
          advance(model, one);
        }
        await expectBuckets(workspace, [model.allowance, model.welcome, model.purchased, 0 - model.overage]);
        const room = model.cap === 0 ? Number.POSITIVE_INFINITY : Math.floor(model.cap * ALLOWANCE[model.plan]);
        const left = model.allowance + model.welcome + model.purchased + room - model.overage;
        const item = { id: newId('cap'), workspaceId: child, maxCredits: MANY, minCredits: 1 };
        expect((await ledger.lease(item)).granted).toBe(Math.max(0, Math.min(MANY, left)));
      }),
      { numRuns: 40 },
    );
  });
});

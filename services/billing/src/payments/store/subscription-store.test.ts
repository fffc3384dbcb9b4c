import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { inTransaction, openPool } from '@tidemark/service';
import { createDatabase, newWorkspace, type TestDatabase } from '@tidemark/testkit';
import type pg from 'pg';
import type { SubscriptionState } from '../../states/subscription-state.ts';
import { audited } from '../audited.ts';
import { SubscriptionStore } from './subscription-store.ts';

let database: TestDatabase;
let pool: pg.Pool;
let store: SubscriptionStore;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 'billing');
  store = new SubscriptionStore(pool, 'razorpay');
}, 120_000);
afterAll(async () => {
  await pool.end();
  await database.close();
});

async function add(): Promise<string> {
  const id = newId('sub');
  const workspaceId = newWorkspace();
  const row = {
    id,
    workspaceId,
    plan: 'paid',
    period: 'month',
    currency: 'USD',
    netMinor: '100',
    grossMinor: '100',
    dueMinor: '100',
    dueNetMinor: '100',
    dueLines: [{ text: 'Plan', quantity: 1, netMinor: 100, tax: [] }],
    renewalLines: [],
    taxNote: '',
    replaces: null,
    allowanceAdded: 0,
    anchorAt: null,
    firstFrom: null,
    firstUntil: null,
  } as const;
  await store.insert(row, audited({ workspaceId, actorId: 'usr_1' }, 'subscription.ordered', id));
  return id;
}

const move = (id: string, state: SubscriptionState) =>
  inTransaction(pool, async (db) => store.save(db, { ...(await store.lock(db, id)), state }));

describe('the store of subscriptions', () => {
  it('saves the transitions of a subscription, and the same state again', async () => {
    const id = await add();
    for (const state of ['active', 'active', 'past_due', 'active', 'ended'] as const) await move(id, state);
    expect(await store.byId(id)).toMatchObject({ state: 'ended', dueLines: [{ text: 'Plan', netMinor: 100 }] });
  });

  it('refuses a state that does not follow from the stored one', async () => {
    const id = await add();
    await move(id, 'ended');
    await expect(move(id, 'active')).rejects.toThrow('can not become active');
    expect(await store.byId(id)).toMatchObject({ state: 'ended' });
  });
});

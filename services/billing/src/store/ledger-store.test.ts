import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import type { WorkspaceSnapshot } from '@tidemark/contracts/identity/v1/identity';
import { openPool } from '@tidemark/service';
import { createDatabase, newWorkspace, type TestDatabase } from '@tidemark/testkit';
import type pg from 'pg';
import { AccountStore } from './account-store.ts';
import { LedgerStore } from './ledger-store.ts';
import { PlanStore } from './plan-store.ts';

let database: TestDatabase;
let pool: pg.Pool;
let ledger: LedgerStore;
let accounts: AccountStore;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 'billing');
  const plan = {
    allowance: 0,
    overagePer1000: {},
    prices: {},
    welcomeCredits: 100,
    rpm: 60,
    subAccounts: 0,
    features: [],
  };
  const planOf = (name: string) => ({ name, plan });
  accounts = new AccountStore(pool, planOf);
  ledger = new LedgerStore(pool, new PlanStore(pool, planOf), 900);
}, 120_000);
afterAll(async () => {
  await pool.end();
  await database.close();
});

const snapshotOf = (workspaceId: string): WorkspaceSnapshot => ({
  workspaceId,
  version: 1,
  state: 'active' as const,
  parentId: undefined,
  plan: 'free',
  cap: 0,
  isWelcome: true,
  suspendedAt: undefined,
});

async function leased(count: number): Promise<{ workspaceId: string; ids: string[] }> {
  const workspaceId = newWorkspace();
  await accounts.open(snapshotOf(workspaceId));
  const ids = Array.from({ length: count }, () => newId('cap'));
  await Promise.all(ids.map((id) => ledger.lease({ id, workspaceId, maxCredits: 5, minCredits: 1 })));
  return { workspaceId, ids };
}

const expire = (ids: readonly string[]) =>
  database.sql("UPDATE billing.leases SET expires_at = now() - interval '1 second' WHERE id = ANY($1)", [ids]);
const reservedOf = async (workspaceId: string) => {
  const [row] = await database.sql<{ reserved: string }>(
    'SELECT reserved FROM billing.accounts WHERE workspace_id = $1',
    [workspaceId],
  );
  return Number(row?.reserved);
};

describe('LedgerStore.releaseExpired', () => {
  it('releases expired leases and keeps the others', async () => {
    const { workspaceId, ids } = await leased(4);
    await expire(ids.slice(0, 3));
    expect(await ledger.releaseExpired()).toBe(3);
    expect(await reservedOf(workspaceId)).toBe(5);
    expect(await ledger.releaseExpired()).toBe(0);
  });

  it('releases each lease once while several replicas sweep and charges arrive', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => leased(5)));
    const ids = all.flatMap((one) => one.ids);
    await expire(ids);
    const charges = all.flatMap(({ workspaceId, ids: refs }) =>
      refs.map((ref) => ({
        ref,
        workspaceId,
        kind: 'page' as const,
        credits: 1,
        pages: 1,
        at: new Date(),
        actorId: '',
        projectId: '',
      })),
    );
    await Promise.all([
      ledger.releaseExpired(),
      ledger.settle(charges),
      ledger.releaseExpired(),
      ledger.settle([...charges].reverse()),
      ledger.releaseExpired(),
    ]);
    for (const { workspaceId } of all) expect(await reservedOf(workspaceId)).toBe(0);
  });
});

describe('LedgerStore account', () => {
  it('is opened once by 20 concurrent calls', async () => {
    const workspaceId = newWorkspace();
    await Promise.all(Array.from({ length: 20 }, () => accounts.open(snapshotOf(workspaceId))));
    const entries = await database.sql('SELECT credits::int FROM billing.ledger WHERE workspace_id = $1', [
      workspaceId,
    ]);
    expect(entries).toEqual([{ credits: 100 }]);
  });

  it('is reported as missing by a lease, which grants nothing', async () => {
    const item = { id: newId('cap'), workspaceId: newWorkspace(), maxCredits: 5, minCredits: 1 };
    expect(await ledger.lease(item)).toEqual({ id: item.id, granted: 0, noAccount: true });
  });
});

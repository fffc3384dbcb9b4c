import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { openPool } from '@tidemark/service';
import { createDatabase, newWorkspace, type TestDatabase } from '@tidemark/testkit';
import type pg from 'pg';
import { LedgerStore } from './ledger-store.ts';

let database: TestDatabase;
let pool: pg.Pool;
let ledger: LedgerStore;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 'billing');
  ledger = new LedgerStore(pool, 900);
}, 120_000);
afterAll(async () => {
  await pool.end();
  await database.close();
});

async function leased(count: number): Promise<{ workspaceId: string; ids: string[] }> {
  const workspaceId = newWorkspace();
  await ledger.open(workspaceId, 'free', 100);
  const ids = Array.from({ length: count }, () => newId('cap'));
  await Promise.all(ids.map((id) => ledger.lease({ id, workspaceId, want: 5, least: 1 })));
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

describe('leases of work that died', () => {
  it('are given back when they expire, and the others stay', async () => {
    const { workspaceId, ids } = await leased(4);
    await expire(ids.slice(0, 3));
    expect(await ledger.giveBackExpired()).toBe(3);
    expect(await reservedOf(workspaceId)).toBe(5);
    expect(await ledger.giveBackExpired()).toBe(0);
  });

  it('are given back once, though several replicas sweep while their charges arrive', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => leased(5)));
    const ids = all.flatMap((one) => one.ids);
    await expire(ids);
    const charges = all.flatMap(({ workspaceId, ids: refs }) =>
      refs.map((ref) => ({ ref, workspaceId, kind: 'page', credits: 1, pages: 1, at: new Date() })),
    );
    await Promise.all([
      ledger.giveBackExpired(),
      ledger.settle(charges),
      ledger.giveBackExpired(),
      ledger.settle([...charges].reverse()),
      ledger.giveBackExpired(),
    ]);
    for (const { workspaceId } of all) expect(await reservedOf(workspaceId)).toBe(0);
  });
});

describe('an account', () => {
  it('is opened once, however many open it at once', async () => {
    const workspaceId = newWorkspace();
    await Promise.all(Array.from({ length: 20 }, () => ledger.open(workspaceId, 'free', 7)));
    const entries = await database.sql('SELECT credits FROM billing.ledger WHERE workspace_id = $1', [workspaceId]);
    expect(entries).toEqual([{ credits: 7 }]);
  });

  it('that is not there grants nothing and says so, so that it can be opened', async () => {
    const wish = { id: newId('cap'), workspaceId: newWorkspace(), want: 5, least: 1 };
    expect(await ledger.lease(wish)).toEqual({ id: wish.id, granted: 0, unopened: true });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { openPool } from '@tidemark/service';
import { createDatabase, newWorkspace, type TestDatabase } from '@tidemark/testkit';
import pg from 'pg';
import { planNamed } from '../../test/plans.ts';
import { AccountStore } from './account-store.ts';
import { LedgerStore } from './ledger-store.ts';
import { LimitStore } from './limit-store.ts';
import { PlanStore } from './plan-store.ts';

const PAGES = 200;
/** A transaction that locks the accounts, reads them, the leases and the limits, and writes the leases. */
const MOST_ORDERED = 12;

let database: TestDatabase;
let pool: pg.Pool;
let ledger: LedgerStore;
let accounts: AccountStore;
let limits: LimitStore;
/** Statements that the pool has sent. */
let statements = 0;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 'billing');
  pool.on('connect', countStatements);
  const plans = new PlanStore(pool, planNamed);
  ledger = new LedgerStore(pool, plans, 900);
  accounts = new AccountStore(pool, planNamed);
  limits = new LimitStore(pool);
}, 120_000);
afterAll(async () => {
  await pool.end();
  await database.close();
});

/** Counts the messages of PostgreSQL that end a statement. */
function countStatements(client: pg.PoolClient): void {
  if (!(client instanceof pg.Client)) throw new Error('expected a client of pg');
  const connection: unknown = Reflect.get(client, 'connection');
  if (!isEmitter(connection)) throw new Error('expected the connection of a client');
  connection.on('commandComplete', () => {
    statements += 1;
  });
}
const isEmitter = (value: unknown): value is NodeJS.EventEmitter =>
  typeof value === 'object' && value !== null && 'on' in value;

async function open(parentId?: string): Promise<string> {
  const workspaceId = newWorkspace();
  const snapshot = {
    version: 1,
    state: 'active' as const,
    cap: 0,
    isWelcome: parentId === undefined,
    suspendedAt: undefined,
  };
  await accounts.open({ ...snapshot, workspaceId, plan: 'unlimited', parentId });
  return workspaceId;
}

/** Leases and settles pages at one moment. @returns the statements of each */
async function charge(workspaceId: string, actorId = ''): Promise<{ leasing: number; settling: number }> {
  const ids = Array.from({ length: PAGES }, () => newId('cap'));
  statements = 0;
  const leases = ids.map((id) => ledger.lease({ id, workspaceId, maxCredits: 5, minCredits: 1, actorId }));
  expect((await Promise.all(leases)).map(({ granted }) => granted)).toEqual(ids.map(() => 5));
  const leasing = statements;
  statements = 0;
  const all = { workspaceId, kind: 'page' as const, credits: 1, pages: 1, at: new Date(), actorId, projectId: '' };
  await ledger.settle(ids.map((ref) => ({ ...all, ref })));
  return { leasing, settling: statements };
}

describe('200 pages that are leased and charged at one moment', () => {
  it('take one statement for their leases and one for their charges', async () => {
    const workspace = await open();
    expect(await charge(workspace)).toEqual({ leasing: 1, settling: 1 });
  });

  it('take a number of statements that does not depend on the pages with a spend limit and in a sub-account', async () => {
    const [workspace, key] = [await open(), newId('key')];
    await limits.set(workspace, [{ subjectId: key, credits: 10_000 }]);
    const child = await open(workspace);
    for (const { leasing, settling } of [await charge(workspace, key), await charge(child)]) {
      expect(leasing).toBeLessThanOrEqual(MOST_ORDERED);
      expect(settling).toBe(1);
    }
  });
});

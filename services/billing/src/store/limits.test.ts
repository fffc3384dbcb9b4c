import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { openPool } from '@tidemark/service';
import { createDatabase, newWorkspace, type TestDatabase } from '@tidemark/testkit';
import type pg from 'pg';
import { planNamed } from '../../test/plans.ts';
import { AccountStore } from './account-store.ts';
import { LedgerStore } from './ledger-store.ts';
import { LimitStore } from './limit-store.ts';
import { PlanStore } from './plan-store.ts';

let database: TestDatabase;
let pool: pg.Pool;
let instances: LedgerStore[];
let accounts: AccountStore;
let limits: LimitStore;
let plans: PlanStore;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 'billing');
  plans = new PlanStore(pool, planNamed);
  instances = [new LedgerStore(pool, plans, 900), new LedgerStore(pool, plans, 900)];
  accounts = new AccountStore(pool, planNamed);
  limits = new LimitStore(pool);
}, 120_000);
afterAll(async () => {
  await pool.end();
  await database.close();
});

async function open(plan = 'paid', parentId?: string): Promise<string> {
  const workspaceId = newWorkspace();
  const snapshot = { version: 1, state: 'active' as const, cap: 0, isWelcome: true, suspendedAt: undefined };
  await accounts.open({ ...snapshot, workspaceId, plan, parentId });
  return workspaceId;
}

interface Work {
  readonly actorId?: string;
  readonly projectId?: string;
}

const lease = (workspaceId: string, maxCredits: number, work: Work, id = newId('cap')) =>
  instances[randomInt(2)]?.lease({ id, workspaceId, maxCredits, minCredits: 1, ...work });
const granted = async (...of: Parameters<typeof lease>) => (await lease(...of))?.granted;
const settle = (workspaceId: string, credits: number, { actorId = '', projectId = '' }: Work, ref = newId('cap')) =>
  instances[0]?.settle([{ ref, workspaceId, kind: 'page', credits, pages: 1, at: new Date(), actorId, projectId }]);
const reservedOf = async (workspaceId: string) =>
  (
    await database.sql<{ reserved: string }>('SELECT reserved FROM billing.accounts WHERE workspace_id = $1', [
      workspaceId,
    ])
  )[0]?.reserved;

describe('the spend limit of a key or project', () => {
  it('is never exceeded by 200 leases of two instances at once, and does not limit other keys', async () => {
    const workspace = await open('unlimited');
    const [key, other, project] = [newId('key'), newId('key'), newId('prj')];
    await limits.set(workspace, [
      { subjectId: key, credits: 100 },
      { subjectId: project, credits: 150 },
    ]);
    const works = Array.from({ length: 200 }, (_, i) => ({ actorId: i % 2 === 0 ? key : other, projectId: project }));
    const grants = await Promise.all(
      works.map(async (work) => ({ ...work, credits: await granted(workspace, 3, work) })),
    );
    const sum = (of: (grant: Work) => boolean) =>
      grants.filter(of).reduce((total, { credits = 0 }) => total + credits, 0);
    expect(sum(({ actorId }) => actorId === key)).toBeLessThanOrEqual(100);
    expect(sum(() => true)).toBe(150);
    expect(await lease(workspace, 1, { actorId: other, projectId: project })).toMatchObject({
      granted: 0,
      refusedBy: project,
    });
    expect(await granted(workspace, 500, { actorId: other })).toBe(500);
    expect(await reservedOf(workspace)).toBe('650');
  });

  it('counts what was spent before it was set, releases what a page did not cost, and is listed with what was used', async () => {
    const workspace = await open();
    const key = newId('key');
    const before = newId('cap');
    await lease(workspace, 5, { actorId: key }, before);
    await settle(workspace, 30, { actorId: key });
    await limits.set(workspace, [{ subjectId: key, credits: 40 }]);
    const id = newId('cap');
    expect(await granted(workspace, 10, { actorId: key }, id)).toBe(5);
    expect(await lease(workspace, 1, { actorId: key })).toMatchObject({ granted: 0, refusedBy: key });
    await settle(workspace, 1, { actorId: key }, id);
    await settle(workspace, 1, { actorId: key }, id);
    await settle(workspace, 2, { actorId: key }, before);
    expect(await limits.list(workspace)).toEqual([{ subjectId: key, credits: 40, used: 33 }]);
    expect(await granted(workspace, 10, { actorId: key })).toBe(7);
  });

  it('begins again with each period of the plan', async () => {
    const workspace = await open();
    const key = newId('key');
    await limits.set(workspace, [{ subjectId: key, credits: 20 }]);
    await settle(workspace, 20, { actorId: key });
    expect(await granted(workspace, 1, { actorId: key })).toBe(0);
    await database.sql(
      "UPDATE billing.accounts SET anchor_at = anchor_at - interval '32 days', period_start = period_start - interval '32 days', period_end = now() - interval '1 second' WHERE workspace_id = $1",
      [workspace],
    );
    await database.sql(
      'UPDATE billing.spend_limits SET used_since = (SELECT period_start FROM billing.accounts WHERE workspace_id = $1) WHERE workspace_id = $1',
      [workspace],
    );
    expect(await granted(workspace, 15, { actorId: key })).toBe(15);
    expect(await limits.list(workspace)).toEqual([{ subjectId: key, credits: 20, used: 0 }]);
  });

  it('holds beside the credits of the payer for a sub-account, and ends when it is removed', async () => {
    const payer = await open();
    const child = await open('paid', payer);
    const project = newId('prj');
    await limits.set(child, [{ subjectId: project, credits: 10 }]);
    expect([await granted(child, 8, { projectId: project }), await granted(child, 8, { projectId: project })]).toEqual([
      8, 2,
    ]);
    expect(await reservedOf(payer)).toBe('10');
    await limits.set(child, [{ subjectId: project, credits: undefined }]);
    expect(await limits.list(child)).toEqual([]);
    expect(await granted(child, 300, { projectId: project })).toBe(210);
    expect(await lease(child, 1, { projectId: project })).toMatchObject({ granted: 0, refusedBy: undefined });
  });

  it('is deleted with its key or project, in its workspace alone, and a repeated deletion does nothing', async () => {
    const [workspace, other] = [await open(), await open()];
    const [key, project] = [newId('key'), newId('prj')];
    const both = [key, project].map((subjectId) => ({ subjectId, credits: 5 }));
    await limits.set(workspace, both);
    await limits.set(other, both);
    for (let i = 0; i < 2; i += 1) await limits.remove([{ workspaceId: workspace, subjectId: key }]);
    expect((await limits.list(workspace)).map(({ subjectId }) => subjectId)).toEqual([project]);
    await limits.remove([{ workspaceId: workspace, subjectId: project }]);
    expect(await limits.list(workspace)).toEqual([]);
    expect(await limits.list(other)).toHaveLength(2);
  });
});

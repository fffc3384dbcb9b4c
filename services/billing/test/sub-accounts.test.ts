import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import { anonymous, callerIn, newWorkspace, type RunningService, until } from '@tidemark/testkit';
import { type BillingServers, startBillingServers } from './billing-servers.ts';

let servers: BillingServers;
let replica: RunningService;
beforeAll(async () => {
  servers = await startBillingServers();
  replica = await servers.replica();
}, 120_000);
afterAll(() => servers.close());

/** A payer with an exact balance and a sub-account for each cap; 0: no cap. */
async function family(credits: number, ...caps: number[]): Promise<{ payer: string; children: string[] }> {
  const payer = newWorkspace();
  await servers.setBalance(payer, credits);
  const children = caps.map((cap) => {
    const child = newWorkspace();
    servers.identity.snapshot.set(child, { parentId: payer, cap });
    return child;
  });
  return { payer, children };
}

async function lease(at: RunningService, workspaceId: string, maxCredits: number, id = newId('cap')): Promise<number> {
  const items = [{ id, workspaceId, maxCredits, minCredits: 1 }];
  return (await at.peer.call(Rpc.lease, { items }, anonymous())).grants[0]?.granted ?? 0;
}

const charge = (workspaceId: string, credits: number, ref = newId('cap'), actorId = '') => ({
  ref,
  workspaceId,
  kind: 'page' as const,
  credits,
  pages: 1,
  at: new Date(),
  actorId,
  projectId: '',
});
const entries = (workspaceId: string) =>
  servers.database.sql<{ credits: number; payer_id: string | null; actor_id: string }>(
    'SELECT credits::int, payer_id, actor_id FROM billing.ledger WHERE workspace_id = $1 ORDER BY id',
    [workspaceId],
  );
const balanceOf = (workspaceId: string) => servers.peer.call(Rpc.balance, {}, callerIn(workspaceId));

describe('a sub-account', () => {
  it('shows what its cap leaves and nothing of the credits of its payer', async () => {
    const { children } = await family(100, 0, 500);
    const [free = '', capped = ''] = children;
    expect(await balanceOf(free)).toMatchObject({ balance: 100, visibleBalance: undefined });
    expect(await balanceOf(capped)).toMatchObject({ balance: 100, visibleBalance: 500 });
  });

  it('spends the credits of its payer, and its charges name the payer and the key that started the work', async () => {
    const { payer, children } = await family(100, 0);
    const [child = ''] = children;
    const [key, ref] = [newId('key'), newId('cap')];
    expect(await lease(servers.service, child, 5, ref)).toBe(5);
    expect(await servers.account(payer)).toEqual({ balance: 100, reserved: 5 });
    await servers.publish(charge(child, 3, ref, key));
    await until('the charge to be settled', async () => (await entries(child)).length === 1);
    expect(await entries(child)).toEqual([{ credits: -3, payer_id: payer, actor_id: key }]);
    expect(await servers.account(payer)).toEqual({ balance: 97, reserved: 0 });
  });

  it('has no welcome credits of its own', async () => {
    const { children } = await family(7, 0);
    const [child = ''] = children;
    expect(await balanceOf(child)).toMatchObject({ balance: 7, reserved: 0, usedThisMonth: 0 });
    expect(await entries(child)).toEqual([]);
  });

  it('is granted nothing when its payer has no credits left, whatever its cap', async () => {
    const { payer, children } = await family(4, 1_000);
    expect(await lease(servers.service, payer, 4)).toBe(4);
    expect(await lease(servers.service, children[0] ?? '', 1)).toBe(0);
  });

  it('stops exactly at its cap while leases of 20 callers of two replicas race, and so does the payer at its balance', async () => {
    const { payer, children } = await family(250, 60, 100, 0);
    const all = [payer, ...children];
    const granted = await Promise.all(
      Array.from({ length: 400 }, async (_, i) => {
        const workspaceId = all[i % all.length] ?? '';
        return { workspaceId, credits: await lease(i % 2 === 0 ? servers.service : replica, workspaceId, 3) };
      }),
    );
    const sumOf = (workspaceId?: string) =>
      granted.reduce(
        (sum, one) => sum + (workspaceId === undefined || one.workspaceId === workspaceId ? one.credits : 0),
        0,
      );
    expect(sumOf()).toBe(250);
    expect(sumOf(children[0])).toBeLessThanOrEqual(60);
    expect(sumOf(children[1])).toBeLessThanOrEqual(100);
    expect(await servers.account(payer)).toEqual({ balance: 250, reserved: 250 });
  });

  it('that has spent its cap is granted nothing more this month, and again after the cap is raised', async () => {
    const { children } = await family(1_000, 10);
    const [child = ''] = children;
    const ref = newId('cap');
    expect(await lease(servers.service, child, 10, ref)).toBe(10);
    expect(await lease(servers.service, child, 1)).toBe(0);
    await servers.publish(charge(child, 8, ref));
    await until('the charge to be settled', async () => (await entries(child)).length === 1);
    expect([await lease(servers.service, child, 5), await lease(servers.service, child, 1)]).toEqual([2, 0]);
    await servers.change({ workspaceId: child, version: 2, cap: 15 });
    await until('the raised cap to hold', async () => (await lease(servers.service, child, 5)) === 5);
    // An event that arrives late does not restore the earlier cap.
    await servers.change({ workspaceId: child, version: 1, cap: 1_000 });
    await servers.change({ workspaceId: child, version: 3, cap: 16 });
    await until('the newest cap to hold', async () => (await lease(servers.service, child, 1)) === 1);
    expect(await lease(servers.service, child, 1)).toBe(0);
  });

  it('of a payer without a credit limit is limited by its cap alone', async () => {
    const payer = newWorkspace();
    const child = newWorkspace();
    servers.identity.snapshot.set(payer, { plan: 'self_hosted' });
    servers.identity.snapshot.set(child, { parentId: payer, plan: 'self_hosted', cap: 7 });
    expect([await lease(servers.service, child, 5), await lease(servers.service, child, 5)]).toEqual([5, 2]);
    expect(await balanceOf(child)).toMatchObject({ balance: 7, reserved: 7 });
    expect((await balanceOf(payer)).balance).toBeUndefined();
  });

  it('keeps one grant for a repeated lease, and releases expired leases at both accounts', async () => {
    const { payer, children } = await family(20, 10);
    const [child = ''] = children;
    const id = newId('cap');
    expect([await lease(servers.service, child, 4, id), await lease(replica, child, 9, id)]).toEqual([4, 4]);
    await servers.database.sql("UPDATE billing.leases SET expires_at = now() - interval '1 minute' WHERE id = $1", [
      id,
    ]);
    await until('the lease to be released', async () => (await servers.account(payer))?.reserved === 0);
    expect((await balanceOf(child)).reserved).toBe(0);
  });

  it('shows its month: spend by kind and the charges behind it, to its payer alone', async () => {
    const { payer, children } = await family(100, 50);
    const [child = ''] = children;
    const key = newId('key');
    await lease(servers.service, child, 2);
    await servers.publish(charge(child, 5, newId('cap'), key));
    await servers.publish({ ...charge(child, 2), kind: 'map_file', pages: 0 });
    await servers.publish(charge(child, 0));
    await until('the charges to be settled', async () => (await entries(child)).length === 3);
    const statement = await servers.peer.call(Rpc.statement, {}, callerIn(child));
    expect(statement).toMatchObject({ month: 7, reserved: 2 });
    expect(statement.byKind).toEqual([
      { kind: 'page', pages: 2, credits: 5 },
      { kind: 'map_file', pages: 0, credits: 2 },
    ]);
    expect(statement.charges.map(({ credits, actorId }) => [credits, actorId]).sort()).toEqual(
      [
        [2, undefined],
        [5, key],
      ].sort(),
    );
    const spendsFor = async (workspaceId: string) =>
      (await servers.peer.call(Rpc.listSpend, { workspaceIds: [child] }, callerIn(workspaceId))).spends;
    expect(await spendsFor(payer)).toEqual([{ workspaceId: child, month: 7, reserved: 2 }]);
    expect(await spendsFor(newWorkspace())).toEqual([]);
    expect((await balanceOf(payer)).usedThisMonth).toBe(7);
  });

  it('is counted in the balance, the usage and the statement of its payer alike, also after it is deleted', async () => {
    const { payer, children } = await family(100, 50, 0);
    const [first = '', second = ''] = children;
    const key = newId('key');
    for (const child of children) await balanceOf(child);
    await servers.publish(charge(payer, 4));
    await servers.publish(charge(first, 5, newId('cap'), key));
    await servers.publish(charge(second, 2));
    await until('the charges to be settled', async () => (await balanceOf(payer)).usedThisMonth === 11);
    const usage = () => servers.peer.call(Rpc.usage, {}, callerIn(payer));
    const statement = () => servers.peer.call(Rpc.statement, {}, callerIn(payer));
    const before = await usage();
    expect(before).toMatchObject({
      monthPages: 3,
      monthCredits: 11,
      byKind: [{ kind: 'page', pages: 3, credits: 11 }],
    });
    expect(before.days.at(-1)).toMatchObject({ pages: 3, credits: 11 });
    expect(before.byActor).toContainEqual({ actorId: key, pages: 1, credits: 5 });
    const { month, byKind, charges } = await statement();
    expect({ month, byKind }).toEqual({ month: 11, byKind: before.byKind });
    expect(new Map(charges.map(({ workspaceId, credits }) => [workspaceId, credits]))).toEqual(
      new Map([
        [payer, 4],
        [first, 5],
        [second, 2],
      ]),
    );
    for (const state of ['deleted', 'deleted'] as const)
      await servers.change({ workspaceId: first, version: 9, state });
    await until('the sub-account to be deleted', async () => (await entries(first)).length === 0);
    expect(await usage()).toMatchObject({ monthPages: 3, monthCredits: 11, days: before.days });
    expect((await statement()).month).toBe(11);
    expect((await balanceOf(payer)).usedThisMonth).toBe(11);
  });
});

describe('a workspace', () => {
  it('without welcome credits has none, and gets them once when identity gives them', async () => {
    const workspace = newWorkspace();
    servers.identity.snapshot.set(workspace, { plan: 'free', isWelcome: false });
    expect(await lease(servers.service, workspace, 1)).toBe(0);
    expect(await balanceOf(workspace)).toMatchObject({ balance: 0 });
    for (const version of [2, 2, 3]) await servers.change({ workspaceId: workspace, version, plan: 'free' });
    await until('the welcome credits', async () => (await balanceOf(workspace)).balance === 1_000);
    await servers.settle({ ref: newId('cap'), workspaceId: workspace, credits: 1 });
    expect((await balanceOf(workspace)).balance).toBe(999);
  });

  it('that does not exist is granted nothing and has no balance', async () => {
    const workspace = newWorkspace();
    servers.identity.snapshot.set(workspace, undefined);
    expect(await lease(servers.service, workspace, 1)).toBe(0);
    await expect(balanceOf(workspace)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('that is deleted loses its account, ledger, usage and leases', async () => {
    const { payer, children } = await family(30, 0);
    const [child = ''] = children;
    await lease(servers.service, payer, 3);
    await servers.settle({ ref: newId('cap'), workspaceId: payer, credits: 2 });
    await lease(servers.service, child, 1);
    servers.identity.snapshot.set(payer, undefined);
    for (const workspaceId of [payer, child]) await servers.change({ workspaceId, version: 9, state: 'deleted' });
    const rowsOf = async (table: string) =>
      (await servers.database.sql(`SELECT 1 FROM billing.${table} WHERE workspace_id = ANY($1)`, [[payer, child]]))
        .length;
    const counts = () => Promise.all(['accounts', 'ledger', 'leases', 'usage_days'].map(rowsOf));
    await until('every row to be deleted', async () => (await counts()).every((count) => count === 0));
  });
});

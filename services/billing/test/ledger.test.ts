import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import type { CreditSpent } from '@tidemark/contracts/billing/v1/events';
import { anonymous, callerIn, newWorkspace, type RunningService, until } from '@tidemark/testkit';
import fc from 'fast-check';
import { type BillingGround, openBilling } from './billing-ground.ts';

const WELCOME = 1_000;
let ground: BillingGround;
let replica: RunningService;
beforeAll(async () => {
  ground = await openBilling();
  replica = await ground.replica();
}, 120_000);
afterAll(() => ground.close());

const charge = (workspaceId: string, credits: number, more: Partial<CreditSpent> = {}): CreditSpent => ({
  ref: newId('cap'),
  workspaceId,
  kind: 'page',
  credits,
  pages: 1,
  at: new Date(),
  ...more,
});

const leaseOne = async (at: RunningService, workspaceId: string, want: number, id = newId('cap')): Promise<number> => {
  const { grants } = await at.peer.call(Rpc.lease, { wishes: [{ id, workspaceId, want, least: 1 }] }, anonymous());
  return grants[0]?.granted ?? 0;
};

/** Resolves once a marker told last has been settled: everything told before it has been, too. */
async function allSettled(): Promise<void> {
  const workspaceId = newWorkspace();
  await ground.setBalance(workspaceId, 1);
  await ground.settle({ ref: newId('cap'), workspaceId, credits: 1 });
}

async function sumOfLedger(workspaceId: string): Promise<number> {
  return (await ground.ledger(workspaceId)).reduce((sum, entry) => sum + entry.credits, 0);
}

describe('welcome credits', () => {
  it('are given once, and nobody is refused, when fifty first leases arrive at once at two replicas', async () => {
    const workspace = newWorkspace();
    const granted = await Promise.all(
      Array.from({ length: 50 }, (_, i) => leaseOne(i % 2 === 0 ? ground.service : replica, workspace, 5)),
    );
    expect(granted).toEqual(Array.from({ length: 50 }, () => 5));
    expect(await ground.account(workspace)).toEqual({ balance: WELCOME, reserved: 250 });
    expect(await ground.ledger(workspace)).toEqual([{ kind: 'welcome', ref: workspace, credits: WELCOME }]);
  });

  it('are there for whoever only looks at the balance', async () => {
    const balance = await ground.peer.call(Rpc.balance, {}, callerIn(newWorkspace()));
    expect(balance).toEqual({ plan: 'free', balance: WELCOME, reserved: 0, usedThisMonth: 0 });
  });
});

describe('leases under concurrency', () => {
  it('never set aside more than the balance, and leave nothing a fitting wish could have had', async () => {
    const wish = fc.record({ want: fc.integer({ min: 1, max: 9 }), other: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.nat(40), fc.array(wish, { minLength: 1, maxLength: 25 }), async (credits, wishes) => {
        const workspace = newWorkspace();
        await ground.setBalance(workspace, credits);
        const granted = await Promise.all(
          wishes.map(({ want, other }) => leaseOne(other ? replica : ground.service, workspace, want)),
        );
        const total = granted.reduce((sum, one) => sum + one, 0);
        const wanted = wishes.reduce((sum, { want }) => sum + want, 0);
        expect(total).toBe(Math.min(credits, wanted));
        expect(await ground.account(workspace)).toEqual({ balance: credits, reserved: total });
      }),
      { numRuns: 40 },
    );
  });

  it('are held once under their id, however many replicas are asked at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const workspace = newWorkspace();
      await ground.setBalance(workspace, 100);
      const id = newId('cap');
      const granted = await Promise.all(
        Array.from({ length: 6 }, (_, i) => leaseOne(i % 2 === 0 ? ground.service : replica, workspace, 5, id)),
      );
      expect(granted).toEqual([5, 5, 5, 5, 5, 5]);
      expect((await ground.account(workspace))?.reserved).toBe(5);
    }
  });

  it('never wait for each other in a circle, whatever the order of the workspaces', async () => {
    const workspaces = Array.from({ length: 12 }, newWorkspace);
    await Promise.all(workspaces.map((id) => ground.setBalance(id, 1_000)));
    const call = (at: RunningService, ids: readonly string[]) => {
      const wishes = ids.map((workspaceId) => ({ id: newId('cap'), workspaceId, want: 1, least: 1 }));
      return at.peer.call(Rpc.lease, { wishes }, anonymous());
    };
    const deadlocks = () =>
      ground.database.sql<{ deadlocks: string }>(
        'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
      );
    const [before] = await deadlocks();
    for (let round = 0; round < 10; round += 1) {
      const charges = workspaces.map((id) => charge(id, 1));
      await Promise.all([
        call(ground.service, workspaces),
        call(replica, [...workspaces].reverse()),
        ...charges.map(ground.publish),
        ...[...charges].reverse().map(ground.publish),
      ]);
    }
    await until('every charge is settled', async () => (await ground.account(workspaces[0] ?? ''))?.balance === 990);
    expect(await deadlocks()).toEqual([before]);
  });
});

describe('charges', () => {
  it('are made once each, in whatever order and however often they are told', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ credits: fc.nat(5), leased: fc.boolean() }), { minLength: 1, maxLength: 12 }),
        fc.infiniteStream(fc.nat(2)),
        async (captures, times) => {
          const workspace = newWorkspace();
          await ground.setBalance(workspace, 500);
          const charges = captures.map(({ credits }) => charge(workspace, credits));
          await Promise.all(
            charges.map(({ ref }, i) => (captures[i]?.leased ? leaseOne(replica, workspace, 5, ref) : 0)),
          );
          const told = charges.flatMap((one) => Array.from({ length: 1 + (times.next().value ?? 0) }, () => one));
          await Promise.all(told.reverse().map(ground.publish));
          const spent = captures.reduce((sum, { credits }) => sum + credits, 0);
          await until('all of them are in the ledger', async () => {
            return (await ground.ledger(workspace)).length === captures.length + 1;
          });
          expect(await ground.account(workspace)).toEqual({ balance: 500 - spent, reserved: 0 });
          expect(await sumOfLedger(workspace)).toBe(500 - spent);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('of a lease that was given back before they arrived are made all the same', async () => {
    const workspace = newWorkspace();
    await ground.setBalance(workspace, 10);
    await ground.settle({ ref: newId('cap'), workspaceId: workspace, credits: 3 });
    expect(await ground.account(workspace)).toEqual({ balance: 7, reserved: 0 });
  });

  it('are counted on the day they happened, in UTC, and in the month', async () => {
    const workspace = newWorkspace();
    await ground.setBalance(workspace, 100);
    const now = new Date();
    const yesterday = new Date(now.getTime() - 86_400_000);
    await Promise.all([
      ground.publish(charge(workspace, 5, { at: now })),
      ground.publish(charge(workspace, 1, { at: now })),
      ground.publish(charge(workspace, 0, { at: now, pages: 0 })),
      ground.publish(charge(workspace, 1, { at: yesterday })),
    ]);
    await until('all four are in the ledger', async () => (await ground.ledger(workspace)).length === 5);
    const usage = await ground.peer.call(Rpc.usage, {}, callerIn(workspace));
    expect(usage.days).toHaveLength(30);
    expect(usage.days.slice(-2)).toEqual([
      { day: yesterday.toISOString().slice(0, 10), pages: 1, credits: 1 },
      { day: now.toISOString().slice(0, 10), pages: 2, credits: 6 },
    ]);
    const sameMonth = yesterday.getUTCMonth() === now.getUTCMonth();
    expect([usage.monthPages, usage.monthCredits]).toEqual(sameMonth ? [3, 7] : [2, 6]);
    const elsewhere = await ground.peer.call(Rpc.usage, {}, callerIn(newWorkspace()));
    expect(elsewhere.days.every((day) => day.pages === 0)).toBe(true);
  });
});

describe('what survives', () => {
  it('charges told while billing is down are made when it is back', async () => {
    const workspace = newWorkspace();
    await ground.setBalance(workspace, 10);
    await replica.close();
    await ground.database.cutConnections();
    await ground.publish(charge(workspace, 4));
    await allSettled();
    expect(await ground.account(workspace)).toEqual({ balance: 6, reserved: 0 });
    expect(await sumOfLedger(workspace)).toBe(6);
  });
});

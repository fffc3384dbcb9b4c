import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import { BillingServiceService as Rpc, type TokenUse } from '@tidemark/contracts/billing/v1/billing';
import type { CreditSpent } from '@tidemark/contracts/billing/v1/events';
import { anonymous, callerIn, newWorkspace, type RunningService, until } from '@tidemark/testkit';
import fc from 'fast-check';
import { type BillingServers, startBillingServers } from './billing-servers.ts';

const WELCOME = 1_000;
let servers: BillingServers;
let replica: RunningService;
beforeAll(async () => {
  servers = await startBillingServers();
  replica = await servers.replica();
}, 120_000);
afterAll(() => servers.close());

const charge = (workspaceId: string, credits: number, overrides: Partial<CreditSpent> = {}): CreditSpent => ({
  ref: newId('cap'),
  workspaceId,
  kind: 'page' as const,
  credits,
  pages: 1,
  at: new Date(),
  actorId: '',
  projectId: '',
  ...overrides,
});

async function leaseOne(
  at: RunningService,
  workspaceId: string,
  maxCredits: number,
  id = newId('cap'),
): Promise<number> {
  const items = [{ id, workspaceId, maxCredits, minCredits: 1 }];
  const { grants } = await at.peer.call(Rpc.lease, { items }, anonymous());
  return grants[0]?.granted ?? 0;
}

async function sumOfLedger(workspaceId: string): Promise<number> {
  return (await servers.ledger(workspaceId)).reduce((sum, entry) => sum + entry.credits, 0);
}

describe('welcome credits', () => {
  it('are credited once when two replicas receive 50 concurrent first leases, and every lease is granted', async () => {
    const workspace = newWorkspace();
    const granted = await Promise.all(
      Array.from({ length: 50 }, (_, i) => leaseOne(i % 2 === 0 ? servers.service : replica, workspace, 5)),
    );
    expect(granted).toEqual(Array.from({ length: 50 }, () => 5));
    expect(await servers.account(workspace)).toEqual({ balance: WELCOME, reserved: 250 });
    expect(await servers.ledger(workspace)).toEqual([{ kind: 'welcome', ref: workspace, credits: WELCOME }]);
  });

  it('are credited by the first Balance call of a workspace', async () => {
    const balance = await servers.peer.call(Rpc.balance, {}, callerIn(newWorkspace()));
    expect(balance).toEqual({
      plan: 'free',
      balance: WELCOME,
      visibleBalance: WELCOME,
      reserved: 0,
      usedThisMonth: 0,
    });
  });
});

describe('a plan without a credit limit', () => {
  it('grants every lease in full, counts usage, and reports no balance', async () => {
    const unlimited = await servers.replica({ TIDEMARK_DEFAULT_PLAN: 'self_hosted' });
    const workspace = newWorkspace();
    const balanceOf = () => unlimited.peer.call(Rpc.balance, {}, callerIn(workspace));
    expect(await balanceOf()).toEqual({ plan: 'self_hosted', balance: undefined, reserved: 0, usedThisMonth: 0 });
    const ids = Array.from({ length: 300 }, () => newId('cap'));
    const granted = await Promise.all(ids.map((id) => leaseOne(unlimited, workspace, 10, id)));
    expect(granted).toEqual(ids.map(() => 10));
    expect(await balanceOf()).toMatchObject({ reserved: 3_000 });
    for (const ref of ids) await servers.publish(charge(workspace, 10, { ref }));
    await until('every charge to be settled', async () => (await balanceOf()).reserved === 0);
    expect(await balanceOf()).toEqual({ plan: 'self_hosted', balance: undefined, reserved: 0, usedThisMonth: 3_000 });
    expect(await sumOfLedger(workspace)).toBe(-3_000);
  });

  it('refuses to start with a plan that is not in the catalogue, naming the plans', async () => {
    await expect(servers.replica({ TIDEMARK_DEFAULT_PLAN: 'gold' })).rejects.toThrow(/"gold".*free.*self_hosted/);
  });
});

describe('concurrent leases', () => {
  it('reserve exactly the smaller of the balance and the requested credits', async () => {
    const lease = fc.record({ maxCredits: fc.integer({ min: 1, max: 9 }), onReplica: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.nat(40), fc.array(lease, { minLength: 1, maxLength: 25 }), async (credits, leases) => {
        const workspace = newWorkspace();
        await servers.setBalance(workspace, credits);
        const granted = await Promise.all(
          leases.map(({ maxCredits, onReplica }) =>
            leaseOne(onReplica ? replica : servers.service, workspace, maxCredits),
          ),
        );
        const total = granted.reduce((sum, one) => sum + one, 0);
        const requested = leases.reduce((sum, { maxCredits }) => sum + maxCredits, 0);
        expect(total).toBe(Math.min(credits, requested));
        expect(await servers.account(workspace)).toEqual({ balance: credits, reserved: total });
      }),
      { numRuns: 40 },
    );
  });

  it('with one id reserve credits once across two replicas', async () => {
    for (let round = 0; round < 10; round += 1) {
      const workspace = newWorkspace();
      await servers.setBalance(workspace, 100);
      const id = newId('cap');
      const granted = await Promise.all(
        Array.from({ length: 6 }, (_, i) => leaseOne(i % 2 === 0 ? servers.service : replica, workspace, 5, id)),
      );
      expect(granted).toEqual([5, 5, 5, 5, 5, 5]);
      expect((await servers.account(workspace))?.reserved).toBe(5);
    }
  });

  it('do not deadlock with each other or with charges, whatever the order of the workspaces', async () => {
    const workspaces = Array.from({ length: 12 }, newWorkspace);
    await Promise.all(workspaces.map((id) => servers.setBalance(id, 1_000)));
    const call = (at: RunningService, ids: readonly string[]) => {
      const items = ids.map((workspaceId) => ({ id: newId('cap'), workspaceId, maxCredits: 1, minCredits: 1 }));
      return at.peer.call(Rpc.lease, { items }, anonymous());
    };
    const deadlocks = () =>
      servers.database.sql<{ deadlocks: string }>(
        'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
      );
    const [before] = await deadlocks();
    for (let round = 0; round < 10; round += 1) {
      const charges = workspaces.map((id) => charge(id, 1));
      await Promise.all([
        call(servers.service, workspaces),
        call(replica, [...workspaces].reverse()),
        ...charges.map(servers.publish),
        ...[...charges].reverse().map(servers.publish),
      ]);
    }
    await until(
      'every charge to be settled',
      async () => (await servers.account(workspaces[0] ?? ''))?.balance === 990,
    );
    expect(await deadlocks()).toEqual([before]);
  });
});

describe('charges', () => {
  it('are recorded once each, whatever the order and number of their deliveries', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ credits: fc.nat(5), leased: fc.boolean() }), { minLength: 1, maxLength: 12 }),
        fc.infiniteStream(fc.nat(2)),
        async (captures, times) => {
          const workspace = newWorkspace();
          await servers.setBalance(workspace, 500);
          const charges = captures.map(({ credits }) => charge(workspace, credits));
          await Promise.all(
            charges.map(({ ref }, i) => (captures[i]?.leased ? leaseOne(replica, workspace, 5, ref) : 0)),
          );
          const deliveries = charges.flatMap((one) => Array.from({ length: 1 + (times.next().value ?? 0) }, () => one));
          await Promise.all(deliveries.reverse().map(servers.publish));
          const spent = captures.reduce((sum, { credits }) => sum + credits, 0);
          await until('all charges to be in the ledger', async () => {
            return (await servers.ledger(workspace)).length === captures.length + 1;
          });
          expect(await servers.account(workspace)).toEqual({ balance: 500 - spent, reserved: 0 });
          expect(await sumOfLedger(workspace)).toBe(500 - spent);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('are recorded if their lease does not exist or has been released', async () => {
    const workspace = newWorkspace();
    await servers.setBalance(workspace, 10);
    await servers.settle({ ref: newId('cap'), workspaceId: workspace, credits: 3 });
    expect(await servers.account(workspace)).toEqual({ balance: 7, reserved: 0 });
  });

  it('are counted in the usage of their UTC day and of the month', async () => {
    const workspace = newWorkspace();
    await servers.setBalance(workspace, 100);
    const now = new Date();
    const yesterday = new Date(now.getTime() - 86_400_000);
    await Promise.all([
      servers.publish(charge(workspace, 5, { at: now })),
      servers.publish(charge(workspace, 1, { at: now })),
      servers.publish(charge(workspace, 0, { at: now, pages: 0 })),
      servers.publish(charge(workspace, 1, { at: yesterday })),
    ]);
    await until('all four charges to be in the ledger', async () => (await servers.ledger(workspace)).length === 5);
    const usage = await servers.peer.call(Rpc.usage, {}, callerIn(workspace));
    expect(usage.days).toHaveLength(30);
    expect(usage.days.slice(-2)).toEqual([
      { day: yesterday.toISOString().slice(0, 10), pages: 1, credits: 1 },
      { day: now.toISOString().slice(0, 10), pages: 2, credits: 6 },
    ]);
    const sameMonth = yesterday.getUTCMonth() === now.getUTCMonth();
    expect([usage.monthPages, usage.monthCredits]).toEqual(sameMonth ? [3, 7] : [2, 6]);
    const other = await servers.peer.call(Rpc.usage, {}, callerIn(newWorkspace()));
    expect(other.days.every((day) => day.pages === 0)).toBe(true);
  });
});

describe('charges published while billing is unavailable', () => {
  it('are recorded after it has restarted', async () => {
    const workspace = newWorkspace();
    await servers.setBalance(workspace, 10);
    await replica.close();
    await servers.database.cutConnections();
    await servers.publish(charge(workspace, 4));
    // The event may be redelivered after those that follow it.
    await until('the charge to be in the ledger', async () => (await sumOfLedger(workspace)) === 6);
    expect(await servers.account(workspace)).toEqual({ balance: 6, reserved: 0 });
  });
});

describe('tokens of language models', () => {
  it('are counted once per call in the month of the workspace, by kind and model, and use no credits', async () => {
    const workspace = newWorkspace();
    const used = (kind: TokenUse, model: string, ref: string) => {
      const event = kind === 'digest' ? events.digestTokensUsed : events.extractionTokensUsed;
      const tokens = { inputTokens: 100, outputTokens: 10, at: new Date() };
      const call = { ref, workspaceId: workspace, kind, model, ...tokens };
      return servers.publishTokens(event, call);
    };
    await used('extraction', 'small', 'a');
    await used('extraction', 'small', 'b');
    await used('extraction', 'small', 'b');
    await used('digest', 'large', 'c');
    const usage = await until('three calls to be counted', async () => {
      const read = await servers.peer.call(Rpc.usage, {}, callerIn(workspace));
      return read.tokens.reduce((sum, { count }) => sum + count, 0) === 3 && read;
    });
    expect(usage.tokens).toEqual([
      { kind: 'extraction', model: 'small', count: 2, inputTokens: 200, outputTokens: 20 },
      { kind: 'digest', model: 'large', count: 1, inputTokens: 100, outputTokens: 10 },
    ]);
    expect(usage.monthCredits).toBe(0);
  });
});

import assert from 'node:assert/strict';
import { newId } from '@tidemark/contracts';
import { type LeaseItem, BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import type { Peer } from '@tidemark/service';
import { anonymous, callerIn, newWorkspace } from '../callers.ts';
import type { ContractCase } from './contract-case.ts';

/** A billing service under the contract suite, with a way to give a workspace an exact number of credits. */
export interface BillingUnderTest {
  readonly peer: Peer;
  setBalance(workspaceId: string, credits: number): Promise<void> | void;
  /** Closes a lease by a charge, and resolves after billing has recorded it. */
  settle(charge: { ref: string; workspaceId: string; credits: number }): Promise<void>;
}

async function lease(billing: BillingUnderTest, ...items: LeaseItem[]): Promise<number[]> {
  const { grants } = await billing.peer.call(Rpc.lease, { items }, anonymous());
  assert.deepEqual(
    grants.map((grant) => grant.id),
    items.map((item) => item.id),
    'one grant for each item, in order',
  );
  return grants.map((grant) => grant.granted);
}

const item = (workspaceId: string, maxCredits: number, minCredits = 1, id = newId('cap')): LeaseItem => ({
  id,
  workspaceId,
  maxCredits,
  minCredits,
});

const balanceOf = async (billing: BillingUnderTest, workspaceId: string) =>
  billing.peer.call(Rpc.balance, {}, callerIn(workspaceId));

async function funded(billing: BillingUnderTest, credits: number): Promise<string> {
  const workspaceId = newWorkspace();
  await billing.setBalance(workspaceId, credits);
  return workspaceId;
}

/** The guarantees of `Lease` that other services rely on. Both the real service and the fake must pass them. */
export const billingLeaseContract: readonly ContractCase<BillingUnderTest>[] = [
  {
    title: 'grants a workspace without an account the requested credits from its welcome credits',
    async run(billing) {
      assert.deepEqual(await lease(billing, item(newWorkspace(), 5)), [5]);
    },
  },
  {
    title: 'reserves credits without spending them',
    async run(billing) {
      const workspace = await funded(billing, 10);
      await lease(billing, item(workspace, 4));
      const { balance, reserved } = await balanceOf(billing, workspace);
      assert.deepEqual({ balance, reserved }, { balance: 10, reserved: 4 });
    },
  },
  {
    title: 'reserves credits once for a repeated lease and returns the existing grant',
    async run(billing) {
      const workspace = await funded(billing, 10);
      const repeated = item(workspace, 4);
      assert.deepEqual(await lease(billing, repeated), [4]);
      assert.deepEqual(await lease(billing, repeated), [4]);
      assert.equal((await balanceOf(billing, workspace)).reserved, 4);
    },
  },
  {
    title: 'grants the remaining credits if they are at least the minimum, and nothing otherwise',
    async run(billing) {
      const workspace = await funded(billing, 3);
      assert.deepEqual(await lease(billing, item(workspace, 5, 3)), [3]);
      const poor = await funded(billing, 2);
      assert.deepEqual(await lease(billing, item(poor, 5, 3)), [0]);
      assert.equal((await balanceOf(billing, poor)).reserved, 0, 'a refused item reserves nothing');
    },
  },
  {
    title: 'grants the items of one call in order until no credits are left',
    async run(billing) {
      const workspace = await funded(billing, 7);
      assert.deepEqual(await lease(billing, item(workspace, 5), item(workspace, 5), item(workspace, 5)), [5, 2, 0]);
    },
  },
  {
    title: 'reserves nothing for an item that exceeds the balance, so that later items can be granted',
    async run(billing) {
      const workspace = await funded(billing, 4);
      assert.deepEqual(await lease(billing, item(workspace, 5, 5), item(workspace, 1)), [0, 1]);
    },
  },
  {
    title: 'grants the items of different workspaces in one call independently',
    async run(billing) {
      const [one, two] = [await funded(billing, 1), await funded(billing, 5)];
      assert.deepEqual(await lease(billing, item(one, 5, 5), item(two, 5, 5)), [0, 5]);
    },
  },
  {
    title: 'closes the lease of a charged capture and releases the credits it did not cost',
    async run(billing) {
      const workspace = await funded(billing, 5);
      const leased = item(workspace, 5);
      await lease(billing, leased);
      await billing.settle({ ref: leased.id, workspaceId: workspace, credits: 1 });
      const { balance, reserved } = await balanceOf(billing, workspace);
      assert.deepEqual({ balance, reserved }, { balance: 4, reserved: 0 });
      assert.deepEqual(await lease(billing, item(workspace, 5)), [4]);
    },
  },
];

import assert from 'node:assert/strict';
import { newId } from '@tidemark/contracts';
import { type LeaseWish, BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import type { Peer } from '@tidemark/service';
import { anonymous, callerIn, newWorkspace } from '../callers.ts';
import type { Guarantee } from './guarantee.ts';

/** Billing, and a way to set the credits of a workspace. */
export interface BillingUnderTest {
  readonly peer: Peer;
  setBalance(workspaceId: string, credits: number): Promise<void> | void;
  /** Publishes a charge, and resolves once billing has recorded it. */
  settle(charge: { ref: string; workspaceId: string; credits: number }): Promise<void>;
}

async function lease(billing: BillingUnderTest, ...wishes: LeaseWish[]): Promise<number[]> {
  const { grants } = await billing.peer.call(Rpc.lease, { wishes }, anonymous());
  assert.deepEqual(
    grants.map((grant) => grant.id),
    wishes.map((wish) => wish.id),
    'one grant for each request, in order',
  );
  return grants.map((grant) => grant.granted);
}

const wish = (workspaceId: string, want: number, least = 1, id = newId('cap')): LeaseWish => ({
  id,
  workspaceId,
  want,
  least,
});

const balanceOf = async (billing: BillingUnderTest, workspaceId: string) =>
  billing.peer.call(Rpc.balance, {}, callerIn(workspaceId));

async function funded(billing: BillingUnderTest, credits: number): Promise<string> {
  const workspaceId = newWorkspace();
  await billing.setBalance(workspaceId, credits);
  return workspaceId;
}

/** What callers of `Lease` rely on. The real service and the fake are tested against it. */
export const billingLeaseContract: readonly Guarantee<BillingUnderTest>[] = [
  {
    title: 'a new workspace is granted credits from its welcome credits',
    async holds(billing) {
      assert.deepEqual(await lease(billing, wish(newWorkspace(), 5)), [5]);
    },
  },
  {
    title: 'a lease reserves credits without spending them',
    async holds(billing) {
      const workspace = await funded(billing, 10);
      await lease(billing, wish(workspace, 4));
      const { balance, reserved } = await balanceOf(billing, workspace);
      assert.deepEqual({ balance, reserved }, { balance: 10, reserved: 4 });
    },
  },
  {
    title: 'a repeated lease is reserved once and returns the same grant',
    async holds(billing) {
      const workspace = await funded(billing, 10);
      const wanted = wish(workspace, 4);
      assert.deepEqual(await lease(billing, wanted), [4]);
      assert.deepEqual(await lease(billing, wanted), [4]);
      assert.equal((await balanceOf(billing, workspace)).reserved, 4);
    },
  },
  {
    title: 'a balance below the requested credits grants what is left, down to the requested minimum',
    async holds(billing) {
      const workspace = await funded(billing, 3);
      assert.deepEqual(await lease(billing, wish(workspace, 5, 3)), [3]);
      const poor = await funded(billing, 2);
      assert.deepEqual(await lease(billing, wish(poor, 5, 3)), [0]);
      assert.equal((await balanceOf(billing, poor)).reserved, 0, 'a refused request reserves nothing');
    },
  },
  {
    title: 'requests of one call are granted in order, until all credits are reserved',
    async holds(billing) {
      const workspace = await funded(billing, 7);
      assert.deepEqual(await lease(billing, wish(workspace, 5), wish(workspace, 5), wish(workspace, 5)), [5, 2, 0]);
    },
  },
  {
    title: 'a request that is refused takes nothing from the ones after it',
    async holds(billing) {
      const workspace = await funded(billing, 4);
      assert.deepEqual(await lease(billing, wish(workspace, 5, 5), wish(workspace, 1)), [0, 1]);
    },
  },
  {
    title: 'the workspaces of one call are independent',
    async holds(billing) {
      const [one, two] = [await funded(billing, 1), await funded(billing, 5)];
      assert.deepEqual(await lease(billing, wish(one, 5, 5), wish(two, 5, 5)), [0, 5]);
    },
  },
  {
    title: 'a charge closes the lease of its capture and returns the credits that were not spent',
    async holds(billing) {
      const workspace = await funded(billing, 5);
      const wanted = wish(workspace, 5);
      await lease(billing, wanted);
      await billing.settle({ ref: wanted.id, workspaceId: workspace, credits: 1 });
      const { balance, reserved } = await balanceOf(billing, workspace);
      assert.deepEqual({ balance, reserved }, { balance: 4, reserved: 0 });
      assert.deepEqual(await lease(billing, wish(workspace, 5)), [4]);
    },
  },
];

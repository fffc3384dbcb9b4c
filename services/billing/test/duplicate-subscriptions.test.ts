import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PaymentServiceService as Rpc } from '@tidemark/contracts/billing/v1/payments';
import { callerIn, newWorkspace, until } from '@tidemark/testkit';
import { type Shop, startShop } from './shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
}, 60_000);
afterAll(() => shop.close());

const invoicesOf = async (workspaceId: string) =>
  (await shop.billing.peer.call(Rpc.listInvoices, { cursor: '', limit: 10 }, callerIn(workspaceId))).invoices;
const refundedOf = (paymentId: string) => shop.sandbox.state.payments.get(paymentId)?.amount_refunded;
const statusOf = (gatewayId: string) => shop.sandbox.state.subscriptions.get(gatewayId)?.status;

describe('a workspace that pays two checkouts of a subscription', () => {
  it('has the first one; the second is cancelled at the gateway, and its payment refunded once', async () => {
    const workspaceId = newWorkspace();
    const [first, second] = [await shop.subscribe(workspaceId), await shop.subscribe(workspaceId, 'growth')];
    const paid = await shop.pay(first);
    await shop.confirm(workspaceId, paid);
    const duplicate = await shop.pay(second);
    const confirming = [1, 2, 3].map(() => shop.confirm(workspaceId, duplicate));
    for (const result of await Promise.allSettled(confirming))
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
    await until('the cancellation', async () => statusOf(second.subscriptionId) === 'cancelled');
    expect(refundedOf(duplicate.paymentId)).toBe(932_200);
    expect(refundedOf(paid.paymentId)).toBe(0);
    expect(statusOf(first.subscriptionId)).toBe('active');
    expect(await shop.account(workspaceId)).toMatchObject({ plan: 'starter', allowance: 20_000 });
    expect((await invoicesOf(workspaceId)).map(({ totalMinor }) => totalMinor)).toEqual([224_200]);
  });

  it('keeps one upgrade of two that are paid', async () => {
    const workspaceId = newWorkspace();
    await shop.confirm(workspaceId, await shop.pay(await shop.subscribe(workspaceId)));
    const upgradeTo = async (plan: string) => {
      const request = { plan, period: 'month', preview: false };
      const { checkout } = await shop.billing.peer.call(Rpc.changeSubscription, request, callerIn(workspaceId));
      if (checkout === undefined) throw new Error('no checkout');
      return checkout;
    };
    const [growth, scale] = [await upgradeTo('growth'), await upgradeTo('scale')];
    await shop.confirm(workspaceId, await shop.pay(growth));
    const duplicate = await shop.pay(scale);
    await expect(shop.confirm(workspaceId, duplicate)).rejects.toMatchObject({ code: 'conflict' });
    expect(refundedOf(duplicate.paymentId)).toBe(scale.amountMinor);
    await until('the cancellation', async () => statusOf(scale.subscriptionId ?? '') === 'cancelled');
    expect(await shop.account(workspaceId)).toMatchObject({ plan: 'growth' });
    expect(await invoicesOf(workspaceId)).toHaveLength(2);
  });
});

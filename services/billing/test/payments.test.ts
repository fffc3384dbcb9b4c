import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PaymentServiceService as Rpc } from '@tidemark/contracts/billing/v1/payments';
import { anonymous, callerIn, newWorkspace, until } from '@tidemark/testkit';
import { renewInSandbox } from './sandbox-under-test.ts';
import { type Shop, startShop } from './shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());

const invoicesOf = async (workspaceId: string) =>
  (await shop.billing.peer.call(Rpc.listInvoices, { cursor: '', limit: 10 }, callerIn(workspaceId))).invoices;
const subscriptionOf = async (workspaceId: string) =>
  (await shop.billing.peer.call(Rpc.getSubscription, {}, callerIn(workspaceId))).subscription;
const changeTo = (workspaceId: string, plan: string, preview = false, previewedAt?: Date) =>
  shop.billing.peer.call(
    Rpc.changeSubscription,
    { plan, period: 'month', preview, previewedAt },
    callerIn(workspaceId),
  );

async function subscribed(plan = 'starter') {
  const workspaceId = newWorkspace();
  const checkout = await shop.subscribe(workspaceId, plan);
  await shop.confirm(workspaceId, await shop.pay(checkout));
  return { workspaceId, gatewayId: checkout.subscriptionId };
}

describe('an order of credits', () => {
  it('adds its credits once, and issues one invoice, for any number of confirmations and messages at the same time', async () => {
    const workspaceId = newWorkspace();
    const checkout = await shop.buy(workspaceId, 2);
    expect(checkout).toMatchObject({ kind: 'order', amountMinor: 259_600, credits: 20_000, currency: 'INR' });
    shop.sandbox.webhooks.hold();
    const paid = await shop.pay(checkout);
    const racing = Array.from({ length: 10 }, () => shop.confirm(workspaceId, paid));
    expect(await Promise.all([...racing, shop.sandbox.webhooks.releaseReversed(3).then(() => true)])).not.toContain(
      false,
    );
    expect(await shop.account(workspaceId)).toMatchObject({ purchased: 20_000 });
    expect(await invoicesOf(workspaceId)).toMatchObject([{ totalMinor: 259_600, currency: 'INR', state: 'paid' }]);
  });

  it('is paid by the message of the gateway alone', async () => {
    const workspaceId = newWorkspace();
    await shop.pay(await shop.buy(workspaceId));
    await until('the credits', async () => (await shop.account(workspaceId)).purchased === 10_000);
  });

  it('is refused with the signature or the id of another checkout', async () => {
    const workspaceId = newWorkspace();
    const [first, second] = [await shop.buy(workspaceId), await shop.buy(workspaceId)];
    const paid = await shop.pay(first);
    await expect(shop.confirm(workspaceId, { ...paid, id: second.id })).rejects.toMatchObject({ code: 'validation' });
    await expect(shop.confirm(workspaceId, { ...paid, signature: 'f'.repeat(64) })).rejects.toMatchObject({
      code: 'validation',
    });
    await expect(shop.confirm(newWorkspace(), paid)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('adds nothing for a payment of another amount', async () => {
    const workspaceId = newWorkspace();
    const checkout = await shop.buy(workspaceId);
    const order = shop.sandbox.state.orders.get(checkout.orderId);
    shop.sandbox.state.orders.set(checkout.orderId, { ...order, amount: 100 } as never);
    const paid = await shop.pay(checkout);
    expect(await shop.confirm(workspaceId, paid)).toBe(false);
    expect(await shop.account(workspaceId)).toMatchObject({ purchased: 0 });
  });

  it('is created once for an idempotency key, and the key is refused for another request', async () => {
    const workspaceId = newWorkspace();
    const request = {
      pack: 'credits_10000',
      quantity: 1,
      currency: 'INR',
      details: undefined,
      idempotencyKey: 'k1',
      requestHash: 'a',
    };
    const details = { legalName: 'A', address: '', country: 'IN', state: 'KA', taxId: '', email: '' };
    const buy = (more: object) =>
      shop.billing.peer.call(Rpc.buyCredits, { ...request, details, ...more }, callerIn(workspaceId));
    const [a, b] = [await buy({}), await buy({})];
    expect(a.checkout?.orderId).toBe(b.checkout?.orderId);
    await expect(buy({ requestHash: 'b' })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('issues credit notes for refunds, and removes the same share of the credits', async () => {
    const workspaceId = newWorkspace();
    const checkout = await shop.buy(workspaceId);
    const { paymentId } = await shop.pay(checkout);
    await until('the credits', async () => (await shop.account(workspaceId)).purchased === 10_000);
    const refund = (amount: number, receipt: string) =>
      fetch(`${shop.sandbox.url}/v1/payments/${paymentId}/refund`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from('rzp_sandbox_test:secret-of-the-key').toString('base64')}` },
        body: JSON.stringify({ amount, receipt }),
      });
    await refund(32_450, `a-${workspaceId}`);
    await until('the first refund', async () => (await shop.account(workspaceId)).purchased === 7_500);
    await refund(97_350, `b-${workspaceId}`);
    await until('the second refund', async () => (await shop.account(workspaceId)).purchased === 0);
    const [invoice] = await invoicesOf(workspaceId);
    expect(invoice).toMatchObject({ state: 'refunded', creditNotes: [{ totalMinor: 32_450 }, { totalMinor: 97_350 }] });
  });
});

describe('a subscription', () => {
  it('gives the plan and its allowance when its first payment is captured', async () => {
    const { workspaceId } = await subscribed();
    expect(await shop.account(workspaceId)).toMatchObject({ plan: 'starter', allowance: 20_000 });
    expect(await subscriptionOf(workspaceId)).toMatchObject({
      state: 'active',
      plan: 'starter',
      netMinor: 190_000,
      card: 'Visa 4242',
    });
    expect(await invoicesOf(workspaceId)).toMatchObject([{ totalMinor: 224_200, state: 'paid' }]);
    await expect(shop.subscribe(workspaceId)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('returns the same checkout while it is not paid', async () => {
    const workspaceId = newWorkspace();
    const [a, b] = [await shop.subscribe(workspaceId), await shop.subscribe(workspaceId)];
    expect(a.subscriptionId).toBe(b.subscriptionId);
  });

  it('is upgraded for the difference, and the one before it is cancelled at the gateway', async () => {
    const { workspaceId, gatewayId } = await subscribed();
    const { preview } = await changeTo(workspaceId, 'growth', true);
    expect(preview?.dueMinor).toBeGreaterThan(700_000);
    expect(preview?.dueMinor).toBeLessThanOrEqual(708_000);
    const { checkout } = await changeTo(workspaceId, 'growth');
    if (checkout === undefined) throw new Error('no checkout');
    await shop.confirm(workspaceId, await shop.pay(checkout));
    const { plan, allowance } = await shop.account(workspaceId);
    expect(plan).toBe('growth');
    expect(allowance).toBeGreaterThan(99_990);
    expect(allowance).toBeLessThanOrEqual(100_000);
    await until(
      'the cancellation',
      async () => shop.sandbox.state.subscriptions.get(gatewayId)?.status === 'cancelled',
    );
    expect(await invoicesOf(workspaceId)).toHaveLength(2);
    expect(await subscriptionOf(workspaceId)).toMatchObject({ plan: 'growth', state: 'active', netMinor: 790_000 });
  });

  it('costs and adds what its preview of some minutes ago showed, also where an hour of the period has passed since', async () => {
    const { workspaceId } = await subscribed();
    // A period of 720 hours, of which 99 are left now, and 100 were two minutes ago.
    const now = Date.now();
    const paidUntil = new Date(now + 99 * 3_600_000 - 60_000);
    await shop.billing.database.sql(
      'UPDATE billing.subscriptions SET paid_from = $2, paid_until = $3 WHERE workspace_id = $1',
      [workspaceId, new Date(paidUntil.getTime() - 720 * 3_600_000), paidUntil],
    );
    const before = (await shop.account(workspaceId)).allowance ?? 0;
    const { preview } = await changeTo(workspaceId, 'growth', true);
    expect(preview?.allowanceAdded).toBe(11_000);
    const shownAt = new Date(now - 120_000);
    const { checkout } = await changeTo(workspaceId, 'growth', false, shownAt);
    if (checkout === undefined) throw new Error('no checkout');
    expect(checkout.amountMinor).toBeGreaterThan(preview?.dueMinor ?? 0);
    await shop.confirm(workspaceId, await shop.pay(checkout));
    expect(((await shop.account(workspaceId)).allowance ?? 0) - before).toBe(11_111);
  });

  it('is refused with the time of a preview that is older than 15 minutes, or later than now', async () => {
    const { workspaceId } = await subscribed();
    for (const minutes of [-16, 1])
      await expect(
        changeTo(workspaceId, 'growth', false, new Date(Date.now() + minutes * 60_000)),
      ).rejects.toMatchObject({ code: 'validation', message: expect.stringContaining('another preview') });
  });

  it('is downgraded with the payment of the next period, and not if that is called off', async () => {
    const { workspaceId, gatewayId } = await subscribed('growth');
    await changeTo(workspaceId, 'starter');
    expect((await subscriptionOf(workspaceId))?.next).toMatchObject({ plan: 'starter' });
    await shop.billing.peer.call(Rpc.keepSubscription, {}, callerIn(workspaceId));
    expect((await subscriptionOf(workspaceId))?.next).toBeUndefined();
    await expect(shop.billing.peer.call(Rpc.keepSubscription, {}, callerIn(workspaceId))).rejects.toMatchObject({
      code: 'conflict',
    });
    await changeTo(workspaceId, 'starter');
    await renewInSandbox(shop.sandbox, gatewayId, 'paid');
    await until('the downgrade', async () => (await shop.account(workspaceId)).plan === 'starter');
    expect((await invoicesOf(workspaceId)).map(({ totalMinor }) => totalMinor)).toEqual([224_200, 932_200]);
  });

  it('is renewed by the message of the gateway, with an invoice and a later end', async () => {
    const { workspaceId, gatewayId } = await subscribed();
    const before = (await subscriptionOf(workspaceId))?.currentEnd;
    await renewInSandbox(shop.sandbox, gatewayId, 'paid');
    await until('the renewal', async () => (await invoicesOf(workspaceId)).length === 2);
    const after = await subscriptionOf(workspaceId);
    expect(after?.currentStart).toEqual(before);
    expect(await shop.account(workspaceId)).toMatchObject({ plan: 'starter', allowance: 20_000 });
  });

  it('is past due after an unpaid renewal, active again after it is paid, and free after the gateway gives up', async () => {
    const { workspaceId, gatewayId } = await subscribed();
    const endPeriod = () =>
      shop.billing.database.sql(
        `UPDATE billing.subscriptions SET paid_until = now() - interval '1 minute' WHERE gateway_id = $1`,
        [gatewayId],
      );
    await endPeriod();
    await renewInSandbox(shop.sandbox, gatewayId, 'failed');
    await until('the past due state', async () => (await subscriptionOf(workspaceId))?.state === 'past_due');
    expect(await shop.account(workspaceId)).toMatchObject({ plan: 'starter', pastDue: true });
    await renewInSandbox(shop.sandbox, gatewayId, 'paid');
    await until('the active state', async () => (await subscriptionOf(workspaceId))?.state === 'active');
    expect(await shop.account(workspaceId)).toMatchObject({ plan: 'starter', pastDue: false });
    await endPeriod();
    await renewInSandbox(shop.sandbox, gatewayId, 'halted');
    await until('the free plan', async () => (await shop.account(workspaceId)).plan === 'free');
    expect(await subscriptionOf(workspaceId)).toBeUndefined();
  });

  it('is cancelled at the end of the period, and the cancellation can not be called off', async () => {
    const { workspaceId, gatewayId } = await subscribed();
    await shop.billing.peer.call(Rpc.cancelSubscription, {}, callerIn(workspaceId));
    expect(await subscriptionOf(workspaceId)).toMatchObject({ state: 'active', cancelAtEnd: true });
    await until(
      'the cancellation',
      async () => shop.sandbox.state.subscriptions.get(gatewayId)?.cancels_at_end === true,
    );
    await expect(shop.billing.peer.call(Rpc.keepSubscription, {}, callerIn(workspaceId))).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(changeTo(workspaceId, 'growth')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('of a means of payment that can not be changed is not downgraded, and the reason says what to do', async () => {
    const workspaceId = newWorkspace();
    const checkout = await shop.subscribe(workspaceId, 'growth');
    await shop.confirm(workspaceId, await shop.pay(checkout, 'upi'));
    await expect(changeTo(workspaceId, 'starter')).rejects.toThrow(
      /cancel the subscription and subscribe to "starter"/,
    );
    expect((await subscriptionOf(workspaceId))?.next).toBeUndefined();
  });

  it('is not for sub-accounts', async () => {
    const [parent, child] = [newWorkspace(), newWorkspace()];
    shop.billing.identity.snapshot.set(child, { parentId: parent });
    await expect(shop.subscribe(child)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('documents', () => {
  it('are numbered without gaps, and are readable by their workspace only', async () => {
    const { workspaceId } = await subscribed();
    const rows = await shop.billing.database.sql<{ number: string }>(
      `SELECT number FROM billing.documents WHERE kind = 'invoice' ORDER BY number`,
    );
    const numbers = rows.map(({ number }) => Number(number.split('/').at(-1)));
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    const [invoice] = await invoicesOf(workspaceId);
    const read = (id: string) => shop.billing.peer.call(Rpc.renderDocument, { id: invoice?.id ?? '' }, callerIn(id));
    const { html } = await read(workspaceId);
    expect(html).toContain('Harbour &lt;Exports&gt; &amp; Co');
    expect(html).toContain('IGST 18 %');
    await expect(read(newWorkspace())).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('messages of the gateway', () => {
  it('are refused without a valid signature and for an unknown gateway', async () => {
    const send = (gateway: string) =>
      shop.billing.peer.call(Rpc.receiveMessage, { gateway, body: Buffer.from('{}'), headers: {} }, anonymous());
    await expect(send('razorpay')).rejects.toMatchObject({ code: 'validation' });
    await expect(send('paypal')).rejects.toMatchObject({ code: 'not_found' });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PaymentServiceService as Rpc } from '@tidemark/contracts/billing/v1/payments';
import { callerIn, newWorkspace, until } from '@tidemark/testkit';
import { pay } from '../../../deploy/payment-sandbox/sandbox-charges.ts';
import { renewInSandbox } from './sandbox-under-test.ts';
import { type Shop, startShop } from './shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
  // Every comparison and every message is processed by two processes.
  await shop.billing.replica(shop.env);
}, 60_000);
afterAll(() => shop.close());

const sql = <T extends object>(text: string, values: readonly unknown[]) =>
  shop.billing.database.sql<T>(text, [...values]);
const invoicesOf = async (workspaceId: string) =>
  (await shop.billing.peer.call(Rpc.listInvoices, { cursor: '', limit: 10 }, callerIn(workspaceId))).invoices;

interface Row {
  readonly id: string;
  readonly state: string;
  readonly reason: string;
  readonly amount: string;
  readonly reported: boolean;
}
const rowOf = async (gatewayId: string) =>
  (
    await sql<Row>(
      `SELECT id, state, reason, amount_minor AS amount, reported_at IS NOT NULL AS reported FROM billing.unmatched_payments
       WHERE order_id = $1 OR subscription_id = $1`,
      [gatewayId],
    )
  )[0];
const reaches = (gatewayId: string, state: string) =>
  until(`an unmatched payment that is ${state}`, async () => (await rowOf(gatewayId))?.state === state);
/** Makes the next comparison of an open payment due now, as after `minutes`. */
const wait = (gatewayId: string, minutes: number) =>
  sql(
    `UPDATE billing.unmatched_payments SET found_at = now() - make_interval(mins => $2), next_at = now()
     WHERE order_id = $1 OR subscription_id = $1`,
    [gatewayId, minutes],
  );

describe('a captured payment', () => {
  it('of an order that is not stored yet is kept, reported to the operator, and credited once when the order appears', async () => {
    const workspaceId = newWorkspace();
    const checkout = await shop.buy(workspaceId);
    await sql('UPDATE billing.orders SET gateway_id = NULL WHERE id = $1', [checkout.id]);
    const { paymentId } = await shop.pay(checkout);
    await reaches(checkout.orderId, 'open');
    expect(await rowOf(checkout.orderId)).toEqual({
      id: paymentId,
      state: 'open',
      reason: 'unknown_object',
      amount: '129800',
      reported: false,
    });
    await wait(checkout.orderId, 20);
    await until('the report to the operator', async () => (await rowOf(checkout.orderId))?.reported === true);
    await sql('UPDATE billing.orders SET gateway_id = $2 WHERE id = $1', [checkout.id, checkout.orderId]);
    await wait(checkout.orderId, 20);
    await reaches(checkout.orderId, 'matched');
    expect(await shop.account(workspaceId)).toMatchObject({ purchased: 10_000 });
    expect(await invoicesOf(workspaceId)).toMatchObject([{ totalMinor: 129_800, state: 'paid' }]);
  });

  it('that another message or a confirmation settles is no longer open', async () => {
    const workspaceId = newWorkspace();
    const checkout = await shop.buy(workspaceId);
    await sql('UPDATE billing.orders SET gateway_id = NULL WHERE id = $1', [checkout.id]);
    const paid = await shop.pay(checkout);
    await reaches(checkout.orderId, 'open');
    await sql('UPDATE billing.orders SET gateway_id = $2 WHERE id = $1', [checkout.id, checkout.orderId]);
    expect(await shop.confirm(workspaceId, paid)).toBe(true);
    expect(await rowOf(checkout.orderId)).toMatchObject({ state: 'matched' });
    expect(await shop.account(workspaceId)).toMatchObject({ purchased: 10_000 });
  });

  it('of an order that another payment has paid is refunded once, without credits and without an invoice', async () => {
    const workspaceId = newWorkspace();
    const checkout = await shop.buy(workspaceId);
    await shop.confirm(workspaceId, await shop.pay(checkout));
    const second = pay(shop.sandbox.state, {
      amount: 129_800,
      currency: 'INR',
      method: 'upi',
      orderId: checkout.orderId,
      succeeds: true,
      now: Math.floor(Date.now() / 1_000),
    });
    for (let i = 0; i < 3; i += 1) shop.sandbox.webhooks.send('payment.captured', { payment: second });
    await reaches(checkout.orderId, 'refunded');
    expect(await rowOf(checkout.orderId)).toMatchObject({ id: second.id, reason: 'order_paid_twice' });
    // As after a process that ended between the refund and the write of its result.
    await sql(`UPDATE billing.unmatched_payments SET state = 'open', next_at = now() WHERE id = $1`, [second.id]);
    await reaches(checkout.orderId, 'refunded');
    expect(shop.sandbox.state.payments.get(second.id)).toMatchObject({ status: 'refunded', amount_refunded: 129_800 });
    const refunds = [...shop.sandbox.state.refunds.values()].filter(({ payment_id: id }) => id === second.id);
    expect(refunds).toHaveLength(1);
    expect(await shop.account(workspaceId)).toMatchObject({ purchased: 10_000 });
    expect(await invoicesOf(workspaceId)).toMatchObject([{ totalMinor: 129_800, state: 'paid' }]);
  });

  it('of another amount than its order stays open, and ends when an operator refunds it at the gateway', async () => {
    const workspaceId = newWorkspace();
    const checkout = await shop.buy(workspaceId);
    const order = shop.sandbox.state.orders.get(checkout.orderId);
    shop.sandbox.state.orders.set(checkout.orderId, { ...order, amount: 10_000 } as never);
    const { paymentId } = await shop.pay(checkout);
    await reaches(checkout.orderId, 'open');
    expect(await rowOf(checkout.orderId)).toMatchObject({ id: paymentId, reason: 'amount_differs', amount: '10000' });
    await shop.refund(paymentId, 10_000);
    await wait(checkout.orderId, 20);
    await reaches(checkout.orderId, 'refunded');
    expect(await shop.account(workspaceId)).toMatchObject({ purchased: 0 });
    expect(await invoicesOf(workspaceId)).toEqual([]);
  });

  it('of a subscription that owes another amount stays open, and the plan is not renewed by it', async () => {
    const workspaceId = newWorkspace();
    const checkout = await shop.subscribe(workspaceId);
    await shop.confirm(workspaceId, await shop.pay(checkout));
    const subscription = shop.sandbox.state.subscriptions.get(checkout.subscriptionId);
    const item = { name: 'Charged by hand', description: '', amount: 7_700 };
    subscription?.addons.push({ id: 'ao_1', subscription_id: checkout.subscriptionId, item });
    await renewInSandbox(shop.sandbox, checkout.subscriptionId, 'paid');
    await reaches(checkout.subscriptionId, 'open');
    expect(await rowOf(checkout.subscriptionId)).toMatchObject({ reason: 'nothing_due', amount: '231900' });
    expect(await invoicesOf(workspaceId)).toHaveLength(1);
  });
});

describe('a message about an object that stays unknown', () => {
  it('is kept as dropped after its last attempt', async () => {
    shop.sandbox.webhooks.send('subscription.charged', { subscription: { id: 'sub_of_nothing' } });
    const messages = () =>
      sql<{ state: string }>(`SELECT state FROM billing.gateway_messages WHERE subscription_id = 'sub_of_nothing'`, []);
    await until('the message to be stored', async () => (await messages()).length === 1);
    await until('the last attempt', async () => {
      // Again each time: an attempt that was in progress sets the time of the next one.
      await sql(
        `UPDATE billing.gateway_messages SET attempts = 7, next_at = now()
         WHERE subscription_id = 'sub_of_nothing' AND state = 'new'`,
        [],
      );
      return (await messages())[0]?.state === 'dropped';
    });
  });
});

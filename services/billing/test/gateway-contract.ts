import { expect } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import type { ContractCase } from '@tidemark/testkit';
import type { GatewayPlan, PaymentGateway, ReceivedMessage } from '../src/payments/port/gateway.ts';

/** A gateway with a person who completes its checkouts, and the messages that it has sent. */
export interface GatewayUnderTest {
  readonly gateway: PaymentGateway;
  /** Completes a checkout. @returns what checkout returns; undefined if the payment failed */
  complete(
    kind: 'order' | 'subscription',
    id: string,
    outcome: 'paid' | 'failed',
  ): Promise<{ paymentId: string; signature: string } | undefined>;
  renew(subscriptionId: string, outcome: 'paid' | 'failed' | 'halted'): Promise<void>;
  /** Waits for the message of this type about an object. */
  message(type: string, gatewayId: string): Promise<ReceivedMessage>;
  /** False if the gateway does not sign the result of a checkout. */
  readonly signsCheckout: boolean;
  /** Types of the messages of a paid order and of a renewal. */
  readonly types: { readonly paid: string; readonly renewed: string };
}

const customer = () => ({ workspaceId: newId('ws'), name: 'Harbour Ltd', email: `${newId('usr')}@example.com` });
const starter: GatewayPlan = {
  plan: 'starter',
  name: 'Starter',
  period: 'month',
  currency: 'INR',
  grossMinor: 224_200,
};
const growth: GatewayPlan = { ...starter, plan: 'growth', name: 'Growth', grossMinor: 932_200 };
const orderOf = (ref = newId('job')) => ({
  ref,
  customer: customer(),
  amountMinor: 129_800,
  currency: 'INR',
  text: '10,000 credits',
});

async function paidOrder({ gateway, complete }: GatewayUnderTest) {
  const id = await gateway.order(orderOf());
  const result = await complete('order', id, 'paid');
  return { id, paymentId: result?.paymentId ?? '', signature: result?.signature ?? '' };
}

async function paidSubscription({ gateway, complete }: GatewayUnderTest) {
  const id = await gateway.start({ ref: newId('job'), customer: customer(), plan: starter, upfront: undefined });
  const result = await complete('subscription', id, 'paid');
  return { id, paymentId: result?.paymentId ?? '', signature: result?.signature ?? '' };
}

/** What every adapter guarantees. */
export const gatewayContract: readonly ContractCase<GatewayUnderTest>[] = [
  {
    title: 'creates one order for a repeated request',
    async run({ gateway }) {
      const request = orderOf();
      expect(await gateway.order(request)).toBe(await gateway.order(request));
    },
  },
  {
    title: 'creates one subscription for a repeated request',
    async run({ gateway }) {
      const request = { ref: newId('job'), customer: customer(), plan: starter, upfront: undefined };
      expect(await gateway.start(request)).toBe(await gateway.start(request));
    },
  },
  {
    title: 'reports a captured payment of an order with its amount',
    async run(under) {
      const { id, paymentId } = await paidOrder(under);
      const payments = await under.gateway.fetchOrder(id);
      expect(payments).toEqual([
        expect.objectContaining({
          id: paymentId,
          state: 'captured',
          amountMinor: 129_800,
          currency: 'INR',
          refundedMinor: 0,
        }),
      ]);
      expect(await under.gateway.fetchPayment(paymentId)).toMatchObject({ id: paymentId, state: 'captured' });
    },
  },
  {
    title: 'reports no captured payment after a failed checkout',
    async run({ gateway, complete }) {
      const id = await gateway.order(orderOf());
      expect(await complete('order', id, 'failed')).toBeUndefined();
      const states = (await gateway.fetchOrder(id)).map(({ state }) => state);
      expect(states).not.toContain('captured');
    },
  },
  {
    title: 'charges the price of a plan at checkout, with the period that it pays for',
    async run(under) {
      const { id, paymentId } = await paidSubscription(under);
      const { state, payments } = await under.gateway.fetchSubscription(id);
      expect(state).toBe('active');
      expect(payments).toEqual([expect.objectContaining({ id: paymentId, state: 'captured', amountMinor: 224_200 })]);
      const [payment] = payments;
      const days = ((payment?.period?.end.getTime() ?? 0) - (payment?.period?.start.getTime() ?? 0)) / 86_400_000;
      expect(days).toBeGreaterThan(27.9);
      expect(days).toBeLessThan(31.1);
    },
  },
  {
    title: 'charges only the upfront amount of an upgrade at checkout',
    async run({ gateway, complete }) {
      const upfront = { grossMinor: 354_000, text: 'Upgrade to Growth', at: new Date(Date.now() + 15 * 86_400_000) };
      const id = await gateway.start({ ref: newId('job'), customer: customer(), plan: growth, upfront });
      await complete('subscription', id, 'paid');
      const { payments } = await gateway.fetchSubscription(id);
      expect(payments.filter(({ state }) => state === 'captured').map(({ amountMinor }) => amountMinor)).toEqual([
        354_000,
      ]);
    },
  },
  {
    title: 'charges a changed plan from the next period on, and the old one after the change is called off, also twice',
    async run(under) {
      const { gateway, renew } = under;
      const { id } = await paidSubscription(under);
      await gateway.change(id, growth);
      await gateway.keep(id);
      // As after a lost response.
      await gateway.keep(id);
      await renew(id, 'paid');
      await gateway.change(id, growth);
      await renew(id, 'paid');
      const { payments } = await gateway.fetchSubscription(id);
      expect(payments.map(({ amountMinor }) => amountMinor)).toEqual([932_200, 224_200, 224_200]);
    },
  },
  {
    title: 'adds a charge to the next payment, once for a repeated request',
    async run(under) {
      const { id } = await paidSubscription(under);
      const charge = { subscriptionId: id, ref: newId('job'), amountMinor: 5_000, currency: 'INR', text: 'Overage' };
      await under.gateway.addCharge(charge);
      await under.gateway.addCharge(charge);
      await under.renew(id, 'paid');
      expect((await under.gateway.fetchSubscription(id)).payments[0]?.amountMinor).toBe(229_200);
    },
  },
  {
    title: 'reports an unpaid renewal, and a subscription that ended after it',
    async run(under) {
      const { id } = await paidSubscription(under);
      await under.renew(id, 'failed');
      expect((await under.gateway.fetchSubscription(id)).state).toBe('unpaid');
      await under.renew(id, 'halted');
      expect((await under.gateway.fetchSubscription(id)).state).toBe('closed');
    },
  },
  {
    title: 'cancels a subscription, once or repeatedly',
    async run(under) {
      const { id } = await paidSubscription(under);
      await under.gateway.cancel(id, 'now');
      await under.gateway.cancel(id, 'now');
      expect((await under.gateway.fetchSubscription(id)).state).toBe('closed');
    },
  },
  {
    title: 'refunds a part once for a repeated request, and refuses more than was paid',
    async run(under) {
      const { paymentId } = await paidOrder(under);
      const ref = newId('job');
      const { id } = await under.gateway.refund({ paymentId, ref, amountMinor: 29_800 });
      expect((await under.gateway.refund({ paymentId, ref, amountMinor: 29_800 })).id).toBe(id);
      expect((await under.gateway.fetchPayment(paymentId)).refundedMinor).toBe(29_800);
      const beyond = under.gateway.refund({ paymentId, ref: newId('job'), amountMinor: 100_001 });
      await expect(beyond).rejects.toMatchObject({ code: 'conflict' });
    },
  },
  {
    title: 'accepts the result of a checkout for its own order and for no other',
    async run(under) {
      const { gateway, signsCheckout } = under;
      if (!signsCheckout) return;
      const { id, paymentId, signature } = await paidOrder(under);
      const other = await gateway.order(orderOf());
      const result = { kind: 'order', gatewayId: id, paymentId, signature } as const;
      expect(gateway.verifyCheckout(result)).toBe(true);
      expect(gateway.verifyCheckout({ ...result, gatewayId: other })).toBe(false);
      expect(
        gateway.verifyCheckout({ ...result, signature: signature.replace(/.$/, (c) => (c === '0' ? '1' : '0')) }),
      ).toBe(false);
      const subscription = await paidSubscription(under);
      expect(gateway.verifyCheckout({ kind: 'subscription', gatewayId: subscription.id, ...subscription })).toBe(true);
    },
  },
  {
    title: 'reads a signed message, and refuses a changed one',
    async run(under) {
      const { id } = await paidOrder(under);
      const message = await under.message(under.types.paid, id);
      const event = under.gateway.readEvent(message);
      expect(event).toMatchObject({ type: under.types.paid, orderId: id });
      expect(event.id).not.toBe('');
      const changed = Buffer.from(Buffer.from(message.body).toString('utf8').replace('129800', '100'));
      expect(() => under.gateway.readEvent({ ...message, body: changed })).toThrow(
        expect.objectContaining({ code: 'validation' }),
      );
      expect(() => under.gateway.readEvent({ ...message, headers: {} })).toThrow(
        expect.objectContaining({ httpStatus: 400 }),
      );
    },
  },
  {
    title: 'names the subscription in the message of a renewal',
    async run(under) {
      const { id } = await paidSubscription(under);
      await under.renew(id, 'paid');
      const event = under.gateway.readEvent(await under.message(under.types.renewed, id));
      expect(event.subscriptionId).toBe(id);
    },
  },
];

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { createGuard, createHttpClient, parseAllowList } from '@tidemark/egress';
import { SITE_ADDRESS, until } from '@tidemark/testkit';
import type { ReceivedMessage } from '../src/payments/port/gateway.ts';
import { StripeGateway } from '../src/payments/stripe/stripe-gateway.ts';
import { type GatewayUnderTest, gatewayContract } from './gateway-contract.ts';
import { memoryIds } from './sandbox-under-test.ts';
import { STRIPE_KEYS, StripeFake, signStripe } from './stripe-fake.ts';

type Under = GatewayUnderTest & { readonly fake: StripeFake; close(): Promise<void> };

async function startStripeUnderTest(): Promise<Under> {
  const received: ReceivedMessage[] = [];
  const fake = new StripeFake(({ body, signature }) =>
    received.push({ body: Buffer.from(body), headers: { 'stripe-signature': signature } }),
  );
  const site = await fake.listen();
  const http = createHttpClient(createGuard({ allow: parseAllowList(SITE_ADDRESS) }));
  const settings = {
    kind: 'stripe' as const,
    url: `${site.origin}/v1`,
    keyId: 'pk_test_1',
    secretKey: STRIPE_KEYS.secretKey,

    webhookSecrets: [STRIPE_KEYS.webhookSecret],
    returnUrl: 'https://console.example/billing',
  };
  return {
    fake,
    gateway: new StripeGateway(settings, { http, ids: memoryIds() }),
    types: { paid: 'checkout.session.completed', renewed: 'invoice.paid' },
    signsCheckout: false,
    async complete(_kind, id, outcome) {
      const paymentId = fake.complete(id, outcome);
      return outcome === 'paid' ? { paymentId, signature: 'none' } : undefined;
    },
    renew: async (id, outcome) => fake.renew(id, outcome),
    async message(type, gatewayId) {
      const find = () =>
        received.findLast(({ body }) => {
          const text = Buffer.from(body).toString('utf8');
          return text.includes(`"${type}"`) && text.includes(gatewayId);
        });
      await until(`the message ${type}`, async () => find() !== undefined);
      const found = find();
      if (found === undefined) throw new Error(`no message ${type}`);
      return found;
    },
    async close() {
      await Promise.all([site.close(), http.close()]);
    },
  };
}

let under: Under;
beforeAll(async () => {
  under = await startStripeUnderTest();
}, 30_000);
afterAll(() => under.close());

const customer = { workspaceId: newId('ws'), name: 'Harbour Ltd', email: 'harbour@example.com' };
const starter = { plan: 'starter', name: 'Starter', period: 'month', currency: 'USD', grossMinor: 1_900 } as const;

describe('the adapter of Stripe', () => {
  it.each(gatewayContract)('$title', ({ run }) => run(under));

  it('sends an idempotency key with every request that creates an object', () => {
    expect(under.fake.unkeyed).toEqual([]);
  });

  it('names the page of the first invoice of a subscription, and none once it is paid', async () => {
    const id = await under.gateway.start({ ref: newId('sub'), customer, plan: starter, upfront: undefined });
    expect(await under.gateway.checkoutUrl('subscription', id)).toMatch(/^https:\/\/invoice\.stripe\.com\//);
    await under.complete('subscription', id, 'paid');
    expect(await under.gateway.checkoutUrl('subscription', id)).toBeUndefined();
  });

  it('names the page of an order, and the page that puts in a new card', async () => {
    const order = { ref: newId('ord'), customer, amountMinor: 1_100, currency: 'USD', text: '10,000 credits' };
    const id = await under.gateway.order(order);
    expect(await under.gateway.checkoutUrl('order', id)).toBe(`https://checkout.stripe.com/c/pay/${id}`);
    const subscription = await under.gateway.start({ ref: newId('sub'), customer, plan: starter, upfront: undefined });
    expect((await under.gateway.card(subscription))['url']).toMatch(/^https:\/\/billing\.stripe\.com\//);
  });

  it('refuses a change of the length of the period, which Stripe would charge at once', async () => {
    const id = await under.gateway.start({ ref: newId('sub'), customer, plan: starter, upfront: undefined });
    await under.complete('subscription', id, 'paid');
    const yearly = { ...starter, period: 'year' as const, grossMinor: 19_000 };
    await expect(under.gateway.change(id, yearly)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('refuses a message whose signature is older than five minutes', async () => {
    const id = await under.gateway.order({
      ref: newId('ord'),
      customer,
      amountMinor: 1_100,
      currency: 'USD',
      text: 'x',
    });
    await under.complete('order', id, 'paid');
    const { body } = await under.message('checkout.session.completed', id);
    const signedAt = (seconds: number) => ({
      body,
      headers: { 'stripe-signature': signStripe(Buffer.from(body).toString('utf8'), seconds) },
    });
    const now = Math.floor(Date.now() / 1_000);
    expect(under.gateway.readEvent(signedAt(now - 200)).orderId).toBe(id);
    expect(() => under.gateway.readEvent(signedAt(now - 400))).toThrow(expect.objectContaining({ httpStatus: 400 }));
  });
});

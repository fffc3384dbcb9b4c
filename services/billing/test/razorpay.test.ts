import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGuard, createHttpClient, parseAllowList } from '@tidemark/egress';
import { SITE_ADDRESS, startWebSite } from '@tidemark/testkit';
import { RazorpayGateway } from '../src/payments/razorpay/razorpay-gateway.ts';
import { gatewayContract } from './gateway-contract.ts';
import { memoryIds, SANDBOX_KEYS, startRazorpayUnderTest } from './sandbox-under-test.ts';

let under: Awaited<ReturnType<typeof startRazorpayUnderTest>>;
beforeAll(async () => {
  under = await startRazorpayUnderTest();
});
afterAll(() => under.close());

describe('the adapter of Razorpay', () => {
  it.each(gatewayContract)('$title', ({ run }) => run(under));

  it('refuses the result of a subscription that is presented for an order with swapped ids', async () => {
    const request = {
      ref: 'sub_1',
      customer: { workspaceId: 'ws_1', name: 'A', email: 'a@example.com' },
      upfront: undefined,
    };
    const plan = { plan: 'starter', name: 'Starter', period: 'month', currency: 'INR', grossMinor: 100_000 } as const;
    const id = await under.gateway.start({ ...request, plan });
    const result = await under.complete('subscription', id, 'paid');
    const order = await under.gateway.order({
      ...request,
      ref: 'ord_1',
      amountMinor: 100_000,
      currency: 'INR',
      text: 'pack',
    });
    const { paymentId = '', signature = '' } = result ?? {};
    // The signature fits the swapped pair; the id of the order comes from our row.
    expect(under.gateway.verifyCheckout({ kind: 'order', gatewayId: paymentId, paymentId: id, signature })).toBe(true);
    expect(under.gateway.verifyCheckout({ kind: 'order', gatewayId: order, paymentId, signature })).toBe(false);
  });

  it('accepts messages that are signed with the secret before a rotation', async () => {
    const settings = {
      url: '',
      checkoutPage: undefined,
      ...SANDBOX_KEYS,
      webhookSecrets: ['new-secret', SANDBOX_KEYS.webhookSecret],
    };
    const http = createHttpClient(createGuard({ allow: parseAllowList('') }));
    const rotated = new RazorpayGateway(settings, { http, ids: memoryIds() });
    const id = await under.gateway.order({
      ref: 'ord_2',
      customer: { workspaceId: 'ws_2', name: 'B', email: 'b@example.com' },
      amountMinor: 50_000,
      currency: 'INR',
      text: 'pack',
    });
    await under.complete('order', id, 'paid');
    expect(rotated.readEvent(await under.message('order.paid', id)).orderId).toBe(id);
    await http.close();
  });

  it.each([
    ['an HTML page', 200, '<html>maintenance</html>'],
    ['a server error', 502, '{"error":{"description":"bad gateway"}}'],
    ['an object of another form', 200, '{"entity":"order"}'],
  ])('reports a gateway that answers with %s as unavailable', async (_, status, body) => {
    const site = await startWebSite((_request, response) => response.writeHead(status).end(body));
    const http = createHttpClient(createGuard({ allow: parseAllowList(SITE_ADDRESS) }));
    const settings = { url: site.origin, checkoutPage: undefined, ...SANDBOX_KEYS, webhookSecrets: [] };
    const gateway = new RazorpayGateway(settings, { http, ids: memoryIds() });
    await expect(gateway.fetchOrder('order_1')).rejects.toMatchObject({ code: 'unavailable' });
    await Promise.all([site.close(), http.close()]);
  });
});

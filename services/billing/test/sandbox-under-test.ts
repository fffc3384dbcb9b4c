import { createGuard, createHttpClient, parseAllowList } from '@tidemark/egress';
import { createLogger } from '@tidemark/service';
import { SITE_ADDRESS, startWebSite, until } from '@tidemark/testkit';
import { type Sandbox, startSandbox } from '../../../deploy/payment-sandbox/sandbox-server.ts';
import type { ReceivedMessage } from '../src/payments/port/gateway.ts';
import type { GatewayIds } from '../src/payments/port/gateway-ids.ts';
import { RazorpayGateway } from '../src/payments/razorpay/razorpay-gateway.ts';
import type { GatewayUnderTest } from './gateway-contract.ts';

export const SANDBOX_KEYS = {
  keyId: 'rzp_sandbox_test',
  keySecret: 'secret-of-the-key',
  webhookSecret: 'secret-of-the-webhook',
};

/** Keeps the ids of a gateway in memory. */
export function memoryIds(): GatewayIds {
  const ids = new Map<string, string>();
  return {
    find: async (kind, key) => ids.get(`${kind} ${key}`),
    async save(kind, key, id) {
      const stored = ids.get(`${kind} ${key}`) ?? id;
      ids.set(`${kind} ${key}`, stored);
      return stored;
    },
  };
}

/** Completes a checkout of the sandbox over its page, as a browser does. @returns undefined if the payment failed */
export async function completeInSandbox(
  sandbox: Pick<Sandbox, 'url'>,
  { kind, id, outcome, method = 'card' }: { kind: string; id: string; outcome: string; method?: string },
): Promise<{ paymentId: string; signature: string } | undefined> {
  const form = new URLSearchParams({
    [`${kind}_id`]: id,
    outcome,
    method,
    return_url: 'http://console.example/billing',
  });
  const response = await fetch(`${sandbox.url}/checkout`, { method: 'POST', body: form, redirect: 'manual' });
  const result = new URLSearchParams(new URL(response.headers.get('location') ?? '').hash.slice(1));
  const paymentId = result.get('razorpay_payment_id');
  return paymentId === null ? undefined : { paymentId, signature: result.get('razorpay_signature') ?? '' };
}

/** Renews a subscription of the sandbox now. */
export async function renewInSandbox(sandbox: Pick<Sandbox, 'url'>, id: string, outcome: string): Promise<void> {
  const body = JSON.stringify({ subscription_id: id, outcome });
  await fetch(`${sandbox.url}/sandbox/renew`, { method: 'POST', body });
}

/** Starts a sandbox with the adapter of Razorpay, and a receiver of its messages. */
export async function startRazorpayUnderTest(): Promise<
  GatewayUnderTest & { sandbox: Sandbox; close(): Promise<void> }
> {
  const received: ReceivedMessage[] = [];
  const receiver = await startWebSite(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    received.push({ body: Buffer.concat(chunks), headers });
    response.end();
  });
  const http = createHttpClient(createGuard({ allow: parseAllowList(SITE_ADDRESS) }));
  const log = createLogger('test', 'silent');
  const keys = { ...SANDBOX_KEYS, host: SITE_ADDRESS, port: 0, webhookUrl: `${receiver.origin}/hook` };
  const sandbox = await startSandbox(keys, { http, log });
  const settings = {
    kind: 'razorpay' as const,
    url: `${sandbox.url}/v1`,
    keyId: SANDBOX_KEYS.keyId,
    keySecret: SANDBOX_KEYS.keySecret,
    webhookSecrets: [SANDBOX_KEYS.webhookSecret],
    checkoutPage: `${sandbox.url}/checkout`,
  };
  const textOf = ({ body }: ReceivedMessage): string => Buffer.from(body).toString('utf8');
  return {
    sandbox,
    gateway: new RazorpayGateway(settings, { http, ids: memoryIds() }),
    signsCheckout: true,
    types: { paid: 'order.paid', renewed: 'subscription.charged' },
    complete: (kind, id, outcome) => completeInSandbox(sandbox, { kind, id, outcome }),
    renew: (id, outcome) => renewInSandbox(sandbox, id, outcome),
    async message(type, gatewayId) {
      const matches = (message: ReceivedMessage) =>
        textOf(message).includes(`"${type}"`) && textOf(message).includes(gatewayId);
      await until(`the message ${type}`, async () => received.some(matches));
      const found = received.find(matches);
      if (found === undefined) throw new Error(`no message ${type}`);
      return found;
    },
    async close() {
      await Promise.all([sandbox.close(), http.close(), receiver.close()]);
    },
  };
}

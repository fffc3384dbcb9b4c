import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@tidemark/contracts';
import { type Checkout, PaymentServiceService as Rpc } from '@tidemark/contracts/billing/v1/payments';
import { createGuard, createHttpClient, parseAllowList } from '@tidemark/egress';
import { createLogger } from '@tidemark/service';
import { anonymous, callerIn, SITE_ADDRESS, startWebSite } from '@tidemark/testkit';
import { type Sandbox, startSandbox } from '../../../deploy/payment-sandbox/sandbox-server.ts';
import { type BillingServers, startBillingServers } from './billing-servers.ts';
import { completeInSandbox, SANDBOX_KEYS } from './sandbox-under-test.ts';

/** A billing service that sells through a sandbox, whose messages reach it as through the gateway. */
export interface Shop {
  readonly billing: BillingServers;
  readonly sandbox: Sandbox;
  /** Settings of the service, for a replica. */
  readonly env: Readonly<Record<string, string>>;
  /** Refunds a part of a payment in the sandbox. */
  refund(paymentId: string, amount: number): Promise<void>;
  /** Pays a checkout in the sandbox. */
  pay(checkout: Checkout, method?: string): Promise<{ id: string; paymentId: string; signature: string }>;
  subscribe(workspaceId: string, plan?: string, period?: string): Promise<StartedCheckout>;
  buy(workspaceId: string, quantity?: number): Promise<StartedCheckout>;
  /** Confirms a paid checkout. @returns whether the payment is complete */
  confirm(workspaceId: string, paid: { id: string; paymentId: string; signature: string }): Promise<boolean>;
  /** Plan and buckets of an account. */
  account(workspaceId: string): Promise<{ plan: string; allowance: number; purchased: number; pastDue: boolean }>;
  close(): Promise<void>;
}

/** A checkout with the id that its kind has at the gateway; the other one is ''. */
export type StartedCheckout = Checkout & { readonly orderId: string; readonly subscriptionId: string };

/** As the API gateway: a sale calls the payment gateway several times. */
export const SALE = { deadlineMs: 45_000 } as const;

export const DETAILS = {
  legalName: 'Harbour <Exports> & Co',
  address: '1 Quay Road\nPune',
  country: 'IN',
  state: 'MH',
  taxId: '27ABCDE1234F1Z5',
  email: 'accounts@example.com',
};

const SELLER = {
  name: 'Tidemark Software',
  address: '2 Shore Road\nBengaluru',
  country: 'IN',
  state: 'KA',
  taxId: '29ABCDE1234F1Z5',
  email: 'billing@example.com',
  tax: { kind: 'gst', rate: 1_800 },
};

export interface ShopOptions {
  /** False: the messages of the sandbox are lost. */
  readonly sendsMessages?: boolean;
  /** Starts what stands between billing and the sandbox. @returns its URL */
  readonly front?: (sandboxUrl: string) => Promise<string>;
  /** Settings of the service in the process of the test. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a shop. */
export async function startShop({ sendsMessages = true, front, settings = {} }: ShopOptions = {}): Promise<Shop> {
  let billing: BillingServers | undefined;
  const hook = await startWebSite(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const message = { gateway: 'razorpay', body: Buffer.concat(chunks), headers };
    const status = await (billing?.peer.call(Rpc.receiveMessage, message, anonymous()) ?? Promise.reject()).then(
      () => 200,
      () => 500,
    );
    response.writeHead(status).end();
  });
  const http = createHttpClient(createGuard({ allow: parseAllowList(SITE_ADDRESS) }));
  const webhookUrl = sendsMessages ? `${hook.origin}/hooks` : '';
  const log = createLogger('test', 'silent');
  const sandbox = await startSandbox({ ...SANDBOX_KEYS, host: SITE_ADDRESS, port: 0, webhookUrl }, { http, log });
  const seller = join(tmpdir(), `seller-${newId('req')}.json`);
  await writeFile(seller, JSON.stringify(SELLER));
  const env = {
    PAYMENT_GATEWAY: 'razorpay',
    RAZORPAY_URL: `${(await front?.(sandbox.url)) ?? sandbox.url}/v1`,
    RAZORPAY_KEY_ID: SANDBOX_KEYS.keyId,
    RAZORPAY_KEY_SECRET: SANDBOX_KEYS.keySecret,
    RAZORPAY_WEBHOOK_SECRETS: SANDBOX_KEYS.webhookSecret,
    TIDEMARK_SELLER: seller,
    TIDEMARK_EGRESS_ALLOW: SITE_ADDRESS,
  };
  billing = await startBillingServers({ ...env, ...settings });
  return {
    ...useShop(billing, sandbox),
    env,
    close: async () => {
      await billing?.close();
      await Promise.all([sandbox.close(), http.close(), hook.close()]);
    },
  };
}

function useShop(billing: BillingServers, sandbox: Sandbox): Omit<Shop, 'close' | 'env'> {
  const required = (checkout: Checkout | undefined): StartedCheckout => {
    if (checkout === undefined) throw new Error('no checkout');
    return { ...checkout, orderId: checkout.orderId ?? '', subscriptionId: checkout.subscriptionId ?? '' };
  };
  return {
    billing,
    sandbox,
    async pay({ kind, id, orderId, subscriptionId }, method = 'card') {
      const gatewayId = (kind === 'order' ? orderId : subscriptionId) ?? '';
      const result = await completeInSandbox(sandbox, { kind, id: gatewayId, outcome: 'paid', method });
      return { id, paymentId: result?.paymentId ?? '', signature: result?.signature ?? '' };
    },
    async subscribe(workspaceId, plan = 'starter', period = 'month') {
      const request = { plan, period, currency: 'INR', details: DETAILS };
      return required((await billing.peer.call(Rpc.subscribe, request, callerIn(workspaceId), SALE)).checkout);
    },
    async buy(workspaceId, quantity = 1) {
      const request = {
        pack: 'credits_10000',
        quantity,
        currency: 'INR',
        details: DETAILS,
        idempotencyKey: '',
        requestHash: '',
      };
      return required((await billing.peer.call(Rpc.buyCredits, request, callerIn(workspaceId), SALE)).checkout);
    },
    async refund(paymentId, amount) {
      const credentials = Buffer.from(`${SANDBOX_KEYS.keyId}:${SANDBOX_KEYS.keySecret}`).toString('base64');
      const response = await fetch(`${sandbox.url}/v1/payments/${paymentId}/refund`, {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}` },
        body: JSON.stringify({ amount, receipt: newId('req') }),
      });
      if (!response.ok) throw new Error(`refund failed with status ${response.status}`);
    },
    confirm: async (workspaceId, paid) =>
      (await billing.peer.call(Rpc.confirm, paid, callerIn(workspaceId), SALE)).isComplete,
    async account(workspaceId) {
      const [row] = await billing.database.sql<{
        plan: string;
        allowance: string;
        purchased: string;
        pastDue: boolean;
      }>(
        `SELECT plan, allowance_left AS allowance, purchased_left AS purchased, is_past_due AS "pastDue" FROM billing.accounts WHERE workspace_id = $1`,
        [workspaceId],
      );
      return {
        plan: row?.plan ?? '',
        allowance: Number(row?.allowance ?? 0),
        purchased: Number(row?.purchased ?? 0),
        pastDue: row?.pastDue ?? false,
      };
    },
  };
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BillingDemo, startBillingDemo } from '../../deploy/local/billing-demo.ts';
import { buildConsole } from '../../deploy/local/console-build.ts';
import { hostPlan } from '../../deploy/local/host-process.ts';
import { fleetKeys } from '../../deploy/local/local-keys.ts';
import { choosePorts, LOOPBACK } from '../../deploy/local/ports.ts';
import { TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { Supervised } from '../../deploy/local/supervise.ts';
import type { ApiResponse } from './api.ts';
import { catalogueIn } from './catalogue.ts';
import type { FleetAddress } from './fleet.ts';
import { startOwnGateway } from './own-gateway.ts';
import { People, type Person } from './people.ts';

/** The gateway of a running fleet that sells, beside the one that does not. */
export interface Shop {
  /** Address of the REST API and of the console. */
  readonly url: string;
  readonly sandboxUrl: string;
  /** Settings of its billing process. */
  readonly env: Readonly<Record<string, string>>;
  readonly people: People;
  /** Pays a checkout, or lets the payment fail, as the page of the sandbox does. @returns what it returns to the console */
  complete(checkout: ShownCheckout, outcome?: 'paid' | 'failed'): Promise<URLSearchParams>;
  /** Pays a checkout and confirms it. @returns the response to the confirmation */
  pay(person: Person, checkout: ShownCheckout): Promise<ApiResponse>;
  /** Refunds a part of a payment at the gateway. */
  refund(paymentId: string, amount: number): Promise<void>;
  /** Charges the next period of a subscription now, or lets that fail. */
  renew(subscriptionId: string, outcome: 'paid' | 'failed'): Promise<void>;
  /** Moves the clock of the gateway: a subscription that is paid in the past has a period that ends earlier. */
  moveClock(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** The fields of a checkout that complete it. */
export interface ShownCheckout {
  readonly id: string;
  readonly kind: string;
  readonly subscriptionId: string | null;
  readonly orderId: string | null;
}

const SELLER = {
  name: 'Tidemark Software',
  address: '2 Shore Road\nBengaluru',
  country: 'IN',
  state: 'KA',

  taxId: '29ABCDE1234F1Z5',
  email: 'billing@example.com',
  tax: { kind: 'gst', rate: 1_800 },
};

/**
 * Starts a sandbox of a payment gateway, a second process of billing that sells through it, and a gateway of its own in front of them.
 * The other services are those of the fleet.
 */
export async function startShop(fleet: FleetAddress): Promise<Shop> {
  const ports = join(fleet.dataDir, `shop-${process.pid}.json`);
  const port = await choosePorts(ports, ['rest', 'grpc', 'http']);
  const demo = await startBillingDemo({ dataDir: fleet.dataDir, restPort: port('rest') }, {});
  const billing = await startBilling(fleet, demo, port);
  const consoleDir = await buildConsole();
  const selling = { ...fleet, grpc: { ...fleet.grpc, billing: `${LOOPBACK}:${port('grpc')}` } };
  const gateway = await startOwnGateway(selling, { CONSOLE_DIR: consoleDir }, port('rest'));
  const complete = (checkout: ShownCheckout, outcome: 'paid' | 'failed' = 'paid') =>
    completeCheckout(demo.url, checkout, outcome);
  return {
    url: gateway.url,
    sandboxUrl: demo.url,
    env: demo.env,
    people: new People(gateway.url),
    complete,
    async pay(person, checkout) {
      const paid = await complete(checkout);
      const body = { payment_id: paid.get('razorpay_payment_id'), signature: paid.get('razorpay_signature') };
      return person.post('/me/billing/confirm', { id: checkout.id, ...body });
    },
    async refund(paymentId, amount) {
      const keys = `${demo.env['RAZORPAY_KEY_ID']}:${demo.env['RAZORPAY_KEY_SECRET']}`;
      const response = await fetch(`${demo.url}/v1/payments/${paymentId}/refund`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(keys).toString('base64')}` },
        body: JSON.stringify({ amount, receipt: crypto.randomUUID() }),
      });
      if (!response.ok) throw new Error(`the refund failed with status ${response.status}`);
    },
    renew: (subscriptionId, outcome) => control(demo.url, 'renew', { subscription_id: subscriptionId, outcome }),
    moveClock: (seconds) => control(demo.url, 'clock', { offset_seconds: seconds }),
    async close() {
      await gateway.close();
      await billing.stop();
      await demo.close();
    },
  };
}

/** Writes the file of a seller, which a payment gateway needs. @returns its path, the value of `TIDEMARK_SELLER` */
export function writeSeller(folder: string): string {
  const file = join(folder, 'seller.json');
  writeFileSync(file, JSON.stringify(SELLER));
  return file;
}

async function startBilling(
  fleet: FleetAddress,
  { env }: BillingDemo,
  port: (name: 'grpc' | 'http') => number,
): Promise<Supervised> {
  const settings = {
    DATABASE_URL: fleet.databaseUrl,
    NATS_URL: fleet.natsUrl,
    IDENTITY_ADDR: fleet.grpc['identity'] ?? '',
    GRPC_LISTEN: `${LOOPBACK}:${port('grpc')}`,
    HTTP_LISTEN: `${LOOPBACK}:${port('http')}`,

    LOG_LEVEL: 'info',
    FLEET_KEYS: fleetKeys(fleet.dataDir),
    TIDEMARK_SELLER: writeSeller(fleet.dataDir),
    ...env,
    TIDEMARK_CATALOGUE: process.env['TIDEMARK_CATALOGUE'] ?? catalogueIn(fleet.dataDir),
  };
  const at = { dataDir: fleet.dataDir, toolsDir: TOOLS_DIR };
  const plan = hostPlan(`billing-${port('grpc')}`, new Map([['billing', settings]]), at);
  const supervised = new Supervised(plan, { keepAlive: false, onChange() {}, onUnexpectedEnd() {} });
  await supervised.start();
  return supervised;
}

/** Calls an operation of the sandbox itself. */
async function control(sandboxUrl: string, operation: string, body: object): Promise<void> {
  const response = await fetch(`${sandboxUrl}/sandbox/${operation}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${operation} failed with status ${response.status}: ${await response.text()}`);
}

/** Submits the form of the payment page as a browser does. */
async function completeCheckout(
  sandboxUrl: string,
  checkout: ShownCheckout,
  outcome: string,
): Promise<URLSearchParams> {
  const { orderId, subscriptionId } = checkout;
  const id = orderId === null ? { subscription_id: subscriptionId ?? '' } : { order_id: orderId };
  const form = new URLSearchParams({ ...id, outcome, method: 'card', return_url: 'http://console.example/' });
  const response = await fetch(`${sandboxUrl}/checkout`, { method: 'POST', body: form, redirect: 'manual' });
  return new URLSearchParams(new URL(response.headers.get('location') ?? '').hash.slice(1));
}

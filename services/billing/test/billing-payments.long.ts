import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { type Checkout, PaymentServiceService as Rpc } from '@tidemark/contracts/billing/v1/payments';
import { callerIn, newWorkspace, type RunningService, until } from '@tidemark/testkit';
import { FAULTS, type Fault, type Front, startFaultyFront } from './faulty-front.ts';
import { spawnBilling } from './kill-at.ts';
import { renewInSandbox } from './sandbox-under-test.ts';
import { DETAILS, SALE, type Shop, startShop } from './shop.ts';

const MONTH_MINOR = 224_200;

let front: Front;
let shop: Shop;
let replica: RunningService;
beforeAll(async () => {
  shop = await startShop({
    front: async (url) => {
      front = await startFaultyFront(url);
      return front.url;
    },
    settings: { SWEEP_SECONDS: '3600' },
  });
  replica = await shop.billing.replica({ ...shop.env, SWEEP_SECONDS: '3600' });
}, 60_000);
afterAll(async () => {
  await shop.close();
  await front.close();
});

afterEach(() => front.repair());

const sql = <T extends object>(text: string, values: readonly unknown[]) =>
  shop.billing.database.sql<T>(text, [...values]);
const invoicesOf = async (workspaceId: string) =>
  (await shop.billing.peer.call(Rpc.listInvoices, { cursor: '', limit: 10 }, callerIn(workspaceId))).invoices;
const subscriptionOf = async (workspaceId: string) =>
  (await shop.billing.peer.call(Rpc.getSubscription, {}, callerIn(workspaceId))).subscription;
const change = (workspaceId: string, plan: string) =>
  shop.billing.peer.call(
    Rpc.changeSubscription,
    { plan, period: 'month', preview: false },
    callerIn(workspaceId),
    SALE,
  );

async function subscribed(plan = 'starter') {
  const workspaceId = newWorkspace();
  const checkout = await shop.subscribe(workspaceId, plan);
  await shop.confirm(workspaceId, await shop.pay(checkout));
  return { workspaceId, gatewayId: checkout.subscriptionId };
}

function buy(workspaceId: string, idempotencyKey: string) {
  const request = {
    pack: 'credits_10000',
    quantity: 1,
    currency: 'INR',
    details: DETAILS,
    idempotencyKey,
    requestHash: 'a',
  };
  return shop.billing.peer.call(Rpc.buyCredits, request, callerIn(workspaceId), SALE);
}

/** Requests that change something at the gateway, apart from the plans and customers that were created before. */
const CHANGES = /^(POST|PATCH|DELETE) \/v1\/(subscriptions|orders|payments)/;
const EVERY = /./;

/** Runs every operation with a fault, and expects that each reports that the gateway can not be reached. */
async function expectUnavailable(operations: readonly (() => Promise<unknown>)[]): Promise<void> {
  const results = await Promise.all(
    operations.map((run) =>
      run().then(
        () => 'done',
        (error: { code?: string }) => error.code,
      ),
    ),
  );
  expect(results).toEqual(operations.map(() => 'unavailable'));
}

/** Expects that money, credits and documents of a workspace agree. */
async function expectPaid(workspaceId: string, amounts: readonly number[]): Promise<void> {
  const [sums] = await sql<Record<string, string>>(
    `SELECT (SELECT coalesce(sum(amount_minor), 0) FROM billing.payments WHERE workspace_id = $1)::text AS paid,
       (SELECT coalesce(sum(purchased), 0) FROM billing.ledger WHERE workspace_id = $1)::text AS entries,
       (SELECT purchased_left FROM billing.accounts WHERE workspace_id = $1)::text AS bucket`,
    [workspaceId],
  );
  expect((await invoicesOf(workspaceId)).map(({ totalMinor }) => totalMinor).toSorted((a, b) => a - b)).toEqual(
    amounts,
  );
  expect(sums?.['paid']).toBe(String(amounts.reduce((sum, amount) => sum + amount, 0)));
  expect(sums?.['bucket']).toBe(sums?.['entries']);
}

describe.each(FAULTS)('while requests to the gateway are %s', (fault: Fault) => {
  it('sales and changes fail with 503 within their deadline, and repeated after it are made once', async () => {
    // A plan and its price are created at the gateway once; the customers of these workspaces too.
    const [fresh, buyer] = [newWorkspace(), newWorkspace()];
    const [upgraded, downgraded, kept, ended] = [
      await subscribed(),
      await subscribed('growth'),
      await subscribed('growth'),
      await subscribed(),
    ];
    await change(kept.workspaceId, 'starter');
    const key = newId('req');
    front.break(fault, CHANGES);
    const operations = [
      () => shop.subscribe(fresh),
      () => buy(buyer, key),
      () => change(upgraded.workspaceId, 'growth'),
      () => change(downgraded.workspaceId, 'starter'),
      () => shop.billing.peer.call(Rpc.keepSubscription, {}, callerIn(kept.workspaceId), SALE),
    ];
    // A cancellation is recorded before the gateway is called, and sent again until it is confirmed.
    const cancelling = shop.billing.peer.call(Rpc.cancelSubscription, {}, callerIn(ended.workspaceId), SALE);
    await expectUnavailable(operations);
    await cancelling;
    expect(await subscriptionOf(ended.workspaceId)).toMatchObject({ state: 'active', cancelAtEnd: true });
    front.repair();
    await front.passed();

    const first = await shop.subscribe(fresh);
    await shop.confirm(fresh, await shop.pay(first));
    await expectPaid(fresh, [MONTH_MINOR]);
    const { checkout: order } = await buy(buyer, key);
    await shop.confirm(buyer, await shop.pay(order ?? raise()));
    await expectPaid(buyer, [129_800]);
    expect(await shop.account(buyer)).toMatchObject({ purchased: 10_000 });
    const orders = [...shop.sandbox.state.orders.values()].filter(({ receipt }) => receipt === order?.id);
    expect(orders).toHaveLength(1);

    const { checkout: upgrade } = await change(upgraded.workspaceId, 'growth');
    await shop.confirm(upgraded.workspaceId, await shop.pay(upgrade ?? raise()));
    await expectPaid(upgraded.workspaceId, [MONTH_MINOR, upgrade?.amountMinor ?? 0]);
    await change(downgraded.workspaceId, 'starter').catch((error: { code?: string }) =>
      expect(error.code).toBe('conflict'),
    );
    await shop.billing.peer.call(Rpc.keepSubscription, {}, callerIn(kept.workspaceId), SALE);
    expect((await subscriptionOf(kept.workspaceId))?.next).toBeUndefined();
    for (const { workspaceId, gatewayId } of [downgraded, kept]) {
      await renewInSandbox(shop.sandbox, gatewayId, 'paid');
      await until('the renewal', async () => (await invoicesOf(workspaceId)).length === 2);
    }
    await expectPaid(downgraded.workspaceId, [MONTH_MINOR, 932_200]);
    await expectPaid(kept.workspaceId, [932_200, 932_200]);
    const again = await shop.billing.replica({ ...shop.env, SWEEP_SECONDS: '3600' });
    await until(
      'the cancellation',
      async () => shop.sandbox.state.subscriptions.get(ended.gatewayId)?.cancels_at_end === true,
    );
    await until('its confirmation', async () => {
      const [row] = await sql<{ closing: string | null }>(
        'SELECT closing FROM billing.subscriptions WHERE gateway_id = $1',
        [ended.gatewayId],
      );
      return row?.closing === null;
    });
    await again.close();
  }, 180_000);

  it('confirmations fail with 503, messages are stored, and both count a payment once afterwards', async () => {
    const [confirmed, messaged] = [newWorkspace(), newWorkspace()];
    const checkouts: Checkout[] = [await shop.buy(confirmed), await shop.buy(messaged)];
    shop.sandbox.webhooks.hold();
    const [paid] = [await shop.pay(checkouts[0] ?? raise()), await shop.pay(checkouts[1] ?? raise())];
    front.break(fault, EVERY);
    // The sandbox sends the messages while billing can not fetch what they name; they are answered at once.
    await Promise.all([
      expectUnavailable([() => shop.confirm(confirmed, paid)]),
      shop.sandbox.webhooks.releaseReversed(2),
      until('the failed processing', async () => front.broken.length > 1),
    ]);
    const stored = await sql<{ n: number }>(
      'SELECT count(*)::int AS n FROM billing.gateway_messages WHERE order_id = ANY($1)',
      [checkouts.map(({ orderId }) => orderId)],
    );
    expect(stored[0]?.n).toBeGreaterThanOrEqual(2);
    expect(await shop.account(messaged)).toMatchObject({ purchased: 0 });
    front.repair();
    await Promise.all([
      shop.confirm(confirmed, paid),
      replica.peer.call(Rpc.confirm, paid, callerIn(confirmed), SALE),
      until('the credits of the message', async () => {
        await sql(`UPDATE billing.gateway_messages SET next_at = now() WHERE state = 'new'`, []);
        return (await shop.account(messaged)).purchased === 10_000;
      }),
    ]);
    for (const workspaceId of [confirmed, messaged]) {
      expect(await shop.account(workspaceId)).toMatchObject({ purchased: 10_000 });
      await expectPaid(workspaceId, [129_800]);
    }
  }, 180_000);
});

describe('the overage of a period', () => {
  it.each(['unanswered', 'late'] as const)(
    'is charged once when the process is killed while its request is %s',
    async (fault) => {
      const { workspaceId, gatewayId } = await subscribed();
      await sql(
        `INSERT INTO billing.periods (workspace_id, starts_at, ends_at, plan, overage_used)
         VALUES ($1, now() - interval '31 days', now(), 'starter', 12345)`,
        [workspaceId],
      );
      front.break(fault, /^POST .*addons/);
      const victim = await spawnBilling(shop, 0.5);
      await until('the request', async () => front.broken.length > 0);
      await victim.kill('SIGKILL');
      await victim.close();
      await front.passed();
      front.repair();
      await sql('UPDATE billing.overage_charges SET claimed_until = now() WHERE workspace_id = $1', [workspaceId]);
      const next = await spawnBilling(shop, 0.5);
      await until('the charge', async () => {
        const rows = await sql<{ state: string }>('SELECT state FROM billing.overage_charges WHERE workspace_id = $1', [
          workspaceId,
        ]);
        return rows[0]?.state === 'sent';
      });
      await next.close();
      const addons = shop.sandbox.state.addons.filter(({ subscription_id: id }) => id === gatewayId);
      expect(addons.map(({ item }) => item.amount)).toEqual([174_805]);
      await renewInSandbox(shop.sandbox, gatewayId, 'paid');
      await until('the renewal', async () => (await invoicesOf(workspaceId)).length === 2);
      await expectPaid(workspaceId, [MONTH_MINOR, MONTH_MINOR + 174_805]);
    },
    120_000,
  );
});

function raise(): never {
  throw new Error('no checkout');
}

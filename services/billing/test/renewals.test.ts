import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PaymentServiceService as Rpc } from '@tidemark/contracts/billing/v1/payments';
import { openPool } from '@tidemark/service';
import { callerIn, newWorkspace, until } from '@tidemark/testkit';
import { OverageStore } from '../src/payments/store/overage-store.ts';
import { renewInSandbox } from './sandbox-under-test.ts';
import { type Shop, startShop } from './shop.ts';

let shop: Shop;
let pool: ReturnType<typeof openPool>;
let overage: OverageStore;
beforeAll(async () => {
  shop = await startShop();
  // Every sweep and every message is processed by two processes.
  await shop.billing.replica(shop.env);
  pool = openPool(shop.billing.database.url, 'billing');
  overage = new OverageStore(pool, 'razorpay');
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await shop.close();
});

const sql = <T extends object>(text: string, values: readonly unknown[]) =>
  shop.billing.database.sql<T>(text, [...values]);
const invoicesOf = async (workspaceId: string) =>
  (await shop.billing.peer.call(Rpc.listInvoices, { cursor: '', limit: 10 }, callerIn(workspaceId))).invoices;
const stateOf = async (gatewayId: string) =>
  (await sql<{ state: string }>('SELECT state FROM billing.subscriptions WHERE gateway_id = $1', [gatewayId]))[0]
    ?.state;

async function subscribed(plan = 'starter') {
  const workspaceId = newWorkspace();
  const checkout = await shop.subscribe(workspaceId, plan);
  await shop.confirm(workspaceId, await shop.pay(checkout));
  return { workspaceId, gatewayId: checkout.subscriptionId };
}

/** Moves the period of the allowance to the past, with credits used beyond it. */
const endPeriod = (workspaceId: string, overage: number) =>
  sql(
    `UPDATE billing.accounts SET overage_used = $2, anchor_at = anchor_at - interval '31 days',
       period_start = period_start - interval '31 days', period_end = now() - interval '1 minute' WHERE workspace_id = $1`,
    [workspaceId, overage],
  );
const chargesOf = (workspaceId: string) =>
  sql<{ state: string; gross: string; subscriptionId: string }>(
    `SELECT c.state, c.gross_minor AS gross, s.gateway_id AS "subscriptionId" FROM billing.overage_charges c
     LEFT JOIN billing.subscriptions s ON s.id = c.subscription_id WHERE c.workspace_id = $1`,
    [workspaceId],
  );
const sentTo = (workspaceId: string, gatewayId: string) =>
  until('the charge at the gateway', async () => {
    const [charge] = await chargesOf(workspaceId);
    return charge?.state === 'sent' && charge.subscriptionId === gatewayId;
  });
const addonsOf = (gatewayId: string) =>
  shop.sandbox.state.addons.filter(({ subscription_id: id }) => id === gatewayId).map(({ item }) => item.amount);

describe('the overage of a period', () => {
  it('is charged once with the next payment, to the minor unit, by two processes and after a lost response', async () => {
    const { workspaceId, gatewayId } = await subscribed();
    await endPeriod(workspaceId, 12_345);
    await sentTo(workspaceId, gatewayId);
    // As after a process that ended between the call of the gateway and the write of its result.
    await sql(`UPDATE billing.overage_charges SET state = 'new', claimed_until = now() WHERE workspace_id = $1`, [
      workspaceId,
    ]);
    await sentTo(workspaceId, gatewayId);
    // 12,345 credits at INR 120 for 1,000: 148140; IGST 18 %: 26665.2.
    expect(addonsOf(gatewayId)).toEqual([174_805]);
    await renewInSandbox(shop.sandbox, gatewayId, 'paid');
    await until('the renewal', async () => (await invoicesOf(workspaceId)).length === 2);
    expect((await invoicesOf(workspaceId)).map(({ totalMinor }) => totalMinor)).toEqual([399_005, 224_200]);
    expect(await chargesOf(workspaceId)).toMatchObject([{ state: 'paid', gross: '174805' }]);
    const [invoice] = await invoicesOf(workspaceId);
    const { html } = await shop.billing.peer.call(Rpc.renderDocument, { id: invoice?.id ?? '' }, callerIn(workspaceId));
    expect(html).toMatch(/Overage from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d: 12,345 credits/);
    await renewInSandbox(shop.sandbox, gatewayId, 'paid');
    await until('the next renewal', async () => (await invoicesOf(workspaceId)).length === 3);
    expect((await invoicesOf(workspaceId))[0]).toMatchObject({ totalMinor: 224_200 });
  });

  it('moves to the subscription of an upgrade, because the one before it is charged no more', async () => {
    const { workspaceId, gatewayId } = await subscribed();
    await endPeriod(workspaceId, 1_000);
    await sentTo(workspaceId, gatewayId);
    const request = { plan: 'growth', period: 'month', preview: false };
    const { checkout } = await shop.billing.peer.call(Rpc.changeSubscription, request, callerIn(workspaceId));
    if (checkout?.subscriptionId === undefined) throw new Error('no checkout of a subscription');
    await shop.confirm(workspaceId, await shop.pay(checkout));
    await sentTo(workspaceId, checkout.subscriptionId);
    expect(addonsOf(checkout.subscriptionId)).toContain(14_160);
    await renewInSandbox(shop.sandbox, checkout.subscriptionId, 'paid');
    await until('the renewal', async () => (await invoicesOf(workspaceId)).length === 3);
    expect((await invoicesOf(workspaceId))[0]).toMatchObject({ totalMinor: 932_200 + 14_160 });
  });

  it('in which a subscription ends is counted as waiting, and charged once, with the next subscription of the workspace', async () => {
    const { workspaceId, gatewayId } = await subscribed();
    await sql('UPDATE billing.accounts SET overage_used = 1000 WHERE workspace_id = $1', [workspaceId]);
    await shop.billing.peer.call(Rpc.cancelSubscription, {}, callerIn(workspaceId));
    await sql(`UPDATE billing.subscriptions SET paid_until = now() - interval '1 minute' WHERE gateway_id = $1`, [
      gatewayId,
    ]);
    await renewInSandbox(shop.sandbox, gatewayId, 'paid');
    await until('the free plan', async () => (await shop.account(workspaceId)).plan === 'free');
    await until('the charge', async () => (await chargesOf(workspaceId)).length > 0);
    expect(await chargesOf(workspaceId)).toEqual([{ state: 'new', gross: '14160', subscriptionId: null }]);
    expect(await overage.countWaiting()).toBe(1);
    const next = await shop.subscribe(workspaceId);
    await shop.confirm(workspaceId, await shop.pay(next));
    await sentTo(workspaceId, next.subscriptionId);
    expect(await overage.countWaiting()).toBe(0);
    await renewInSandbox(shop.sandbox, next.subscriptionId, 'paid');
    await until('the renewal', async () => (await invoicesOf(workspaceId)).length === 3);
    expect((await invoicesOf(workspaceId)).map(({ totalMinor }) => totalMinor)).toEqual([238_360, 224_200, 224_200]);
  });

  it('in which the plan is downgraded is charged once, at the price of the plan that used it', async () => {
    const { workspaceId, gatewayId } = await subscribed('growth');
    await sql('UPDATE billing.accounts SET overage_used = 1000 WHERE workspace_id = $1', [workspaceId]);
    const request = { plan: 'starter', period: 'month', preview: false };
    await shop.billing.peer.call(Rpc.changeSubscription, request, callerIn(workspaceId));
    await renewInSandbox(shop.sandbox, gatewayId, 'paid');
    await until('the downgrade', async () => (await shop.account(workspaceId)).plan === 'starter');
    await sentTo(workspaceId, gatewayId);
    await renewInSandbox(shop.sandbox, gatewayId, 'paid');
    await until('the renewal', async () => (await invoicesOf(workspaceId)).length === 3);
    // 1,000 credits at INR 95, with 18 % tax.
    expect((await invoicesOf(workspaceId)).map(({ totalMinor }) => totalMinor)).toEqual([235_410, 224_200, 932_200]);
    expect(await chargesOf(workspaceId)).toMatchObject([{ state: 'paid', gross: '11210' }]);
  });

  it('is waived below the smallest amount that a gateway charges', async () => {
    const { workspaceId, gatewayId } = await subscribed();
    await endPeriod(workspaceId, 5);
    await until('the charge', async () => (await chargesOf(workspaceId)).length > 0);
    expect(await chargesOf(workspaceId)).toMatchObject([{ state: 'waived' }]);
    expect(addonsOf(gatewayId)).toEqual([]);
  });
});

const MONTH_AND_HOUR_SECONDS = 31 * 86_400 + 3_600;

describe('an unpaid renewal', () => {
  const remindersOf = async (workspaceId: string, gatewayId: string) => {
    const [row] = await sql<{ id: string }>('SELECT id FROM billing.subscriptions WHERE gateway_id = $1', [gatewayId]);
    const rows = await sql<{ id: string }>(
      `SELECT id FROM billing.outbox WHERE subject = 'event.renewal.unpaid' AND id LIKE $1 ORDER BY sent_at, id`,
      [`renewal-unpaid:${row?.id}:%`],
    );
    expect(workspaceId).not.toBe('');
    return rows.map(({ id }) => id.split(':').at(-1));
  };
  const moveBack = (gatewayId: string, days: number) =>
    sql(
      `UPDATE billing.subscriptions SET paid_until = paid_until - make_interval(days => $2), past_due_at = past_due_at - make_interval(days => $2)
       WHERE gateway_id = $1`,
      [gatewayId, days],
    );
  /** A renewal that the gateway could not charge: the first month was paid more than a month ago. */
  const failed = async () => {
    shop.sandbox.state.clockOffset = -MONTH_AND_HOUR_SECONDS;
    const { workspaceId, gatewayId } = await subscribed();
    shop.sandbox.state.clockOffset = 0;
    await renewInSandbox(shop.sandbox, gatewayId, 'failed');
    await until('the past due state', async () => (await stateOf(gatewayId)) === 'past_due');
    return { workspaceId, gatewayId };
  };

  it('is mailed on day 0, 1 and 3, and ends in the free plan on day 7, each once', async () => {
    const { workspaceId, gatewayId } = await failed();
    expect(await shop.account(workspaceId)).toMatchObject({ plan: 'starter', pastDue: true });
    const reminders = () => remindersOf(workspaceId, gatewayId);
    expect(await reminders()).toEqual(['1']);
    await moveBack(gatewayId, 1);
    await until('the reminder of day 1', async () => (await reminders()).length === 2);
    await moveBack(gatewayId, 1);
    await renewInSandbox(shop.sandbox, gatewayId, 'failed');
    await moveBack(gatewayId, 1);
    await until('the reminder of day 3', async () => (await reminders()).length === 3);
    await moveBack(gatewayId, 4);
    await renewInSandbox(shop.sandbox, gatewayId, 'failed');
    await until('the end', async () => (await stateOf(gatewayId)) === 'ended');
    expect((await reminders()).toSorted()).toEqual(['1', '2', '3', 'ended']);
    expect(await shop.account(workspaceId)).toMatchObject({ plan: 'free', pastDue: false });
    expect(await invoicesOf(workspaceId)).toHaveLength(1);
  });

  it('is charged to a new card at once, which shows its price before, and ends the past due state', async () => {
    const { workspaceId, gatewayId } = await failed();
    const { checkout } = await shop.billing.peer.call(Rpc.changeCard, {}, callerIn(workspaceId));
    const query = new URLSearchParams({ subscription_id: gatewayId, ...checkout?.options });
    const shown = await (await fetch(`${shop.sandbox.url}/checkout?${query}`)).text();
    expect(shown).toMatch(/INR\s2,242\.00/);
    query.set('outcome', 'paid');
    await fetch(`${shop.sandbox.url}/checkout`, { method: 'POST', body: query });
    await until('the active state', async () => (await stateOf(gatewayId)) === 'active');
    expect(await shop.account(workspaceId)).toMatchObject({ plan: 'starter', pastDue: false });
    expect((await invoicesOf(workspaceId)).map(({ totalMinor }) => totalMinor)).toEqual([224_200, 224_200]);
  });

  it('sends no more reminders once it is paid', async () => {
    const { workspaceId, gatewayId } = await failed();
    await renewInSandbox(shop.sandbox, gatewayId, 'paid');
    await until('the active state', async () => (await stateOf(gatewayId)) === 'active');
    const [row] = await sql<{ reminders: number; at: Date | null }>(
      'SELECT reminders, past_due_at AS at FROM billing.subscriptions WHERE gateway_id = $1',
      [gatewayId],
    );
    expect(row).toEqual({ reminders: 0, at: null });
    expect(await shop.account(workspaceId)).toMatchObject({ plan: 'starter', pastDue: false });
  });
});

describe('billing details', () => {
  const details = { legalName: 'New Harbour Ltd', address: '', country: 'IN', state: 'KA', taxId: '', email: '' };
  const set = (workspaceId: string) =>
    shop.billing.peer.call(Rpc.setBillingDetails, { details }, callerIn(workspaceId));

  it('are named by the invoices after the change', async () => {
    const { workspaceId, gatewayId } = await subscribed();
    await set(workspaceId);
    await renewInSandbox(shop.sandbox, gatewayId, 'paid');
    await until('the renewal', async () => (await invoicesOf(workspaceId)).length === 2);
    const [invoice] = await invoicesOf(workspaceId);
    const { html } = await shop.billing.peer.call(Rpc.renderDocument, { id: invoice?.id ?? '' }, callerIn(workspaceId));
    expect(html).toContain('New Harbour Ltd');
  });

  it('are refused for a sub-account, which buys nothing', async () => {
    const [parent, child] = [newWorkspace(), newWorkspace()];
    shop.billing.identity.snapshot.set(child, { parentId: parent });
    await expect(set(child)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a deleted workspace', () => {
  it('is charged no more, loses its billing details, and keeps its invoices', async () => {
    const { workspaceId, gatewayId } = await subscribed();
    await shop.billing.change({ workspaceId, state: 'deleted', version: 5 });
    await until(
      'the cancellation',
      async () => shop.sandbox.state.subscriptions.get(gatewayId)?.status === 'cancelled',
    );
    expect(await sql('SELECT 1 FROM billing.billing_details WHERE workspace_id = $1', [workspaceId])).toEqual([]);
    expect(await invoicesOf(workspaceId)).toMatchObject([{ totalMinor: 224_200 }]);
  });

  it('gets a credit note for a payment that is refunded later', async () => {
    const workspaceId = newWorkspace();
    const checkout = await shop.buy(workspaceId);
    const { paymentId, ...paid } = await shop.pay(checkout);
    await shop.confirm(workspaceId, { paymentId, ...paid });
    await shop.billing.change({ workspaceId, state: 'deleted', version: 5 });
    await until(
      'the deletion',
      async () => (await sql('SELECT 1 FROM billing.accounts WHERE workspace_id = $1', [workspaceId])).length === 0,
    );
    await shop.refund(paymentId, 129_800);
    await until('the credit note', async () => (await invoicesOf(workspaceId))[0]?.state === 'refunded');
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { BillingServiceService } from '@tidemark/contracts/billing/v1/billing';
import type { CreditSpent } from '@tidemark/contracts/billing/v1/events';
import { anonymous, newWorkspace, until } from '@tidemark/testkit';
import { killAt, spawnBilling } from './kill-at.ts';
import { renewInSandbox } from './sandbox-under-test.ts';
import { type Shop, startShop } from './shop.ts';

const SWEEP_SECONDS = 0.5;
/** Price of 12,345 credits of overage at INR 120 for 1,000, with 18 % tax. */
const OVERAGE = { credits: 12_345, grossMinor: 174_805 };
const MONTH_MINOR = 224_200;

let shop: Shop;
beforeAll(async () => {
  // The service of the shop sweeps nothing: each step runs in the process that is killed, and then in the one after it.
  shop = await startShop({ sendsMessages: false, settings: { SWEEP_SECONDS: '3600' } });
}, 60_000);
afterAll(() => shop.close());

const sql = <T extends object>(text: string, values: readonly unknown[]) =>
  shop.billing.database.sql<T>(text, [...values]);

/** A workspace on the plan starter: 20,000 credits a month. */
async function subscribed() {
  const workspaceId = newWorkspace();
  const checkout = await shop.subscribe(workspaceId);
  await shop.confirm(workspaceId, await shop.pay(checkout));
  return { workspaceId, gatewayId: checkout.subscriptionId };
}

/** Kills a process at a write of `table`, and lets another one work until `isDone`. */
async function killAndContinue(table: string, isDone: () => Promise<boolean>): Promise<void> {
  await killAt(shop, { table, sweepSeconds: SWEEP_SECONDS });
  const next = await spawnBilling(shop, SWEEP_SECONDS);
  try {
    await until('the step to be complete', isDone);
  } finally {
    await next.close();
  }
}

/** Returns whether an account equals its ledger and its leases, and its invoices equal its payments. */
async function exactness(workspaceId: string) {
  const sum = (column: string) =>
    `(SELECT coalesce(sum(${column}), 0) FROM billing.ledger l WHERE l.workspace_id = $1)`;
  const [row] = await sql<Record<string, unknown>>(
    `SELECT allowance_left = ${sum('allowance')} AS allowance, purchased_left = ${sum('purchased')} AS purchased,
       -overage_used = ${sum('overage')} AS overage,
       reserved = (SELECT coalesce(sum(credits), 0) FROM billing.leases l WHERE l.workspace_id = $1) AS reserved,
       (SELECT coalesce(sum(amount_minor), 0) FROM billing.payments p WHERE p.workspace_id = $1) =
         (SELECT coalesce(sum(total_minor), 0) FROM billing.documents d WHERE d.workspace_id = $1 AND kind = 'invoice') AS invoiced
     FROM billing.accounts WHERE workspace_id = $1`,
    [workspaceId],
  );
  return row;
}
const EXACT = { allowance: true, purchased: true, overage: true, reserved: true, invoiced: true };

/** Records a charge as settled, in the bucket `column`. */
async function spend(workspaceId: string, column: 'allowance' | 'overage', credits: number): Promise<void> {
  await sql(
    `INSERT INTO billing.ledger (workspace_id, kind, ref, credits, ${column}) VALUES ($1, 'page', $2, -$3::bigint, -$3::bigint)`,
    [workspaceId, newId('cap'), credits],
  );
  const change = column === 'allowance' ? 'allowance_left = allowance_left - $2' : 'overage_used = overage_used + $2';
  await sql(`UPDATE billing.accounts SET ${change} WHERE workspace_id = $1`, [workspaceId, credits]);
}

describe('a process that is killed while it begins the next period', () => {
  it.each(['ledger', 'periods', 'accounts'])(
    'at a write of %s fills the allowance once, and keeps the overage of the period once',
    async (table) => {
      const { workspaceId } = await subscribed();
      await spend(workspaceId, 'allowance', 20_000);
      await spend(workspaceId, 'overage', 1_234);
      await sql(
        `UPDATE billing.accounts SET anchor_at = anchor_at - interval '31 days', period_start = period_start - interval '31 days',
           period_end = now() - interval '1 minute' WHERE workspace_id = $1`,
        [workspaceId],
      );
      const periods = () =>
        sql<{ n: number }>('SELECT overage_used::int AS n FROM billing.periods WHERE workspace_id = $1', [workspaceId]);
      await killAndContinue(table, async () => (await periods()).length > 0);
      expect(await periods()).toEqual([{ n: 1_234 }]);
      expect(await shop.account(workspaceId)).toMatchObject({ allowance: 20_000 });
      const begun = await sql(`SELECT 1 FROM billing.ledger WHERE workspace_id = $1 AND kind = 'period'`, [
        workspaceId,
      ]);
      expect(begun).toHaveLength(1);
      expect(await exactness(workspaceId)).toEqual(EXACT);
    },
  );
});

describe('a process that is killed while it publishes an alert', () => {
  it.each(['accounts', 'outbox'])('at a write of %s publishes it once', async (table) => {
    const { workspaceId } = await subscribed();
    await spend(workspaceId, 'allowance', 12_000);
    const alerts = () =>
      sql<{ id: string }>('SELECT id FROM billing.outbox WHERE id LIKE $1', [`credits-low:${workspaceId}:%`]);
    await killAndContinue(table, async () => (await alerts()).length > 0);
    expect((await alerts()).map(({ id }) => id.split(':').at(-1))).toEqual(['50']);
    expect(await sql('SELECT alerted FROM billing.accounts WHERE workspace_id = $1', [workspaceId])).toEqual([
      { alerted: 50 },
    ]);
  });
});

describe('a process that is killed while it compares balances with the ledger', () => {
  it('is followed by another that finds the same difference', async () => {
    const [sound, wrong] = [await subscribed(), await subscribed()];
    await sql('UPDATE billing.accounts SET allowance_left = allowance_left - 1 WHERE workspace_id = $1', [
      wrong.workspaceId,
    ]);
    const ids = [sound.workspaceId, wrong.workspaceId];
    await sql(`INSERT INTO billing.balance_checks (workspace_id, due) SELECT unnest($1::text[]), now()`, [ids]);
    const found = async () =>
      new Map(
        (
          await sql<{ id: string; n: number }>(
            'SELECT workspace_id AS id, differences AS n FROM billing.balance_checks WHERE workspace_id = ANY($1) AND due > now()',
            [ids],
          )
        ).map(({ id, n }) => [id, n]),
      );
    await killAndContinue('balance_checks', async () => (await found()).size === 2);
    expect(await found()).toEqual(
      new Map([
        [sound.workspaceId, 0],
        [wrong.workspaceId, 1],
      ]),
    );
  });
});

describe('a process that is killed while it charges the overage of a period', () => {
  it.each(['periods', 'overage_charges'])(
    'at a write of %s adds one charge to the next payment, which one invoice names',
    async (table) => {
      const { workspaceId, gatewayId } = await subscribed();
      await sql(
        `INSERT INTO billing.periods (workspace_id, starts_at, ends_at, plan, overage_used)
         VALUES ($1, now() - interval '31 days', now(), 'starter', $2)`,
        [workspaceId, OVERAGE.credits],
      );
      const states = async () =>
        (
          await sql<{ state: string }>('SELECT state FROM billing.overage_charges WHERE workspace_id = $1', [
            workspaceId,
          ])
        ).map(({ state }) => state);
      await killAndContinue(table, async () => (await states()).includes('sent'));
      const addons = shop.sandbox.state.addons.filter(({ subscription_id: id }) => id === gatewayId);
      expect(addons.map(({ item }) => item.amount)).toEqual([OVERAGE.grossMinor]);
      expect(await states()).toEqual(['sent']);
      // Its message is lost: the comparison with the gateway finds the payment.
      await renewInSandbox(shop.sandbox, gatewayId, 'paid');
      await sql(`UPDATE billing.subscriptions SET paid_until = now() - interval '1 minute' WHERE gateway_id = $1`, [
        gatewayId,
      ]);
      const totals = async () =>
        (
          await sql<{ minor: number }>(
            'SELECT total_minor::int AS minor FROM billing.documents WHERE workspace_id = $1 ORDER BY number',
            [workspaceId],
          )
        ).map(({ minor }) => minor);
      await killAndContinue('overage_charges', async () => (await totals()).length > 1);
      expect(await totals()).toEqual([MONTH_MINOR, MONTH_MINOR + OVERAGE.grossMinor]);
      expect(await states()).toEqual(['paid']);
      expect(await exactness(workspaceId)).toEqual(EXACT);
    },
  );
});

describe('a process that is killed while it compares orders with the gateway', () => {
  it.each(['orders', 'ledger', 'accounts', 'document_series', 'documents', 'payments'])(
    'at a write of %s adds the credits and issues the invoice once',
    async (table) => {
      const workspaceId = newWorkspace();
      const checkout = await shop.buy(workspaceId);
      await shop.pay(checkout);
      await sql(`UPDATE billing.orders SET created_at = now() - interval '20 minutes' WHERE id = $1`, [checkout.id]);
      await killAndContinue(table, async () => (await shop.account(workspaceId)).purchased > 0);
      expect(await shop.account(workspaceId)).toMatchObject({ purchased: 10_000 });
      const invoices = await sql('SELECT total_minor::int AS minor FROM billing.documents WHERE workspace_id = $1', [
        workspaceId,
      ]);
      expect(invoices).toEqual([{ minor: 129_800 }]);
      expect(await exactness(workspaceId)).toEqual(EXACT);
    },
  );
});

describe('a process that is killed while it settles charges', () => {
  const CHARGED = 30;
  const charge = (workspaceId: string): CreditSpent => ({
    ref: newId('cap'),
    workspaceId,
    kind: 'page',
    credits: 3,
    pages: 1,
    at: new Date(),
    actorId: '',
    projectId: '',
  });
  const workspaces = new Map<string, string>();
  const tables = ['ledger', 'accounts', 'usage_days', 'leases'];
  beforeAll(async () => {
    for (const table of tables) workspaces.set(table, (await subscribed()).workspaceId);
    // From here on charges are consumed by the killed processes alone.
    await shop.billing.service.close();
  });

  it.each(tables)('at a write of %s charges every page once and releases its lease', async (table) => {
    const workspaceId = workspaces.get(table) ?? '';
    const charges = Array.from({ length: CHARGED }, () => charge(workspaceId));
    const items = charges.map(({ ref: id }) => ({ id, workspaceId, maxCredits: 5, minCredits: 1 }));
    const leasing = await spawnBilling(shop, 3_600);
    await leasing.peer.call(BillingServiceService.lease, { items }, anonymous());
    await leasing.close();
    for (const one of [...charges, ...charges]) await shop.billing.publish(one);
    const entries = () =>
      sql<{ credits: number }>(`SELECT credits::int FROM billing.ledger WHERE workspace_id = $1 AND kind = 'page'`, [
        workspaceId,
      ]);
    await killAndContinue(table, async () => (await entries()).length === CHARGED);
    expect(await shop.account(workspaceId)).toMatchObject({ allowance: 20_000 - 3 * CHARGED });
    const usage = await sql(
      'SELECT sum(credits)::int AS credits, sum(pages)::int AS pages FROM billing.usage_days WHERE workspace_id = $1',
      [workspaceId],
    );
    expect(usage).toEqual([{ credits: 3 * CHARGED, pages: CHARGED }]);
    expect(await sql('SELECT 1 FROM billing.leases WHERE workspace_id = $1', [workspaceId])).toEqual([]);
    expect(await exactness(workspaceId)).toEqual(EXACT);
  });
});

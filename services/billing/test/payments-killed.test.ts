import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { PaymentServiceService as Rpc } from '@tidemark/contracts/billing/v1/payments';
import { anonymous, callerIn, newWorkspace, type ServiceProcess, spawnService, until } from '@tidemark/testkit';
import pg from 'pg';
import { renewInSandbox, SANDBOX_KEYS } from './sandbox-under-test.ts';
import { type Shop, startShop } from './shop.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
let shop: Shop;
beforeAll(async () => {
  // Messages are sent by the test, to the process that it kills.
  shop = await startShop({ sendsMessages: false });
}, 60_000);
afterAll(() => shop.close());

const invoicesOf = async (workspaceId: string) =>
  (await shop.billing.peer.call(Rpc.listInvoices, { cursor: '', limit: 10 }, callerIn(workspaceId))).invoices;

/** Sends a signed message of the gateway to a process. */
async function sendMessage(
  to: Pick<ServiceProcess, 'peer'>,
  event: string,
  objects: Readonly<Record<string, { readonly id: string }>>,
): Promise<void> {
  const payload = Object.fromEntries(Object.entries(objects).map(([name, entity]) => [name, { entity }]));
  const body = JSON.stringify({ event, payload });
  const signature = createHmac('sha256', SANDBOX_KEYS.webhookSecret).update(body).digest('hex');
  const headers = { 'x-razorpay-signature': signature, 'x-razorpay-event-id': newId('req') };
  await to.peer.call(Rpc.receiveMessage, { gateway: 'razorpay', body: Buffer.from(body), headers }, anonymous());
}

/**
 * Stops every write of a table, runs `work` in a process of its own, and kills that process when it waits for the table.
 * @returns whether `work` was answered before
 */
async function killAt(table: string, work: (victim: ServiceProcess) => Promise<unknown>): Promise<boolean> {
  const { servers, env } = { servers: shop.billing, env: shop.env };
  const identity = { IDENTITY_ADDR: servers.identity.address, SWEEP_SECONDS: '3600' };
  const victim = await spawnService('billing', MAIN, { ...servers.env, ...identity, ...env });
  const holder = new pg.Client({ connectionString: servers.database.url });
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(`LOCK TABLE billing.${table} IN SHARE ROW EXCLUSIVE MODE`);
    const working = work(victim).then(
      () => true,
      () => false,
    );
    await until(`a write of ${table}`, async () => {
      const waiting = 'SELECT 1 FROM pg_locks WHERE NOT granted AND relation = $1::regclass';
      return (await servers.database.sql(waiting, [`billing.${table}`])).length > 0;
    });
    await victim.kill('SIGKILL');
    await holder.query('ROLLBACK');
    return await working;
  } finally {
    await holder.end();
    await victim.close();
  }
}

/** The sums that hold after every sequence of payments. */
async function expectExactMoney(workspaceId: string): Promise<void> {
  const [sums] = await shop.billing.database.sql<Record<string, string>>(
    `SELECT (SELECT coalesce(sum(amount_minor), 0) FROM billing.payments WHERE workspace_id = $1)::text AS paid,
       (SELECT coalesce(sum(total_minor), 0) FROM billing.documents WHERE workspace_id = $1 AND kind = 'invoice')::text AS invoiced,
       (SELECT coalesce(sum(purchased), 0) FROM billing.ledger WHERE workspace_id = $1)::text AS entries,
       (SELECT purchased_left FROM billing.accounts WHERE workspace_id = $1)::text AS bucket`,
    [workspaceId],
  );
  expect(sums?.['invoiced']).toBe(sums?.['paid']);
  expect(sums?.['bucket']).toBe(sums?.['entries']);
  const rows = await shop.billing.database.sql<{ number: string }>(
    `SELECT number FROM billing.documents WHERE kind = 'invoice' ORDER BY number`,
    [],
  );
  const numbers = rows.map(({ number }) => Number(number.split('/').at(-1)));
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
}

describe('a process of billing that is killed', () => {
  it.each(['orders', 'documents', 'payments'])(
    'while a confirmation writes %s leaves nothing behind, and the repeated confirmation counts the payment once',
    async (table) => {
      const workspaceId = newWorkspace();
      const paid = await shop.pay(await shop.buy(workspaceId));
      await killAt(table, (victim) => victim.peer.call(Rpc.confirm, paid, callerIn(workspaceId)));
      expect(await invoicesOf(workspaceId)).toEqual([]);
      expect(await shop.account(workspaceId)).toMatchObject({ purchased: 0 });
      await Promise.all([shop.confirm(workspaceId, paid), shop.confirm(workspaceId, paid)]);
      expect(await invoicesOf(workspaceId)).toMatchObject([{ totalMinor: 129_800 }]);
      expect(await shop.account(workspaceId)).toMatchObject({ purchased: 10_000 });
      await expectExactMoney(workspaceId);
    },
  );

  it('while it stores a payment of an unknown order leaves the message, and another process stores the payment once', async () => {
    const workspaceId = newWorkspace();
    const checkout = await shop.buy(workspaceId);
    await shop.billing.database.sql('UPDATE billing.orders SET gateway_id = NULL WHERE id = $1', [checkout.id]);
    const { paymentId } = await shop.pay(checkout);
    const send = async (to: Pick<ServiceProcess, 'peer'>) =>
      sendMessage(to, 'order.paid', { order: { id: checkout.orderId }, payment: { id: paymentId } });
    if (!(await killAt('unmatched_payments', send))) await send(shop.billing);
    await shop.billing.database.sql(`UPDATE billing.gateway_messages SET next_at = now() WHERE state = 'new'`, []);
    const rows = () =>
      shop.billing.database.sql('SELECT state FROM billing.unmatched_payments WHERE id = $1', [paymentId]);
    await until('the stored payment', async () => (await rows()).length === 1);
    expect(await rows()).toEqual([{ state: 'open' }]);
    await shop.billing.database.sql('UPDATE billing.orders SET gateway_id = $2 WHERE id = $1', [
      checkout.id,
      checkout.orderId,
    ]);
    await shop.billing.database.sql('UPDATE billing.unmatched_payments SET next_at = now() WHERE id = $1', [paymentId]);
    await until('the credits', async () => (await shop.account(workspaceId)).purchased === 10_000);
    expect(await rows()).toEqual([{ state: 'matched' }]);
    await expectExactMoney(workspaceId);
  });

  it.each(['subscriptions'])(
    'while the message of a renewal writes %s leaves the message, which another process applies once',
    async (table) => {
      const workspaceId = newWorkspace();
      const checkout = await shop.subscribe(workspaceId);
      await shop.confirm(workspaceId, await shop.pay(checkout));
      await renewInSandbox(shop.sandbox, checkout.subscriptionId, 'paid');
      const send = (to: Pick<ServiceProcess, 'peer'>) =>
        sendMessage(to, 'subscription.charged', { subscription: { id: checkout.subscriptionId } });
      // A gateway repeats a message that was not answered.
      if (!(await killAt(table, send))) await send(shop.billing);
      // The claim of the killed process ends.
      await shop.billing.database.sql(`UPDATE billing.gateway_messages SET next_at = now() WHERE state = 'new'`, []);
      await until('the renewal', async () => (await invoicesOf(workspaceId)).length === 2);
      expect((await invoicesOf(workspaceId)).map(({ totalMinor }) => totalMinor)).toEqual([224_200, 224_200]);
      await expectExactMoney(workspaceId);
    },
  );
});

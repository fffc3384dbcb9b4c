import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditRecorded } from '@tidemark/contracts/audit/v1/events';
import { PaymentServiceService as Rpc } from '@tidemark/contracts/billing/v1/payments';
import { callerIn, newWorkspace, until } from '@tidemark/testkit';
import { type Shop, startShop } from './shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());

/** Returns the entries of the audit log that billing wrote for a workspace, oldest first. */
async function entriesOf(workspaceId: string) {
  const rows = await shop.billing.database.sql<{ payload: Buffer }>(
    "SELECT payload FROM billing.outbox WHERE subject = 'event.audit.billing' ORDER BY id",
  );
  return rows
    .map(({ payload }) => AuditRecorded.decode(payload))
    .filter((entry) => entry.workspaceId === workspaceId)
    .map(({ action, actorId }) => ({ action, actorId }));
}

describe('the audit log', () => {
  it('has an entry for each change of payments, with the key or person that requested it', async () => {
    const workspaceId = newWorkspace();
    const keyId = 'key_01j5xq2w8se6fa7t0a6q1n3k2m';
    const call = callerIn(workspaceId, { keyId });
    const { peer } = shop.billing;
    const details = { legalName: 'Harbour', address: 'Pier 1', country: 'IN', state: 'KA', taxId: '', email: '' };
    const { checkout } = await peer.call(
      Rpc.subscribe,
      { plan: 'growth', period: 'month', currency: 'INR', details },
      call,
    );
    if (checkout === undefined) throw new Error('no checkout');
    await shop.confirm(workspaceId, await shop.pay(checkout));
    await peer.call(Rpc.changeSubscription, { plan: 'starter', period: 'month', preview: false }, call);
    await peer.call(Rpc.keepSubscription, {}, call);
    await peer.call(Rpc.changeCard, {}, call);
    await peer.call(Rpc.cancelSubscription, {}, call);
    await shop.pay(await shop.buy(workspaceId));
    await until('the purchase', async () => (await shop.account(workspaceId)).purchased > 0);
    const entries = await entriesOf(workspaceId);
    const actionsOf = (actor: string) => entries.filter(({ actorId }) => actorId === actor).map(({ action }) => action);
    expect(actionsOf(keyId).sort()).toEqual([
      'billing_details.changed',
      'card.change_started',
      'subscription.cancelled',
      'subscription.change_scheduled',
      'subscription.kept',
      'subscription.ordered',
    ]);
    // The shop buys with a key of its own; the payment is found by billing.
    expect(actionsOf('key_test').sort()).toEqual(['billing_details.changed', 'credits.ordered']);
    expect(actionsOf('billing')).toEqual(['credits.bought']);
  });
});

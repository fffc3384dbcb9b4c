import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { PaymentServiceService as Rpc } from '@tidemark/contracts/billing/v1/payments';
import { callerIn, newWorkspace, type RunningService, until } from '@tidemark/testkit';
import fc from 'fast-check';
import { renewInSandbox } from './sandbox-under-test.ts';
import { type Shop, startShop } from './shop.ts';

/** Smaller charges are waived. */
const SMALLEST_MINOR = 100;
const PACK = { credits: 10_000, grossMinor: 129_800 };
const MONTH_MINOR = { starter: 224_200, growth: 932_200 };

/** Price of 1,000 credits of overage, minor units without tax. */
const OVERAGE_PER_1000 = { starter: 12_000, growth: 9_500 };
const MAX_CHARGED = 5;

let shop: Shop;
let replica: RunningService;
beforeAll(async () => {
  shop = await startShop();
  replica = await shop.billing.replica(shop.env);
}, 60_000);
afterAll(() => shop.close());

/** What a workspace has bought. */
class Model {
  readonly orders: { readonly paymentId: string; readonly packs: number; refunded: number }[] = [];
  /** Amounts of the payments of subscriptions. */
  readonly charged: number[] = [];
  plan: 'starter' | 'growth' = 'starter';
  /** Amounts of overage that the next payment of the subscription includes. */
  readonly overage: number[] = [];
  periods = 0;
  subscriptionId = '';

  get purchased(): number {
    // As the lesson of billing: a refund removes the same share of the credits, rounded half up.
    const left = ({ packs, refunded }: Model['orders'][number]) =>
      packs * PACK.credits -
      Math.floor((2 * PACK.credits * packs * refunded + PACK.grossMinor * packs) / (2 * PACK.grossMinor * packs));
    return this.orders.reduce((sum, order) => sum + left(order), 0);
  }

  get paid(): number {
    const ofOrders = this.orders.reduce((sum, { packs }) => sum + packs * PACK.grossMinor, 0);
    return this.charged.reduce((sum, amount) => sum + amount, ofOrders);
  }

  get refunded(): number {
    return this.orders.reduce((sum, { refunded }) => sum + refunded, 0);
  }
}

type Step = (model: Model, workspaceId: string) => Promise<void>;

const buy =
  (packs: number, confirmations: number): Step =>
  async (model, workspaceId) => {
    const paid = await shop.pay(await shop.buy(workspaceId, packs));
    const at = [shop.billing.peer, replica.peer];
    const confirming = Array.from({ length: confirmations }, (_, i) =>
      at[i % 2]?.call(Rpc.confirm, paid, callerIn(workspaceId)),
    );
    await Promise.all(confirming);
    model.orders.push({ paymentId: paid.paymentId, packs, refunded: 0 });
  };

const refund =
  (which: number, share: number): Step =>
  async (model) => {
    const order = model.orders[which % Math.max(1, model.orders.length)];
    if (order === undefined) return;
    const amount = Math.floor(((order.packs * PACK.grossMinor - order.refunded) * share) / 100);
    if (amount < 1) return;
    await shop.refund(order.paymentId, amount);
    order.refunded += amount;
  };

const renew: Step = async (model) => {
  // The latest five payments of a subscription are read: more than four months are never late at once.
  if (model.charged.length >= MAX_CHARGED) return;
  await renewInSandbox(shop.sandbox, model.subscriptionId, 'paid');
  const overage = model.overage.splice(0).reduce((sum, amount) => sum + amount, 0);
  model.charged.push(MONTH_MINOR[model.plan] + overage);
};

/** Ends the month of the allowance with credits used beyond it. Two processes charge them. */
const useOverage =
  (credits: number): Step =>
  async (model, workspaceId) => {
    await settled(model, workspaceId);
    // Each period begins at a time of its own, also after a renewal has set the anchor again: the hours are counted from now, not from the anchor.
    model.periods += 1;
    await shop.billing.database.sql(
      `WITH entry AS (INSERT INTO billing.ledger (workspace_id, kind, ref, credits, overage) VALUES ($1, 'page', $2, -$3::bigint, -$3::bigint)),
         began AS (SELECT now() - interval '31 days' - make_interval(hours => $4) AS at)
       UPDATE billing.accounts SET overage_used = overage_used + $3, anchor_at = began.at, period_start = began.at,
         period_end = now() - interval '1 second' FROM began WHERE workspace_id = $1`,
      [workspaceId, newId('cap'), credits, model.periods],
    );
    const net = Math.floor((2 * credits * OVERAGE_PER_1000[model.plan] + 1_000) / 2_000);
    const gross = net + Math.floor((2 * net * 18 + 100) / 200);
    if (gross >= SMALLEST_MINOR) model.overage.push(gross);
    await overageSent(model, workspaceId);
  };

/** Waits until the gateway has the charges of the overage. */
const overageSent = (model: Model, workspaceId: string) =>
  until('the charges of the overage', async () => {
    const [row] = await shop.billing.database.sql<{ sent: string; open: number }>(
      `SELECT coalesce(sum(c.gross_minor) FILTER (WHERE c.state = 'sent' AND s.gateway_id = $2), 0)::text AS sent,
         (SELECT count(*)::int FROM billing.periods p WHERE p.workspace_id = $1 AND overage_used > 0 AND NOT is_billed)
           + (SELECT count(*)::int FROM billing.accounts a WHERE a.workspace_id = $1 AND period_end <= now()) AS open
       FROM billing.overage_charges c JOIN billing.subscriptions s ON s.id = c.subscription_id WHERE c.workspace_id = $1`,
      [workspaceId, model.subscriptionId],
    );
    return row?.open === 0 && Number(row.sent) === model.overage.reduce((sum, amount) => sum + amount, 0);
  });

const upgrade: Step = async (model, workspaceId) => {
  if (model.plan === 'growth') return;
  // The payments before count first: what is due depends on the paid period.
  await settled(model, workspaceId);
  const request = { plan: 'growth', period: 'month', preview: false };
  const { checkout } = await shop.billing.peer.call(Rpc.changeSubscription, request, callerIn(workspaceId));
  if (checkout === undefined) throw new Error('no checkout');
  await shop.confirm(workspaceId, await shop.pay(checkout));
  model.charged.push(checkout.amountMinor);
  Object.assign(model, { plan: 'growth', subscriptionId: checkout.subscriptionId });
  await overageSent(model, workspaceId);
};

/** Repeats and reverses the messages of the steps until the next one that releases them. */
const hold: Step = async () => shop.sandbox.webhooks.hold();
const release: Step = () => shop.sandbox.webhooks.releaseReversed(2);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 3 })).map(([packs, times]) => buy(packs, times)),
  fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 100 })).map(([which, share]) => refund(which, share)),
  fc.constant(renew),
  fc.constant(upgrade),
  fc.integer({ min: 1, max: 3_000 }).map(useOverage),
  fc.constant(hold),
  fc.constant(release),
);

async function stateOf(workspaceId: string) {
  const [row] = await shop.billing.database.sql<Record<string, string>>(
    `SELECT a.plan, a.purchased_left AS purchased, a.allowance_left AS allowance,
       (SELECT coalesce(sum(purchased), 0) FROM billing.ledger l WHERE l.workspace_id = $1) AS "purchasedEntries",
       (SELECT coalesce(sum(allowance), 0) FROM billing.ledger l WHERE l.workspace_id = $1) AS "allowanceEntries",
       (SELECT coalesce(sum(amount_minor), 0) FROM billing.payments p WHERE p.workspace_id = $1) AS paid,
       (SELECT coalesce(sum(total_minor), 0) FROM billing.documents d WHERE d.workspace_id = $1 AND kind = 'invoice') AS invoiced,
       (SELECT coalesce(sum(total_minor), 0) FROM billing.documents d WHERE d.workspace_id = $1 AND kind = 'credit_note') AS credited
     FROM billing.accounts a WHERE workspace_id = $1`,
    [workspaceId],
  );
  const { plan = '', ...numbers } = row ?? {};
  return {
    plan,
    ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)])),
  } as Record<string, string | number>;
}

/** Releases the messages, and waits until everything that was paid and refunded is stored. */
async function settled(model: Model, workspaceId: string): Promise<void> {
  await release(model, workspaceId);
  await until('the payments and refunds', async () => {
    const { paid, credited } = await stateOf(workspaceId);
    return Number(paid) >= model.paid && Number(credited) >= model.refunded;
  });
}

describe('random sequences of sales, renewals, upgrades, overage and refunds', () => {
  it('leave the ledger, the payments and the documents equal to a model, with messages repeated and in reverse order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const [model, workspaceId] = [new Model(), newWorkspace()];
        const checkout = await shop.subscribe(workspaceId);
        await shop.confirm(workspaceId, await shop.pay(checkout));
        model.subscriptionId = checkout.subscriptionId;
        model.charged.push(MONTH_MINOR.starter);
        for (const run of steps) await run(model, workspaceId);
        await settled(model, workspaceId);
        const state = await stateOf(workspaceId);
        expect(state).toMatchObject({
          plan: model.plan,
          purchased: model.purchased,
          purchasedEntries: model.purchased,

          paid: model.paid,
          invoiced: model.paid,
          credited: model.refunded,
        });
        expect(state['allowance']).toBe(state['allowanceEntries']);
      }),
      { numRuns: 5, endOnFailure: true },
    );
    const rows = await shop.billing.database.sql<{ number: string; kind: string }>(
      'SELECT number, kind FROM billing.documents ORDER BY kind, number',
      [],
    );
    for (const numbers of Map.groupBy(rows, ({ kind }) => kind).values())
      expect(numbers.map(({ number }) => Number(number.split('/').at(-1)))).toEqual(numbers.map((_, i) => i + 1));
  });
});

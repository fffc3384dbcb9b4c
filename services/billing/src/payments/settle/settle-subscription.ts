import { inTransaction, type Logger, type Outbox, type OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import { type Buyer, toTaxedLines } from '../../documents/document.ts';
import { issueInvoice } from '../../documents/issue-document.ts';
import { mergeSnapshot, stateAt } from '../../states/subscription-state.ts';
import type { FetchedPayment, FetchedSubscription, PaymentGateway } from '../port/gateway.ts';
import type { DetailsStore } from '../store/details-store.ts';
import type { OverageStore } from '../store/overage-store.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';
import type { UnmatchedStore } from '../store/unmatched-store.ts';
import { type PaidFor, paidFor } from './accept-payment.ts';
import { applyRefund, NO_DETAILS, type RefundDeps } from './apply-refund.ts';
import { isDuplicate, isRejected, returnPayments } from './return-payments.ts';
import { isTaken } from './settle-order.ts';
import { withReminders, writeUnpaid } from './unpaid-renewal.ts';

export interface SettleSubscriptionDeps extends RefundDeps {
  readonly pool: pg.Pool;
  readonly gateway: PaymentGateway;
  readonly subscriptions: SubscriptionStore;
  readonly details: DetailsStore;
  readonly overage: OverageStore;
  readonly unmatched: UnmatchedStore;
  readonly outbox: Pick<Outbox, 'send'>;
  /** Plan of a workspace whose subscription has ended. */
  readonly freePlan: string;
  readonly log: Logger;
}

interface Fetched {
  readonly fetchedAt: Date;
  readonly subscription: FetchedSubscription;
  readonly buyer: Buyer;
}

/**
 * Makes a function that compares a subscription with the gateway: each captured payment counts once, with its invoice and plan, and the state
 * follows. Calls in any order and number have one result. A second subscription of a workspace is cancelled, and its payment refunded. It
 * returns whether the subscription is live.
 */
export function makeSettleSubscription(deps: SettleSubscriptionDeps) {
  const { pool, gateway, subscriptions, outbox, details, now } = deps;
  return async ({
    id,
    workspaceId,
    gatewayId,
  }: Pick<SubscriptionRow, 'id' | 'workspaceId' | 'gatewayId'>): Promise<boolean> => {
    if (gatewayId === null) return false;
    const fetchedAt = now();
    const subscription = await gateway.fetchSubscription(gatewayId);
    const buyer = (await details.find(workspaceId)) ?? NO_DETAILS;
    const fetched = { fetchedAt, subscription, buyer };
    const { row, events } = await inTransaction(pool, (db) => settle(db, id, { fetched, deps })).catch(
      async (error: unknown) => {
        if (!isDuplicate(error)) throw error;
        return { row: await subscriptions.reject(id), events: [] };
      },
    );
    if (isRejected(row)) await returnPayments(gateway, subscription.payments);
    if (events.length > 0) outbox.send(events);
    for (const one of [row, row.replaces === null ? undefined : await subscriptions.byId(row.replaces)])
      if (one !== undefined) await sendCancellation(one, deps);
    return row.state === 'active' || row.state === 'past_due';
  };
}

/** Sends a cancellation that is recorded and not confirmed. A failure is left to the reconciler. */
export async function sendCancellation(
  { id, gatewayId, closing }: Pick<SubscriptionRow, 'id' | 'gatewayId' | 'closing'>,
  { gateway, subscriptions, log }: Pick<SettleSubscriptionDeps, 'gateway' | 'subscriptions' | 'log'>,
): Promise<void> {
  if (closing === null || gatewayId === null) return;
  try {
    await gateway.cancel(gatewayId, closing);
    await subscriptions.closed(id);
  } catch (error) {
    log.warn({ err: error, subscription: id }, 'cancellation at the payment gateway failed, will retry');
  }
}

interface Settling {
  readonly fetched: Fetched;
  readonly deps: SettleSubscriptionDeps;
}

async function settle(
  db: pg.PoolClient,
  id: string,
  { fetched, deps }: Settling,
): Promise<{ row: SubscriptionRow; events: OutgoingEvent[] }> {
  const stored = await deps.subscriptions.lock(db, id);
  if (isRejected(stored)) return { row: stored, events: [] };
  const events: (OutgoingEvent | undefined)[] = [];
  let row = stored;
  const taken = fetched.subscription.payments.filter(isTaken);
  for (const payment of taken.toSorted((a, b) => a.paidAt.getTime() - b.paidAt.getTime())) {
    if (await applyRefund(db, payment, deps)) continue;
    const paid = paidFor(row, payment, await deps.overage.unpaid(db, id));
    if (paid === undefined) {
      deps.log.info({ subscription: id, payment: payment.id }, 'payment pays for nothing that is due, not accepted');
      const ofSubscription = { orderId: '', subscriptionId: stored.gatewayId ?? '' };
      await deps.unmatched.insert({ payment, ...ofSubscription, reason: 'nothing_due' }, db);
      continue;
    }
    row = await acceptPayment(db, { row, payment, paid, buyer: fetched.buyer }, { deps, events });
    await applyRefund(db, payment, deps);
  }
  row = withReminders(withState(row, fetched, deps.now()), deps.now());
  events.push(await onStateChanged(db, stored, { row, deps }));
  const unpaid = await writeUnpaid(db, stored, row);
  if (unpaid !== undefined) events.push(unpaid);
  await deps.subscriptions.save(db, row);
  return { row, events: events.filter((event) => event !== undefined) };
}

interface Accepting {
  readonly row: SubscriptionRow;
  readonly payment: FetchedPayment;
  readonly paid: PaidFor;
  readonly buyer: Buyer;
}

interface Writing {
  readonly deps: SettleSubscriptionDeps;
  readonly events: (OutgoingEvent | undefined)[];
}

/** Stores a payment with its invoice, and gives the plan that it pays for. */
async function acceptPayment(
  db: pg.PoolClient,
  { row, payment, paid, buyer }: Accepting,
  { deps, events }: Writing,
): Promise<SubscriptionRow> {
  const { workspaceId, currency, id: subscriptionId } = row;
  const replaced =
    paid.kind === 'first' && row.replaces !== null ? await endReplaced(db, row.replaces, deps) : undefined;
  const invoiceId = await issueInvoice(db, deps.seller, {
    workspaceId,
    currency,
    buyer,
    lines: toTaxedLines(paid.lines),
    note: row.taxNote,

    paymentId: payment.id,
    issuedAt: deps.now(),
  });
  await deps.payments.insert(db, {
    id: payment.id,
    workspaceId,
    orderId: null,
    subscriptionId,
    currency,
    invoiceId,

    amountMinor: String(payment.amountMinor),
    method: payment.method,
    paidAt: payment.paidAt,
  });
  await deps.overage.paid(db, paid.overage, payment.id);
  const anchorAt = paid.kind === 'changed' ? paid.start : (row.anchorAt ?? paid.start);
  if (paid.kind !== 'renewal') {
    const added = paid.kind === 'first' && row.allowanceAdded > 0 ? { allowanceAdded: row.allowanceAdded } : {};
    const change = { workspaceId, plan: paid.plan, periodStart: anchorAt, ref: `payment:${payment.id}`, ...added };
    events.push(await deps.accounts.setPlan(db, change));
  }
  const samePeriod = replaced?.paidUntil?.getTime() === paid.end.getTime();
  const paidNet = samePeriod ? BigInt(replaced?.paidNetMinor ?? 0) + BigInt(row.dueNetMinor) : BigInt(paid.netMinor);
  return {
    ...row,

    plan: paid.plan,
    netMinor: String(paid.netMinor),
    grossMinor: String(paid.grossMinor),
    renewalLines: paid.renewalLines,

    anchorAt,
    paidFrom: paid.start,
    paidUntil: paid.end,
    paidNetMinor: paidNet.toString(),
    ...(paid.kind === 'changed' ? { next: null } : {}),
  };
}

/** Ends the subscription that an upgrade replaces. The gateway is called after the commit. */
async function endReplaced(
  db: pg.PoolClient,
  id: string,
  { subscriptions, overage, accounts }: SettleSubscriptionDeps,
): Promise<SubscriptionRow> {
  const row = await subscriptions.lock(db, id);
  if (row.state === 'past_due') await accounts.setPastDue(db, row.workspaceId, false);
  if (row.state !== 'ended') await subscriptions.save(db, { ...row, state: 'ended', next: null, closing: 'now' });
  await overage.release(db, id);
  return row;
}

/** Merges the state at the gateway. */
function withState(row: SubscriptionRow, { fetchedAt, subscription }: Fetched, now: Date): SubscriptionRow {
  const known = {
    state: row.state,
    gatewayState: row.gatewayState,
    cancelAtEnd: row.cancelAtEnd,
    createdAtMs: row.createdAt.getTime(),
    paidUntilMs: row.paidUntil?.getTime(),
    fetchedAtMs: row.fetchedAt?.getTime() ?? 0,
  };
  const { state: gatewayState, card } = subscription;
  const snapshot = { fetchedAtMs: fetchedAt.getTime(), gatewayState, cancelAtEnd: false, paidUntilMs: [] };
  const merged = mergeSnapshot(known, snapshot);
  return {
    ...row,
    state: stateAt(merged, now.getTime()),
    gatewayState: merged.gatewayState,
    fetchedAt: new Date(merged.fetchedAtMs),
    card: card === '' ? row.card : card,
  };
}

const isLive = ({ state }: SubscriptionRow): boolean => state === 'active' || state === 'past_due';

/** Applies what a new state means for the account: the free plan after the end, no overage while a renewal is unpaid. */
async function onStateChanged(
  db: pg.PoolClient,
  before: SubscriptionRow,
  { row, deps }: { readonly row: SubscriptionRow; readonly deps: SettleSubscriptionDeps },
): Promise<OutgoingEvent | undefined> {
  if (before.state === row.state) return undefined;
  const { workspaceId, id } = row;
  const isPastDue = row.state === 'past_due';
  if (isPastDue || before.state === 'past_due') await deps.accounts.setPastDue(db, workspaceId, isPastDue);
  if (row.state !== 'ended' || !isLive(before)) return undefined;
  await deps.overage.release(db, id);
  return deps.accounts.setPlan(db, { workspaceId, plan: deps.freePlan, periodStart: null, ref: `${id}:ended` });
}

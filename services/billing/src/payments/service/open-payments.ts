import type { Catalogue } from '@tidemark/catalogue';
import type { HttpClient } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, type Logger, type Outbox, observeCount } from '@tidemark/service';
import type pg from 'pg';
import type { Seller } from '../../documents/seller.ts';
import { makeBuyCredits } from '../checkout/buy-credits.ts';
import { makeBuyerOf } from '../checkout/buyer.ts';
import { makeChangeSubscription, makePlanChange } from '../checkout/change-subscription.ts';
import { makeConfirm } from '../checkout/confirm.ts';
import { makeCancelSubscription, makeChangeCard, makeKeepSubscription } from '../checkout/end-subscription.ts';
import { makeSubscribe } from '../checkout/subscribe.ts';
import { type GatewaySettings, makeGateway } from '../gateway-config.ts';
import { makeBillOverage } from '../overage/bill-overage.ts';
import type { RequirePayer } from '../require-payer.ts';
import { makeAcceptOrder } from '../settle/accept-order.ts';
import { makeAcceptSubscriptionPayment } from '../settle/accept-subscription-payment.ts';
import { makeApplyRefund } from '../settle/apply-refund.ts';
import type { CreditAccounts } from '../settle/credit-accounts.ts';
import { makeMatchPayments, makeSettleKnown } from '../settle/match-payments.ts';
import { makeOnSubscriptionState } from '../settle/on-subscription-state.ts';
import { makeProcessMessages } from '../settle/process-messages.ts';
import { makeReconcile } from '../settle/reconcile.ts';
import { makeSendCancellation } from '../settle/send-cancellation.ts';
import { makeSettleOrder } from '../settle/settle-order.ts';
import { makeSettleSubscription } from '../settle/settle-subscription.ts';
import { makeRemindUnpaid } from '../settle/unpaid-renewal.ts';
import { DetailsStore, GatewayIdStore } from '../store/details-store.ts';
import { discardPayments } from '../store/discard-payments.ts';
import { DocumentViews } from '../store/document-views.ts';
import { MessageStore } from '../store/message-store.ts';
import { OrderStore } from '../store/order-store.ts';
import { OverageStore } from '../store/overage-store.ts';
import { PaymentStore } from '../store/payment-store.ts';
import { SubscriptionStore } from '../store/subscription-store.ts';
import { UnmatchedStore } from '../store/unmatched-store.ts';
import { openTasks } from './open-tasks.ts';
import { closedShop, documentMethods, saleMethods } from './payments-grpc.ts';

export interface PaymentsDeps {
  readonly pool: pg.Pool;
  readonly http: HttpClient;
  /** Undefined: this installation sells nothing. */
  readonly settings: GatewaySettings | undefined;
  readonly catalogue: Catalogue;
  readonly seller: Seller;
  readonly accounts: CreditAccounts;
  readonly outbox: Pick<Outbox, 'send'>;
  readonly requirePayer: RequirePayer;
  /** Plan of a workspace whose subscription has ended. */
  readonly freePlan: string;
  readonly now: () => Date;
  /** How often overage and unpaid renewals are charged and reminded of, ms. */
  readonly sweepMs: number;
  readonly log: Logger;
}

export interface Payments {
  readonly methods: readonly BoundMethod[];
  /** Ends the payments of a deleted workspace. Safe to repeat. */
  discard(workspaceId: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens subscriptions, orders and documents: the methods of PaymentService, and the tasks behind them. */
export function openPayments({
  pool,
  http,
  settings,
  catalogue,
  seller,
  accounts,
  outbox,
  requirePayer,
  freePlan,
  now,
  sweepMs,
  log,
}: PaymentsDeps): Payments {
  const storedName = settings?.kind ?? 'razorpay';
  const subscriptions = new SubscriptionStore(pool, storedName);
  const details = new DetailsStore(pool);
  const views = new DocumentViews(pool);
  const gatewayName = settings?.kind ?? '';
  const reading = documentMethods({ views, subscriptions, details, requirePayer, gatewayName });
  const discard = (workspaceId: string) => discardPayments(pool, workspaceId);
  const gateway = makeGateway(settings, { http, ids: new GatewayIdStore(pool, gatewayKey(settings)) });
  if (gateway === undefined) return { methods: [...reading, ...closedShop()], discard, close: async () => {} };

  const orders = new OrderStore(pool, storedName);
  const payments = new PaymentStore(storedName);
  const messages = new MessageStore(pool, storedName);
  const overage = new OverageStore(pool, storedName);
  const unmatched = new UnmatchedStore(pool, storedName);

  const applyRefund = makeApplyRefund({ payments, orders, accounts, seller, now });
  const acceptOrder = makeAcceptOrder({ accounts, payments, seller, now });
  const settleOrder = makeSettleOrder({ pool, gateway, orders, details, unmatched, acceptOrder, applyRefund, log });
  const sendCancellation = makeSendCancellation({ gateway, subscriptions, log });
  const settleSubscription = makeSettleSubscription({
    pool,
    gateway,
    subscriptions,
    details,
    overage,
    unmatched,
    outbox,
    applyRefund,
    acceptPayment: makeAcceptSubscriptionPayment({ subscriptions, overage, accounts, payments, seller, now }),
    onStateChanged: makeOnSubscriptionState({ accounts, overage, freePlan }),
    sendCancellation,
    now,
    log,
  });
  const settleKnown = makeSettleKnown({ orders, subscriptions, settleOrder, settleSubscription });
  const { plans, packs } = catalogue;
  const tasks = openTasks({
    processMessages: makeProcessMessages({ pool, gateway, messages, unmatched, settleKnown, applyRefund, log }),
    reconcile: makeReconcile({ orders, subscriptions, settleOrder, settleSubscription, log }),
    billOverage: makeBillOverage({ gateway, overage, details, plans, seller, log }),
    remindUnpaid: makeRemindUnpaid({ pool, subscriptions, outbox, now }),
    matchPayments: makeMatchPayments({ gateway, unmatched, settleKnown, log }),
    sweepMs,
    log,
  });
  observeCount('tidemark_overage_waiting', () => overage.countWaiting());
  observeCount('tidemark_unmatched_payments', () => unmatched.countReported());

  const buyerOf = makeBuyerOf({ details, seller });
  const planChange = makePlanChange({ subscriptions, plans, seller, buyerOf, now });
  const methods = saleMethods({
    subscribe: makeSubscribe({ gateway, subscriptions, plans, seller, buyerOf, requirePayer }),
    confirm: makeConfirm({ gateway, orders, subscriptions, settleOrder, settleSubscription }),
    planChange,
    changeSubscription: makeChangeSubscription({ gateway, subscriptions, seller, buyerOf, planChange, now }),
    keepSubscription: makeKeepSubscription({ gateway, subscriptions }),
    cancelSubscription: makeCancelSubscription({ subscriptions, sendCancellation }),
    changeCard: makeChangeCard({ pool, gateway, subscriptions }),
    buyCredits: makeBuyCredits({ gateway, orders, packs, seller, buyerOf, requirePayer }),
    receive: async (message) => {
      if (message.gateway !== gateway.name)
        throw new AppError('not_found', `no payment gateway "${message.gateway.slice(0, 40)}"`);
      await messages.insert(gateway.readEvent(message));
      tasks.processMessages();
    },
  });
  return {
    methods: [...reading, ...methods],
    async discard(workspaceId) {
      await discard(workspaceId);
      tasks.reconcile();
    },
    close: tasks.close,
  };
}

/** Ids of plans and customers belong to an account of the gateway. */
const gatewayKey = (settings: GatewaySettings | undefined): string =>
  `${settings?.kind ?? ''}:${settings?.keyId ?? ''}`;

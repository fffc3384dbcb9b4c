import type { Catalogue } from '@tidemark/catalogue';
import type { HttpClient } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, type Logger, type Outbox, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type pg from 'pg';
import type { Seller } from '../../documents/seller.ts';
import { makeBuyCredits } from '../checkout/buy-credits.ts';
import { makeChangeSubscription } from '../checkout/change-subscription.ts';
import { makeConfirm } from '../checkout/confirm.ts';
import { makeEndSubscription } from '../checkout/end-subscription.ts';
import { makeSubscribe } from '../checkout/subscribe.ts';
import { openGateway } from '../gateway-config.ts';
import type { RazorpaySettings } from '../razorpay/razorpay-gateway.ts';
import { makeBillOverage } from '../settle/bill-overage.ts';
import type { CreditAccounts } from '../settle/credit-accounts.ts';
import { makeProcessMessages } from '../settle/process-messages.ts';
import { makeReconcile } from '../settle/reconcile.ts';
import { makeSettleOrder } from '../settle/settle-order.ts';
import { makeSettleSubscription } from '../settle/settle-subscription.ts';
import { makeRemindUnpaid } from '../settle/unpaid-renewal.ts';
import { DetailsStore, GatewayIdStore } from '../store/details-store.ts';
import { DocumentViews } from '../store/document-views.ts';
import { forgetPayments } from '../store/forget-workspace.ts';
import { MessageStore } from '../store/message-store.ts';
import { OrderStore } from '../store/order-store.ts';
import { OverageStore } from '../store/overage-store.ts';
import { PaymentStore } from '../store/payment-store.ts';
import { SubscriptionStore } from '../store/subscription-store.ts';
import { closedShop, documentMethods, saleMethods } from './payments-grpc.ts';

export interface PaymentsDeps {
  readonly pool: pg.Pool;
  readonly http: HttpClient;
  /** Undefined: this installation sells nothing. */
  readonly settings: RazorpaySettings | undefined;
  readonly catalogue: Catalogue;
  readonly seller: Seller;
  readonly accounts: CreditAccounts;
  readonly outbox: Pick<Outbox, 'send'>;
  /** Opens the credit account of the workspace if it has none. @throws AppError conflict for a sub-account */
  readonly requirePayer: (workspaceId: string) => Promise<void>;
  /** Plan of a workspace whose subscription has ended. */
  readonly freePlan: string;
  readonly now: () => Date;
  /** How often overage and unpaid renewals are looked for, ms. */
  readonly sweepMs: number;
  readonly log: Logger;
}

/** Messages that could not be processed at once are tried again at this interval, ms. */
const MESSAGES_MS = 5_000;
const RECONCILE_MS = 5 * 60_000;

export interface Payments {
  readonly methods: readonly BoundMethod[];
  /** Ends the payments of a deleted workspace. Safe to repeat. */
  forget(workspaceId: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens subscriptions, orders and documents: the methods of PaymentService, and the tasks behind them. */
export function openPayments(deps: PaymentsDeps): Payments {
  const { pool, catalogue, log } = deps;
  const name = 'razorpay';
  const stores = {
    subscriptions: new SubscriptionStore(pool, name),
    orders: new OrderStore(pool, name),
    payments: new PaymentStore(name),
    messages: new MessageStore(pool, name),
    details: new DetailsStore(pool),
    overage: new OverageStore(pool, name),
    views: new DocumentViews(pool),
  };
  const gateway = openGateway(deps.settings, {
    http: deps.http,
    ids: new GatewayIdStore(pool, gatewayKey(deps.settings)),
  });
  const forget = (workspaceId: string) => forgetPayments(pool, workspaceId);
  if (gateway === undefined)
    return { methods: [...documentMethods(stores), ...closedShop()], forget, close: async () => {} };

  const all = { ...deps, ...stores, gateway };
  const settleOrder = makeSettleOrder(all);
  const settleSubscription = makeSettleSubscription(all);
  const settled = { ...all, settleOrder, settleSubscription };
  const sale = { ...all, plans: catalogue.plans };
  const processMessages = makeProcessMessages(settled);
  const messageTask = new PeriodicTask({
    everyMs: MESSAGES_MS,
    run: (isOpen) => repeatUntilDone(processMessages, isOpen),
    failed: 'processing of payment messages failed, will retry',
    log,
  });
  const reconcileTask = new PeriodicTask({
    everyMs: RECONCILE_MS,
    run: makeReconcile(settled),
    failed: 'comparison with the payment gateway failed, will retry',
    log,
  });
  const overageTask = new PeriodicTask({
    everyMs: deps.sweepMs,
    run: makeBillOverage(sale),
    failed: 'charging of overage failed, will retry',
    log,
  });
  const reminderTask = new PeriodicTask({
    everyMs: deps.sweepMs,
    run: makeRemindUnpaid(all),
    failed: 'reminders of unpaid renewals failed, will retry',
    log,
  });
  const tasks = [messageTask, reconcileTask, overageTask, reminderTask];
  const methods = saleMethods({
    subscribe: makeSubscribe(sale),
    confirm: makeConfirm(settled),
    changes: makeChangeSubscription(sale),
    ends: makeEndSubscription(all),
    buyCredits: makeBuyCredits({ ...sale, packs: catalogue.packs }),
    receive: async (message) => {
      if (message.gateway !== gateway.name)
        throw new AppError('not_found', `no payment gateway "${message.gateway.slice(0, 40)}"`);
      await stores.messages.insert(gateway.readEvent(message));
      void messageTask.runNow();
    },
  });
  return {
    methods: [...documentMethods(stores), ...methods],
    async forget(workspaceId) {
      await forget(workspaceId);
      void reconcileTask.runNow();
    },
    async close() {
      await Promise.all(tasks.map((task) => task.close()));
    },
  };
}

/** Ids of plans and customers belong to an account of the gateway. */
const gatewayKey = (settings: RazorpaySettings | undefined): string => `razorpay:${settings?.keyId ?? ''}`;

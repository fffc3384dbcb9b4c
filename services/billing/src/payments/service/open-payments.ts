import type { Catalogue } from '@tidemark/catalogue';
import type { HttpClient } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import type { BoundMethod, Logger, Outbox } from '@tidemark/service';
import type pg from 'pg';
import type { Seller } from '../../documents/seller.ts';
import { makeBuyCredits } from '../checkout/buy-credits.ts';
import { makeChangeSubscription } from '../checkout/change-subscription.ts';
import { makeConfirm } from '../checkout/confirm.ts';
import { makeEndSubscription } from '../checkout/end-subscription.ts';
import { makeSubscribe } from '../checkout/subscribe.ts';
import { type GatewaySettings, openGateway } from '../gateway-config.ts';
import type { CreditAccounts } from '../settle/credit-accounts.ts';
import { makeSettleOrder } from '../settle/settle-order.ts';
import { makeSettleSubscription } from '../settle/settle-subscription.ts';
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
  /** Opens the credit account of the workspace if it has none. @throws AppError conflict for a sub-account */
  readonly requirePayer: (workspaceId: string) => Promise<void>;
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
export function openPayments(deps: PaymentsDeps): Payments {
  const { pool, catalogue } = deps;
  const name = deps.settings?.kind ?? 'razorpay';
  const stores = {
    subscriptions: new SubscriptionStore(pool, name),
    orders: new OrderStore(pool, name),
    payments: new PaymentStore(name),
    messages: new MessageStore(pool, name),
    details: new DetailsStore(pool),
    overage: new OverageStore(pool, name),
    unmatched: new UnmatchedStore(pool, name),
    views: new DocumentViews(pool),
  };
  const gateway = openGateway(deps.settings, {
    http: deps.http,
    ids: new GatewayIdStore(pool, gatewayKey(deps.settings)),
  });
  const reading = documentMethods({ ...deps, ...stores });
  const discard = (workspaceId: string) => discardPayments(pool, workspaceId);
  if (gateway === undefined) return { methods: [...reading, ...closedShop()], discard, close: async () => {} };

  const all = { ...deps, ...stores, gateway };
  const settleOrder = makeSettleOrder(all);
  const settleSubscription = makeSettleSubscription(all);
  const settled = { ...all, settleOrder, settleSubscription };
  const sale = { ...all, plans: catalogue.plans };
  const tasks = openTasks({ ...settled, ...sale });
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

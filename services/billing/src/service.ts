import { loadCatalogue, planOf } from '@tidemark/catalogue';
import { events } from '@tidemark/contracts';
import { BillingServiceService } from '@tidemark/contracts/billing/v1/billing';
import { PaymentServiceService } from '@tidemark/contracts/billing/v1/payments';
import { createHttpClient, guardFromConfig } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import { Bus, counter, defineService, Outbox, openPool, pingDatabase, prismaAdapter } from '@tidemark/service';
import { makeChangePlan } from './accounts/change-plan.ts';
import { makeLeaseCredits } from './accounts/lease-credits.ts';
import { makeOpenAccount } from './accounts/open-account.ts';
import { makeReadOpened } from './accounts/read-opened.ts';
import { openAlertSweep } from './accounts/sweep-alerts.ts';
import { openBalanceSweep } from './accounts/sweep-balances.ts';
import { openLeaseSweep } from './accounts/sweep-leases.ts';
import { openPeriodSweep } from './accounts/sweep-periods.ts';
import { config } from './config.ts';
import { loadSeller } from './documents/seller.ts';
import { makeOnWorkspaceChanged } from './events/on-workspace-changed.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { accountMethods, creditMethods, estimateMethod, spendMethods } from './grpc/account-methods.ts';
import { gatewaySettings } from './payments/gateway-config.ts';
import { openPayments } from './payments/service/open-payments.ts';
import { AccountStore } from './store/account-store.ts';
import { AlertStore } from './store/alert-store.ts';
import { BalanceCheckStore } from './store/balance-check-store.ts';
import { BillingViews } from './store/billing-views.ts';
import { LedgerStore } from './store/ledger-store.ts';
import { LimitStore } from './store/limit-store.ts';
import { makePaidWorkspaces } from './store/paid-workspaces.ts';
import { PlanStore } from './store/plan-store.ts';
import { StatementViews } from './store/statement-views.ts';
import { TokenStore } from './store/token-store.ts';

/** Credit balances, credit leases and usage of workspaces. */
export const billing = defineService({
  name: 'billing',
  config,
  async start(app) {
    const { DATABASE_URL, NATS_URL, TIDEMARK_CATALOGUE, TIDEMARK_DEFAULT_PLAN, LEASE_SECONDS } = app.config;
    const pool = app.own(openPool(DATABASE_URL, 'billing'));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'billing') }));
    const bus = app.own(await Bus.connect(NATS_URL, 'billing', app.log));
    const catalogue = loadCatalogue(TIDEMARK_CATALOGUE);
    const fallback = { name: TIDEMARK_DEFAULT_PLAN, plan: planOf(catalogue, TIDEMARK_DEFAULT_PLAN) };
    const named = (name: string) => {
      const plan = catalogue.plans[name];
      return plan === undefined ? fallback : { name, plan };
    };
    const outbox = app.own(new Outbox(pool, bus, 'billing', app.log));
    const accounts = new AccountStore(pool, named);
    const plans = new PlanStore(pool, named);
    const changePlan = makeChangePlan({ pool, plans, catalogue: catalogue.plans, outbox });
    const ledger = new LedgerStore(pool, plans, LEASE_SECONDS);
    const paidWorkspaces = makePaidWorkspaces({ pool });
    const views = new BillingViews({ db, paidWorkspaces });
    const tokens = new TokenStore(pool);
    const limits = new LimitStore(pool);
    const statements = new StatementViews({ pool, paidWorkspaces });
    const openAccount = makeOpenAccount({ identity: app.dial('identity', app.config.IDENTITY_ADDR), accounts });
    const leaseCredits = makeLeaseCredits({ ledger, openAccount });

    const now = () => new Date();
    const readOpened = makeReadOpened(openAccount);
    const currencyOf = (workspaceId: string) => statements.currencyOf(workspaceId);
    const send = outbox.send.bind(outbox);
    app.serve(BillingServiceService, [
      ...creditMethods({ leaseCredits, views, readOpened, now }),
      ...accountMethods({ views, plans, limits, changePlan, readOpened, send, now }),
      ...spendMethods({ views, tokens, limits, statements, now }),
      estimateMethod({ planNamed: named, currencyOf, views, readOpened }),
    ]);
    const payments = app.own(
      openPayments({
        pool,
        catalogue,
        outbox,
        now,
        log: app.log,
        accounts: plans,
        sweepMs: app.config.SWEEP_SECONDS * 1_000,
        http: app.own(createHttpClient(guardFromConfig(app.config))),
        settings: gatewaySettings(app.config),
        seller: loadSeller(app.config.TIDEMARK_SELLER),
        requirePayer: makeRequirePayer(views, openAccount),
        freePlan: 'free' in catalogue.plans ? 'free' : TIDEMARK_DEFAULT_PLAN,
      }),
    );
    app.serve(PaymentServiceService, [...payments.methods]);
    for (const event of [events.creditSpent, events.mapCharged, events.runCharged])
      bus.consume(event, 'billing', async (batch) => {
        const charges = batch.map((delivered) => delivered.event);
        await ledger.settle(charges);
        for (const { kind, credits } of charges) countCredits({ kind }, credits);
      });
    for (const event of [events.extractionTokensUsed, events.digestTokensUsed])
      bus.consume(event, 'billing', (batch) => tokens.record(batch.map((delivered) => delivered.event)));
    app.own(tokens.openSweep(app.log));
    bus.consume(events.workspaceChanged, 'billing', makeOnWorkspaceChanged(accounts, payments.discard));
    consumeRemovals(bus, limits);
    const everyMs = app.config.SWEEP_SECONDS * 1_000;
    app.own(openLeaseSweep({ ledger, everyMs, log: app.log }));
    app.own(openAlertSweep({ alerts: new AlertStore(pool), outbox, everyMs, log: app.log }));
    app.own(openBalanceSweep({ checks: new BalanceCheckStore(pool), everyMs, log: app.log }));
    app.own(openPeriodSweep({ plans, everyMs, log: app.log }));
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
  },
});

const countCredits = counter('tidemark_credits_settled', {
  description: 'Credits of charges that were settled, by kind. A redelivered charge counts again',
});

/** Deletes the spend limits of revoked keys, of people who left and of deleted projects. */
function consumeRemovals(bus: Bus, limits: LimitStore): void {
  bus.consume(events.accessRemoved, 'billing', (batch) => limits.remove(batch.map(({ event }) => event)));
  bus.consume(events.projectDeleted, 'billing', (batch) =>
    limits.remove(batch.map(({ event }) => ({ workspaceId: event.workspaceId, subjectId: event.projectId }))),
  );
}

/** Makes a function that opens the account of a workspace before it buys. Sub-accounts use the credits of their parent. */
function makeRequirePayer(views: BillingViews, openAccount: (workspaceId: string) => Promise<boolean>) {
  return async (workspaceId: string): Promise<void> => {
    if ((await views.account(workspaceId)) === undefined && !(await openAccount(workspaceId)))
      throw new AppError('not_found', 'workspace not found');
    const account = await views.account(workspaceId);
    if (account?.payerId !== undefined)
      throw new AppError('conflict', 'a sub-account uses the credits of its parent, which buys plans and credits');
  };
}

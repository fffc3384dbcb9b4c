import { loadCatalogue } from '@tidemark/catalogue';
import { facts } from '@tidemark/contracts';
import { BillingServiceService } from '@tidemark/contracts/billing/v1/billing';
import { Bus, defineService, openPool, pingDatabase, prismaAdapter } from '@tidemark/service';
import { config } from './config.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { billingGrpc } from './grpc.ts';
import { makeLease } from './lease.ts';
import { LedgerStore } from './store/ledger-store.ts';
import { BillingViews } from './store/views.ts';
import { sweepLeases } from './sweep-leases.ts';

/** What may they spend, what have they spent. */
export const billing = defineService({
  name: 'billing',
  config,
  async start(app) {
    const { DATABASE_URL, NATS_URL, TIDEMARK_CATALOGUE, LEASE_SECONDS } = app.config;
    const pool = app.own(openPool(DATABASE_URL, 'billing'));
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'billing') }));
    const bus = app.own(await Bus.connect(NATS_URL, 'billing', app.log));
    const { plans } = loadCatalogue(TIDEMARK_CATALOGUE);
    const ledger = new LedgerStore(pool, LEASE_SECONDS);
    const views = new BillingViews(db);
    const openAccount = (workspaceId: string) => ledger.open(workspaceId, 'free', plans['free']?.welcomeCredits ?? 0);

    app.serve(
      BillingServiceService,
      billingGrpc({ lease: makeLease({ ledger, openAccount }), views, openAccount, now: () => new Date() }),
    );
    for (const fact of [facts.creditSpent, facts.mapCharged, facts.runCharged])
      bus.consume(fact, 'billing', (batch) => ledger.settle(batch.map((delivered) => delivered.fact)));
    app.own(sweepLeases(ledger, app.log));
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
  },
});

import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { events } from '@tidemark/contracts';
import { Bus, createLogger, outgoingEvent } from '@tidemark/service';
import {
  type BillingUnderTest,
  billingLeaseContract,
  startFakeBilling,
  startNats,
  type TestNats,
  until,
} from '@tidemark/testkit';
import { type BillingServers, startBillingServers } from './billing-servers.ts';

describe('BillingService.Lease', () => {
  let servers: BillingServers;
  beforeAll(async () => {
    servers = await startBillingServers();
  }, 120_000);
  afterAll(() => servers.close());

  it.each(billingLeaseContract)('$title', ({ run }) => run(servers));
});

describe('fake billing', () => {
  // Separate NATS server: on the real service's bus the two would share one consumer and split its events.
  let nats: TestNats;
  let fake: BillingUnderTest & { close(): Promise<void> };
  beforeAll(async () => {
    nats = await startNats();
    const billing = await startFakeBilling(nats.url);
    const bus = await Bus.connect(nats.url, 'test', createLogger('test', 'silent'));
    await bus.prepare();
    fake = {
      peer: billing.peer,
      setBalance: billing.setBalance,
      async settle(charge) {
        const event = { ...charge, kind: 'page' as const, pages: 1, at: new Date(), actorId: '', projectId: '' };
        await bus.publish(events.creditSpent.subject, [
          outgoingEvent(events.creditSpent, `credit:${charge.ref}`, event),
        ]);
        await until('the fake to record the charge', () => billing.spent.has(charge.ref));
      },
      async close() {
        await bus.close();
        await billing.close();
      },
    };
  }, 120_000);
  afterAll(async () => {
    await fake.close();
    await nats.close();
  });

  it.each(billingLeaseContract)('$title', ({ run }) => run(fake));
});

import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { facts } from '@tidemark/contracts';
import { Bus, createLogger, outgoing } from '@tidemark/service';
import {
  type BillingUnderTest,
  billingLeaseContract,
  startFakeBilling,
  startNats,
  type TestNats,
  until,
} from '@tidemark/testkit';
import { type BillingGround, openBilling } from './billing-ground.ts';

describe('billing, as whoever asks it for credits relies on it', () => {
  let ground: BillingGround;
  beforeAll(async () => {
    ground = await openBilling();
  }, 120_000);
  afterAll(() => ground.close());

  it.each(billingLeaseContract)('$title', ({ holds }) => holds(ground));
});

describe('the fake billing of other suites', () => {
  // A bus of its own: on the real one's they would be replicas and share the facts.
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
        const told = { ...charge, kind: 'page', pages: 1, at: new Date() };
        await bus.publish(facts.creditSpent.subject, [outgoing(facts.creditSpent, `credit:${charge.ref}`, told)]);
        await until('the fake has heard the charge', () => billing.spent.has(charge.ref));
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

  it.each(billingLeaseContract)('$title', ({ holds }) => holds(fake));
});

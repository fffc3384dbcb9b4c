import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type BillingGround, openBilling } from './billing-ground.ts';
import { billingLeaseContract, startFakeBilling, until } from '@tidemark/testkit';

let ground: BillingGround;
beforeAll(async () => {
  ground = await openBilling();
}, 120_000);
afterAll(() => ground.close());

describe('billing, as whoever asks it for credits relies on it', () => {
  it.each(billingLeaseContract)('$title', ({ holds }) => holds(ground));
});

describe('the fake billing of other suites', () => {
  it.each(billingLeaseContract)('$title', async ({ holds }) => {
    const fake = await startFakeBilling(ground.nats.url);
    try {
      await holds({
        peer: fake.peer,
        setBalance: fake.setBalance,
        async settle(charge) {
          await ground.publish({ ...charge, kind: 'page', pages: 1, at: new Date() });
          await until('the fake has heard the charge', () => fake.spent.has(charge.ref));
        },
      });
    } finally {
      await fake.close();
    }
  });
});

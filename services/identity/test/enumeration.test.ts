import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountServers, startAccounts } from './account-servers.ts';
import { compare, openRequests, REQUESTS } from './enumeration.ts';

/** Requests of each kind per measurement. */
const SAMPLES = 15;
/** Other load on the machine can distort a measurement; a missing hash distorts every one. */
const MEASUREMENTS = 5;

let accounts: AccountServers;
beforeAll(async () => {
  accounts = await startAccounts();
}, 120_000);
afterAll(() => accounts.close());

describe('the time of a response', () => {
  it.each(REQUESTS)('of %s does not reveal whether an address has an account', async (name) => {
    const requests = await openRequests(accounts);
    const ratios: number[] = [];
    // Without the hash for unknown addresses the ratio of the medians is above ten. `npm run bench -- enumeration` measures smaller differences.
    const isAlike = (ratio: number): boolean => ratio > 0.5 && ratio < 2;
    while (ratios.length < MEASUREMENTS && !ratios.some(isAlike)) {
      const { knownMs, unknownMs } = compare(await requests.sample(name, SAMPLES));
      ratios.push(knownMs / unknownMs);
    }
    expect({ ratios, isAlike: ratios.some(isAlike) }).toMatchObject({ isAlike: true });
  });
});

import { afterEach, describe, expect, it } from '@jest/globals';
import { type ExitLease, type LeaseExitRequest, ExitServiceService as Rpc } from '@tidemark/contracts/browser/v1/exits';
import { AppError } from '@tidemark/errors';
import { createLogger, defineService, handle } from '@tidemark/service';
import { startService, until } from '@tidemark/testkit';
import { openExits } from './open-exits.ts';

const log = createLogger('test', 'silent');
const REQUEST = { workspaceId: 'w', host: 'a.example', country: 'DE', session: 's', tried: ['one'] };
const LEASE: ExitLease = {
  id: 'exl_1',
  exitName: 'two',
  country: 'DE',
  kind: 'residential',
  proxyHost: '10.1.2.3',
  proxyPort: 3128,
  token: 'secret',
};
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

/** A browser pool with exits in these countries that grants this lease; what it was sent is recorded. */
async function openWith(countries: readonly string[], lease: ExitLease | undefined) {
  const calls: { countries: number; leases: LeaseExitRequest[]; reports: unknown[] } = {
    countries: 0,
    leases: [],
    reports: [],
  };
  const pool = await startService(
    defineService({
      name: 'browser-pool',
      config: {},
      async start(app) {
        app.serve(Rpc, [
          handle(Rpc.leaseExit, async (request) => {
            calls.leases.push(request);
            return { lease };
          }),
          handle(Rpc.reportExit, async (request) => {
            calls.reports.push(request);
            throw new AppError('not_found', 'there is no such lease');
          }),
          handle(Rpc.listExits, async () => ({ exits: [] })),
          handle(Rpc.listExitCountries, async () => {
            calls.countries += 1;
            return { countries: [...countries] };
          }),
        ]);
      },
    }),
    {},
  );
  opened.push(pool);
  const exits = await openExits(pool.peer, log);
  opened.push(exits);
  return { exits, calls, pool };
}

describe('the exits of a deployment', () => {
  it('are known by country as soon as the service has started, without a call for each page', async () => {
    const { exits, calls } = await openWith(['DE', ''], undefined);
    expect([exits.isEmpty, exits.hasCountry('de'), exits.hasCountry('FR'), exits.hasCountry('')]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    const none = await openWith([], undefined);
    expect([none.exits.isEmpty, none.exits.hasCountry('')]).toEqual([true, false]);
    expect([calls.countries, calls.leases.length]).toEqual([1, 0]);
  });

  it('count as present while browser-pool is unavailable, and none can be leased', async () => {
    const { pool } = await openWith([], undefined);
    await pool.close();
    const exits = await openExits(pool.peer, log);
    opened.push(exits);
    expect([exits.isEmpty, exits.hasCountry('DE'), await exits.lease(REQUEST)]).toEqual([false, true, undefined]);
  });
});

describe('a lease', () => {
  it('names the exit and the proxy to reach it by; its connections are those of the exit and the workspace', async () => {
    const { exits, calls } = await openWith(['DE'], LEASE);
    const route = await exits.lease(REQUEST);
    expect(calls.leases).toEqual([{ ...REQUEST, kind: '' }]);
    expect(route).toEqual({
      leaseId: 'exl_1',
      name: 'two',
      proxy: { key: '["two","w"]', host: '10.1.2.3', port: 3128, username: 'exl_1', password: 'secret' },
    });
  });

  it('is absent where no exit is fit for use', async () => {
    const { exits } = await openWith(['DE'], undefined);
    expect(await exits.lease(REQUEST)).toBeUndefined();
  });

  it('is reported on in the background, and a report that fails is dropped', async () => {
    const { exits, calls } = await openWith(['DE'], LEASE);
    const route = await exits.lease(REQUEST);
    if (route === undefined) throw new Error('no lease');
    exits.report('w', route, 'refused', 42);
    await until('the report', async () => calls.reports.length > 0);
    expect(calls.reports).toEqual([{ workspaceId: 'w', leaseId: 'exl_1', outcome: 'refused', bytes: 42 }]);
  });
});

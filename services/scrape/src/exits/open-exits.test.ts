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

/** Starts a fake browser-pool with exits in these countries that grants this lease and records its calls. */
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
            throw new AppError('not_found', 'lease not found');
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

describe('openExits', () => {
  it('loads the countries at start, without a call per page', async () => {
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

  it('reports exits as present while browser-pool is unavailable, and leases none', async () => {
    const { pool } = await openWith([], undefined);
    await pool.close();
    const exits = await openExits(pool.peer, log);
    opened.push(exits);
    expect([exits.isEmpty, exits.hasCountry('DE'), await exits.lease(REQUEST)]).toEqual([false, true, undefined]);
  });
});

describe('PooledExits.lease', () => {
  it('returns the exit and its proxy, with a connection key of exit and workspace', async () => {
    const { exits, calls } = await openWith(['DE'], LEASE);
    const route = await exits.lease(REQUEST);
    expect(calls.leases).toEqual([REQUEST]);
    expect(route).toEqual({
      leaseId: 'exl_1',
      name: 'two',
      proxy: { key: '["two","w"]', host: '10.1.2.3', port: 3128, username: 'exl_1', password: 'secret' },
    });
  });

  it('returns undefined if no exit is usable', async () => {
    const { exits } = await openWith(['DE'], undefined);
    expect(await exits.lease(REQUEST)).toBeUndefined();
  });

  it('is ended by a report in the background, and a failed report is dropped', async () => {
    const { exits, calls } = await openWith(['DE'], LEASE);
    const route = await exits.lease(REQUEST);
    if (route === undefined) throw new Error('no lease');
    exits.report('w', route, 'refused', 42);
    await until('the report', async () => calls.reports.length > 0);
    expect(calls.reports).toEqual([{ workspaceId: 'w', leaseId: 'exl_1', outcome: 'refused', bytes: 42 }]);
  });
});

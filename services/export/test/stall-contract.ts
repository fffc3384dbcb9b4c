import { describe, expect, test } from '@jest/globals';
import type { Driver, SyncSource } from '../src/destinations/driver.ts';
import { TABLE_LIMITS, Watchdog } from '../src/sync/watchdog.ts';
import { attemptOf, type DestinationServer, planOf, rowOf, sourceOf } from './destination-contract.ts';
import { startStallingProxy } from './servers/stalling-proxy.ts';

interface StallServer extends DestinationServer {
  /** Returns the same destination through another port of this machine. */
  readonly driverAt: (port: number) => Driver;
  readonly port: number;
  /** Texts that the client sends when rows are transferred, and when the write is committed. */
  readonly transfer: string;
  readonly commit: string;
}

/** What every destination of rows does where its server stops answering without closing the connection. */
export function describeStalls(name: string, server: () => StallServer): void {
  describe(`a sync to ${name} whose server stops answering`, () => {
    test.each(['transfer', 'commit'] as const)('during the %s ends as temporary, and can be repeated', async (step) => {
      const { driver, driverAt, port, rowsOf } = server();
      const proxy = await startStallingProxy(port, server()[step]);
      const watchdog = new Watchdog({ ...TABLE_LIMITS, start: 5_000, accept: 500, finish: 500 });
      const plan = planOf();
      const rows = Array.from({ length: 50 }, (_, at) => rowOf(`https://a.example/${at}/`.padEnd(2_000, 'x'), at));
      const source: SyncSource = {
        async *read(after) {
          for await (const batch of sourceOf(rows).read(after)) {
            watchdog.enter('accept');
            yield batch;
          }
          watchdog.enter('finish');
        },
      };
      const { signal } = watchdog;
      const failure = await driverAt(proxy.port)
        .write(plan, source, attemptOf({ signal }))
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ kind: 'temporary', message: expect.stringMatching(/within (0.5|5) s$/) });
      proxy.close();
      watchdog.close();
      expect(await driver.write(plan, sourceOf(rows), attemptOf())).toMatchObject({ status: 'done', read: 50 });
      expect(await rowsOf(plan.table)).toHaveLength(50);
    });
  });
}

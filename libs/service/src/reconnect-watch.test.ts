import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { Status } from '@nats-io/transport-node';
import { ReconnectWatch } from './reconnect-watch.ts';

/** A fake connection with controllable status changes. */
function connection() {
  const waiting: ((status: Status) => void)[] = [];
  async function* status(): AsyncGenerator<Status> {
    for (;;) yield await new Promise<Status>((resolve) => waiting.push(resolve));
  }
  const change = async (next: Status): Promise<void> => {
    waiting.shift()?.(next);
    await turn();
  };
  return { status, change };
}

it('reports a message as older than the connection after a reconnect if it was stored before the reconnect', async () => {
  const { status, change } = connection();
  const reconnects = new ReconnectWatch({ status });
  await turn();
  const stored = new Date(Date.now() - 10_000);
  expect(reconnects.isOlder(stored)).toBe(false);
  await change({ type: 'disconnect', server: 'a' });
  expect(reconnects.isOlder(stored)).toBe(false);
  await change({ type: 'reconnect', server: 'a' });
  expect(reconnects.isOlder(stored)).toBe(true);
  // Clocks may differ by a second.
  expect(reconnects.isOlder(new Date(Date.now() + 500))).toBe(true);
  expect(reconnects.isOlder(new Date(Date.now() + 5_000))).toBe(false);
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@tidemark/testkit';
import { Claims, LEASE_MS } from '../src/store/claims.ts';
import { messageTo, type SendingServers, startServers, webhookOf } from './sending-servers.ts';

let on: SendingServers;

beforeAll(async () => {
  on = await startServers();
});

afterAll(() => on.close());

describe('a message whose process ended while it was sent', () => {
  /** Leaves a message as an instance leaves it that died during each of so many attempts in a row. */
  const interrupt = async (keys: readonly string[], interrupted: number, nextAt: Date) => {
    await on.pool.query(
      "UPDATE deliveries SET status = 'delivering', owner = 'gone', next_at = $3, attempts = 0, interrupted = $2 WHERE key = ANY($1)",
      [keys, interrupted, nextAt],
    );
  };

  it('fails after five such attempts in a row, with the reason, and is sent again only on request', async () => {
    const receiver = await on.newReceiver();
    const message = messageTo(webhookOf(receiver.url));
    await on.enqueue(message);
    const { id } = await on.inStatus(message.key, 'delivered');
    await on.pool.query('DELETE FROM attempts WHERE delivery_id = $1', [id]);
    await interrupt([message.key], 3, on.clock.now);
    await on.inStatus(message.key, 'delivered');
    expect(receiver.got).toHaveLength(2);
    await on.pool.query('DELETE FROM attempts WHERE delivery_id = $1', [id]);
    await interrupt([message.key], 4, on.clock.now);
    expect(await on.inStatus(message.key, 'failed')).toMatchObject({
      lastError: 'the process that sent the message ended 5 times in a row',
      nextAt: null,
    });
    expect(receiver.got).toHaveLength(2);
  });

  it('is sent alone after two such attempts, so that other messages of the process do not fail with it', async () => {
    const receiver = await on.newReceiver();
    const messages = [1, 2, 3].map(() => messageTo(webhookOf(receiver.url)));
    await on.enqueue(...messages);
    for (const { key } of messages) await on.inStatus(key, 'delivered');
    // Later than the clock of the running instance, which claims none of them.
    const later = new Date(on.clock.now.getTime() + LEASE_MS);
    const keys = messages.map(({ key }) => key);
    await interrupt(keys, 0, later);
    await interrupt(keys.slice(1), 2, later);
    const claims = new Claims(on.pool, on.sealer);
    const { rows } = await on.pool.query<{ queueKey: string }>(
      'SELECT queue_key AS "queueKey" FROM deliveries WHERE key = ANY($1)',
      [keys],
    );
    const quotas = rows.map(({ queueKey }) => ({ queueKey, slots: 8 }));
    const together = await claims.claim(quotas, later);
    expect(together.map(({ interruptions }) => interruptions)).toEqual([1]);
    const alone = [
      await claims.claimSuspect(later),
      await claims.claimSuspect(later),
      await claims.claimSuspect(later),
    ];
    expect(alone.map((claimed) => claimed?.interruptions)).toEqual([3, 3, undefined]);
  });
});

describe('two processes', () => {
  it('send each message once', async () => {
    const other = on.open();
    const receiver = await on.newReceiver();
    const hook = webhookOf(receiver.url);
    const messages = Array.from({ length: 300 }, () => messageTo(hook));
    const half = await on.pool.connect();
    const queueKeys = await other.queue.enqueue(half, messages.slice(0, 150));
    half.release();
    await on.enqueue(...messages.slice(150));
    other.queue.wake(queueKeys);
    await until('all deliveries to be listed', async () => {
      const { rowCount } = await on.pool.query(
        "SELECT FROM deliveries WHERE receiver_id = $1 AND status = 'delivered'",
        [hook.id],
      );
      return rowCount === 300;
    });
    expect([receiver.got.length, new Set(receiver.got.map(({ id }) => id)).size]).toEqual([300, 300]);
    await other.dispatcher.close();
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newWorkspace, until } from '@tidemark/testkit';
import { RETRY_DELAYS_MS } from '../src/domain/retry-schedule.ts';
import { readHealth } from '../src/store/receiver-health.ts';
import { channelsOf, messageTo, type SendingServers, startServers, webhookOf } from './sending-servers.ts';

let on: SendingServers;

beforeAll(async () => {
  on = await startServers();
});

afterAll(() => on.close());

describe('a receiver that does not respond', () => {
  it('gets one call at a time after three failures, and delays no other', async () => {
    const [dead, healthy] = [await on.newReceiver(), await on.newReceiver()];
    dead.respond = () => 503;
    const workspaceId = newWorkspace();
    const [deadHook, healthyHook] = [webhookOf(dead.url, workspaceId), webhookOf(healthy.url, workspaceId)];
    await on.enqueue(...Array.from({ length: 8 }, () => messageTo(deadHook)));
    await until('eight failures', () => dead.got.length === 8);
    await until(
      'their ends',
      async () => (await readHealth(on.pool, workspaceId, [deadHook.id])).get(deadHook.id)?.lastStatus === 503,
    );
    dead.respond = () => 'nothing';
    await on.enqueue(...Array.from({ length: 40 }, () => messageTo(deadHook)));
    const messages = Array.from({ length: 200 }, () => messageTo(healthyHook));
    const beganAt = performance.now();
    await on.enqueue(...messages);
    await until('all messages at the healthy receiver', () => healthy.got.length === 200);
    // One call to the dead one takes ten seconds, and forty of them more than the limit above. None is made where the last of the eight
    // ends came in after the new ones: then they wait with it.
    expect(dead.got.length).toBeLessThanOrEqual(9 + Math.floor((performance.now() - beganAt) / 10_000));
  });
});

describe('a receiver that fails', () => {
  const statesOf = async (receiverId: string) => {
    const { rows } = await on.pool.query<{ status: string; tried: boolean; due: boolean; n: number }>(
      `SELECT status, attempts > 0 AS tried, next_at <= $2 AS due, count(*)::int AS n FROM deliveries WHERE receiver_id = $1
       GROUP BY 1, 2, 3 ORDER BY 1, 2`,
      [receiverId, on.clock.now],
    );
    return rows;
  };

  it('delays no other on its server', async () => {
    const receiver = await on.newReceiver();
    const dead = webhookOf(`${receiver.url}&dead`);
    const healthy = webhookOf(receiver.url, dead.workspaceId);
    receiver.respond = ({ body }) => (body.includes('dead') ? 'nothing' : 200);
    await on.enqueue(
      ...Array.from({ length: 11 }, () => messageTo(dead, { body: (id) => `{"id":"${id}","to":"dead"}` })),
    );
    await until('eight calls without an answer', () => receiver.got.length === 8);
    const message = messageTo(healthy);
    await on.enqueue(message);
    await on.inStatus(message.key, 'delivered');
  });

  it('gets few more calls for its backlog than for one message, after which the backlog is paused', async () => {
    const receiver = await on.newReceiver();
    receiver.respond = () => 503;
    const hook = webhookOf(receiver.url);
    on.channels.set(hook.projectId, channelsOf(hook));
    await on.enqueue(...Array.from({ length: 300 }, () => messageTo(hook)));
    await until('the backlog to be paused', async () => (await statesOf(hook.id)).every(({ due }) => !due));
    const tried = receiver.got.length;
    expect(tried).toBeLessThan(40);
    for (const delayMs of RETRY_DELAYS_MS) {
      on.clock.forward(delayMs);
      await until('nothing to be due', async () => (await statesOf(hook.id)).every(({ due }) => !due));
    }
    await until('all to be paused', async () => (await statesOf(hook.id)).every(({ status }) => status === 'paused'));
    const [untried] = await statesOf(hook.id);
    expect(untried?.tried).toBe(false);
    expect(untried?.n).toBeGreaterThan(300 - 2 * tried);
    expect(receiver.got.length).toBeLessThan(2 * tried * 7);
    const { rows } = await on.pool.query(
      'SELECT DISTINCT last_error FROM deliveries WHERE receiver_id = $1 AND attempts = 0',
      [hook.id],
    );
    expect(rows).toEqual([{ last_error: 'not tried: the receiver has accepted nothing for a day' }]);
  });

  it('gets its other messages although it never accepts one of them', async () => {
    const receiver = await on.newReceiver();
    receiver.respond = () => 503;
    const hook = webhookOf(receiver.url);
    const poison = messageTo(hook, { body: (id) => `{"id":"${id}","to":"poison"}` });
    await on.enqueue(poison);
    for (const delayMs of RETRY_DELAYS_MS.slice(0, 3)) {
      await until('its next try', async () => (await on.find(poison.key)).status === 'retrying');
      on.clock.forward(delayMs);
      await until('nothing to be due', async () => (await statesOf(hook.id)).every(({ due }) => !due));
    }
    await on.enqueue(...Array.from({ length: 60 }, () => messageTo(hook)));
    await until('the receiver queue to be paused', async () => (await statesOf(hook.id)).every(({ due }) => !due));
    receiver.respond = ({ body }) => (body.includes('poison') ? 503 : 200);
    on.clock.forward(RETRY_DELAYS_MS.at(-1) ?? 0);
    await until('them to be delivered', async () =>
      (await statesOf(hook.id)).some(({ status, n }) => status === 'delivered' && n === 60),
    );
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ALL_PROJECTS, onlyProjects } from '@tidemark/contracts';
import { newWorkspace, until } from '@tidemark/testkit';
import { RETRY_DELAYS_MS } from '../src/domain/retry-schedule.ts';
import { LEASE_MS } from '../src/store/claims.ts';
import { readHealth } from '../src/store/receiver-health.ts';
import { channelsOf, messageTo, type SendingServers, startServers, webhookOf } from './sending-servers.ts';

let on: SendingServers;

/** The address of a receiver without its token. */
const masked = (url: string): string => url.replace('geheim', '***');

beforeAll(async () => {
  on = await startServers();
});

afterAll(() => on.close());

describe('a message', () => {
  it('is delivered once however often it is enqueued, under one id, with its response as plain text', async () => {
    const receiver = await on.newReceiver();
    const message = messageTo(webhookOf(receiver.url));
    await Promise.all([on.enqueue(message), on.enqueue(message)]);
    await on.enqueue(message);
    const row = await on.inStatus(message.key, 'delivered');
    expect(receiver.got).toHaveLength(1);
    expect(receiver.got[0]?.body).toBe(message.body(row.id));
    expect(row).toMatchObject({
      attempts: 1,
      lastStatus: 200,
      lastError: '',
      nextAt: null,
      deliveredAt: expect.anything(),
    });
    expect(row.log).toMatchObject([{ number: 1, status: 200, error: '', answer: 'thank you', by: 'schedule' }]);
  });

  it('is tried again after exactly 1 m, 5 m, 30 m, 2 h, 6 h and 12 h, each time the same bytes under the same id, then paused', async () => {
    const receiver = await on.newReceiver();
    receiver.respond = () => 503;
    const hook = webhookOf(receiver.url);
    on.channels.set(hook.projectId, channelsOf(hook));
    const message = messageTo(hook);
    await on.enqueue(message);
    for (const [tries, delayMs] of RETRY_DELAYS_MS.entries()) {
      const row = await until(`try ${tries + 1}`, async () => {
        const { attempts, status, ...rest } = await on.find(message.key);
        return attempts === tries + 1 && status === 'retrying' && rest;
      });
      expect(row.nextAt).toEqual(new Date(on.clock.now.getTime() + delayMs));
      on.clock.forward(delayMs - 1);
      await on.dispatcher.poll();
      expect((await on.find(message.key)).attempts).toBe(tries + 1);
      on.clock.forward(1);
    }
    const row = await on.inStatus(message.key, 'paused');
    expect(row).toMatchObject({ attempts: 7, lastStatus: 503, lastError: 'HTTP 503', nextAt: null });
    expect(new Set(receiver.got.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
    expect(receiver.got).toHaveLength(7);
    const health = await readHealth(on.pool, hook.workspaceId, [hook.id]);
    expect(health.get(hook.id)).toMatchObject({ state: 'paused', paused: 1, waiting: 0, lastStatus: 503 });
  });

  it.each([400, 404, 410, 301, 302])('fails at once on response status %s', async (status) => {
    const receiver = await on.newReceiver();
    receiver.respond = () => status;
    const message = messageTo(webhookOf(receiver.url));
    await on.enqueue(message);
    expect(await on.inStatus(message.key, 'failed')).toMatchObject({ attempts: 1, lastStatus: status, nextAt: null });
    expect(receiver.got).toHaveLength(1);
  });

  it.each([500, 502, 408, 429])('is tried again on response status %s', async (status) => {
    const receiver = await on.newReceiver();
    receiver.respond = () => status;
    const message = messageTo(webhookOf(receiver.url));
    await on.enqueue(message);
    expect(await on.inStatus(message.key, 'retrying')).toMatchObject({ attempts: 1, lastStatus: status });
  });

  it('stays at the address it was queued for when its project changes the address, and each attempt records it masked', async () => {
    const [old, current] = [await on.newReceiver(), await on.newReceiver()];
    old.respond = () => 500;
    const hook = webhookOf(old.url);
    const message = messageTo(hook);
    await on.enqueue(message);
    await on.inStatus(message.key, 'retrying');
    const changed = { ...hook, url: current.url };
    on.channels.set(hook.projectId, channelsOf(changed));
    const later = messageTo(changed);
    await on.enqueue(later);
    expect((await on.inStatus(later.key, 'delivered')).log.map(({ url }) => url)).toEqual([masked(current.url)]);
    old.respond = () => 204;
    on.clock.forward(60_000);
    const { host, log } = await on.inStatus(message.key, 'delivered');
    expect([old.got.length, current.got.length, host]).toEqual([2, 1, new URL(old.url).host]);
    expect(log.map(({ url }) => url)).toEqual([masked(old.url), masked(old.url)]);
  });

  it('does not change the health of the current address by its attempts at a former one', async () => {
    const [old, current] = [await on.newReceiver(), await on.newReceiver()];
    old.respond = () => 500;
    const hook = webhookOf(old.url);
    const message = messageTo(hook);
    await on.enqueue(message);
    await on.inStatus(message.key, 'retrying');
    const healthOf = async () => (await readHealth(on.pool, hook.workspaceId, [hook.id])).get(hook.id);
    expect(await healthOf()).toMatchObject({ state: 'failing', lastStatus: 500 });
    const changed = { ...hook, url: current.url };
    on.channels.set(hook.projectId, channelsOf(changed));
    const later = messageTo(changed);
    await on.enqueue(later);
    await on.inStatus(later.key, 'delivered');
    on.clock.forward(60_000);
    await until('the second attempt', async () => (await on.find(message.key)).attempts === 2);
    expect(await healthOf()).toMatchObject({ state: 'ok', lastStatus: 0, lastFailedAt: undefined });
  });

  it('fails where its project has removed the webhook before the next try', async () => {
    const receiver = await on.newReceiver();
    receiver.respond = () => 500;
    const hook = webhookOf(receiver.url);
    const message = messageTo(hook);
    await on.enqueue(message);
    await on.inStatus(message.key, 'retrying');
    on.channels.set(hook.projectId, channelsOf({ ...hook, url: '' }));
    on.clock.forward(60_000);
    expect(await on.inStatus(message.key, 'failed')).toMatchObject({
      lastError: 'the project no longer has a webhook',
    });
  });

  it('is not sent where its project has removed the webhook before the first try', async () => {
    const receiver = await on.newReceiver();
    const hook = webhookOf(receiver.url);
    on.channels.set(hook.projectId, channelsOf({ ...hook, url: '' }));
    const message = messageTo(hook);
    await on.enqueue(message);
    expect(await on.inStatus(message.key, 'failed')).toMatchObject({
      lastError: 'the project no longer has a webhook',
    });
    expect(receiver.got).toEqual([]);
  });

  it('is sent at once after its own transaction, whatever was woken during it', async () => {
    const receiver = await on.newReceiver();
    const slow = on.open(60_000);
    const hook = webhookOf(receiver.url);
    on.channels.set(hook.projectId, channelsOf(hook));
    const [other, client] = [messageTo(hook), await on.pool.connect()];
    await client.query('BEGIN');
    const queueKeys = await slow.queue.enqueue(client, [other]);
    slow.queue.wake(queueKeys);
    slow.queue.wake([]);
    await client.query('COMMIT');
    client.release();
    slow.queue.wake(queueKeys);
    await on.inStatus(other.key, 'delivered');
    await slow.dispatcher.close();
  });

  it('is sent by another instance under the same id once the claim of a dead instance expires', async () => {
    const receiver = await on.newReceiver();
    const message = messageTo(webhookOf(receiver.url));
    await on.enqueue(message);
    const { id } = await on.inStatus(message.key, 'delivered');
    // As left by an instance that died after the receiver got the message and before the result was stored.
    const nextAt = new Date(on.clock.now.getTime() + LEASE_MS);
    await on.pool.query(
      "UPDATE deliveries SET status = 'delivering', owner = 'gone', next_at = $2, attempts = 0 WHERE id = $1",
      [id, nextAt],
    );
    await on.pool.query('DELETE FROM attempts WHERE delivery_id = $1', [id]);
    await on.dispatcher.poll();
    expect(receiver.got).toHaveLength(1);
    on.clock.forward(LEASE_MS);
    expect(await on.inStatus(message.key, 'delivered')).toMatchObject({ id, attempts: 1 });
    expect(receiver.got.map((got) => got.id)).toEqual([id, id]);
  });
});

describe('a receiver that can’t be opened', () => {
  it('delays no other receiver: its own messages wait for their next try', async () => {
    const receiver = await on.newReceiver();
    const [lost, well] = [webhookOf(receiver.url), webhookOf(receiver.url)];
    await on.enqueue(messageTo(lost, { key: 'lost 1' }));
    await on.inStatus('lost 1', 'delivered');
    // As after the loss of a sealing key, with a message still queued.
    const client = await on.pool.connect();
    await client.query('BEGIN');
    await on.queue.enqueue(client, [messageTo(lost, { key: 'lost 2' })]);
    await client.query("UPDATE deliveries SET url = 'sealed by no key' WHERE key = $1", ['lost 2']);
    await client.query('COMMIT');
    client.release();
    await on.enqueue(messageTo(well, { key: 'well' }));
    await on.inStatus('well', 'delivered');
    expect(await on.inStatus('lost 2', 'retrying')).toMatchObject({ lastError: 'the message could not be sent' });
  });
});

describe('redelivery', () => {
  it('sends again now, keeps the attempts, and restarts the schedule of a paused delivery', async () => {
    const receiver = await on.newReceiver();
    receiver.respond = () => 500;
    const hook = webhookOf(receiver.url);
    on.channels.set(hook.projectId, channelsOf(hook));
    const message = messageTo(hook);
    await on.enqueue(message);
    const { id, queueKey } = await on.inStatus(message.key, 'retrying');
    await on.pool.query("UPDATE deliveries SET status = 'paused', tries = 6, next_at = NULL WHERE id = $1", [id]);
    const scope = { workspaceId: hook.workspaceId, access: ALL_PROJECTS };
    const redeliver = async () => {
      expect(await on.deliveries.makeDue(scope, id, on.clock.now)).toBe(true);
      await on.dispatcher.sendNow(id, queueKey);
      // Its receiver queue may have sent it already.
      return until('it to be sent', async () => {
        const found = await on.find(message.key);
        return found.status !== 'pending' && found.status !== 'delivering' && found;
      });
    };
    const failed = await redeliver();
    expect(failed).toMatchObject({ status: 'retrying', attempts: 2 });
    expect(failed.nextAt).toEqual(new Date(on.clock.now.getTime() + 60_000));
    receiver.respond = () => 204;
    const taken = await redeliver();
    expect(taken).toMatchObject({ status: 'delivered', attempts: 3 });
    expect(taken.log.map(({ status, by }) => `${status} ${by}`)).toEqual([
      '500 schedule',
      '500 redeliver',
      '204 redeliver',
    ]);
  });

  it('is limited to visible deliveries that are not being sent', async () => {
    const receiver = await on.newReceiver();
    const hook = webhookOf(receiver.url);
    const message = messageTo(hook);
    await on.enqueue(message);
    const { id } = await on.inStatus(message.key, 'delivered');
    const { workspaceId, projectId } = hook;
    expect(await on.deliveries.makeDue({ workspaceId: newWorkspace(), access: ALL_PROJECTS }, id, on.clock.now)).toBe(
      false,
    );
    expect(await on.deliveries.makeDue({ workspaceId, access: onlyProjects(['prj_other']) }, id, on.clock.now)).toBe(
      false,
    );
    await on.pool.query("UPDATE deliveries SET status = 'delivering' WHERE id = $1", [id]);
    expect(await on.deliveries.makeDue({ workspaceId, access: onlyProjects([projectId]) }, id, on.clock.now)).toBe(
      false,
    );
  });
});

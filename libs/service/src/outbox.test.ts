import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DEAD_STREAM, EVENT_STREAM, events, newId } from '@tidemark/contracts';
import type { CreditSpent } from '@tidemark/contracts/billing/v1/events';
import { EventBatch } from '@tidemark/contracts/bus/v1/bus';
import { AppError } from '@tidemark/errors';
import { startTestServers, type TestServers, until } from '@tidemark/testkit';
import type pg from 'pg';
import { Bus } from './bus.ts';
import { createLogger } from './logger.ts';
import { Outbox } from './outbox.ts';
import { writeEvents } from './outbox-rows.ts';
import { type OutgoingEvent, outgoingEvent } from './outgoing-event.ts';
import { openPool } from './postgres.ts';

const log = createLogger('test', process.env['TEST_LOG'] ?? 'silent');
let servers: TestServers;
let pool: pg.Pool;
let owner: Bus;
let outbox: Outbox;
beforeAll(async () => {
  servers = await startTestServers();
  pool = openPool(servers.database.url, 'scrape');
  owner = await Bus.connect(servers.nats.url, 'scrape', log);
  await owner.prepare();
  outbox = new Outbox(pool, owner, 'scrape', log, 200);
}, 120_000);
afterAll(async () => {
  await outbox.close();
  await owner.close();
  await pool.end();
  await servers.close();
});

/** What the consumer does with each event; and the number of times each reference was stored. */
let store: (event: CreditSpent) => void | Promise<void>;
let stored: Map<string, number>;
beforeEach(() => {
  stored = new Map();
  store = (event) => void stored.set(event.ref, (stored.get(event.ref) ?? 0) + 1);
});

async function consumer(retryDelaysMs?: readonly number[]): Promise<Bus> {
  const bus = await Bus.connect(servers.nats.url, 'billing', log, retryDelaysMs);
  bus.consume(events.creditSpent, 'billing', async (batch) => {
    for (const { event } of batch) await store(event);
  });
  return bus;
}

const charge = (ref = newId('cap')): OutgoingEvent =>
  outgoingEvent(events.creditSpent, `credit:${ref}`, {
    ref,
    actorId: '',
    projectId: '',
    workspaceId: 'ws_1',
    kind: 'page',
    credits: 1,
    pages: 1,
    at: new Date(),
  });
const refOf = (message: OutgoingEvent): string => message.id.slice('credit:'.length);

const commit = (...messages: OutgoingEvent[]): Promise<void> => writeEvents(pool, messages);

const rowsOf = async (...messages: OutgoingEvent[]) =>
  (await servers.database.sql('SELECT id FROM scrape.outbox WHERE id = ANY($1)', [messages.map((one) => one.id)]))
    .length;
/** Makes every outbox row due to be sent again. */
const age = () => servers.database.sql("UPDATE scrape.outbox SET sent_at = now() - interval '1 minute'");
const hasArrived = (message: OutgoingEvent) => until('the event to arrive', () => stored.has(refOf(message)));

describe('an event', () => {
  it('has its row deleted once its consumer has confirmed it', async () => {
    const billing = await consumer();
    const sent = Array.from({ length: 30 }, () => charge());
    await commit(...sent);
    outbox.send(sent);
    await until('the deletion of every row', async () => (await rowsOf(...sent)) === 0);
    expect(sent.map((one) => stored.has(refOf(one)))).not.toContain(false);
    await billing.close();
  });

  it('that was committed but not sent before its process was killed is sent by the sweep', async () => {
    const billing = await consumer();
    const sent = charge();
    await commit(sent);
    await age();
    await hasArrived(sent);
    await until('the deletion of its row', async () => (await rowsOf(sent)) === 0);
    await billing.close();
  });

  it('published without a connected consumer keeps its row until a consumer has stored it', async () => {
    const sent = charge();
    await commit(sent);
    outbox.send([sent]);
    await until('the event in the stream', async () => (await servers.nats.messagesIn(EVENT_STREAM.name)) > 0);
    expect(await rowsOf(sent)).toBe(1);
    const billing = await consumer();
    await hasArrived(sent);
    await until('the deletion of its row', async () => (await rowsOf(sent)) === 0);
    await billing.close();
  });

  it('is delivered after NATS lost all its data: the streams are created again', async () => {
    const manager = await servers.nats.manager();
    const sent = charge();
    await commit(sent);
    for (const stream of [EVENT_STREAM, DEAD_STREAM]) await manager.streams.delete(stream.name);
    outbox.send([sent]);
    await age();
    await until(
      'the owner to create the streams again',
      async () => (await servers.nats.messagesIn(EVENT_STREAM.name)) > 0,
    );
    const billing = await consumer();
    await hasArrived(sent);
    await until('the deletion of its row', async () => (await rowsOf(sent)) === 0);

    for (const stream of [EVENT_STREAM, DEAD_STREAM]) await manager.streams.delete(stream.name);
    const later = charge();
    await commit(later);
    await until('a consumer connected throughout to receive the next event', async () => {
      await age();
      return stored.has(refOf(later));
    });
    await billing.close();
  });

  it('published several times is confirmed and its row deleted', async () => {
    const billing = await consumer();
    const sent = charge();
    await commit(sent);
    outbox.send([sent, sent]);
    outbox.send([sent]);
    await hasArrived(sent);
    await until('the deletion of its row', async () => (await rowsOf(sent)) === 0);
    await billing.close();
  });
});

describe('an event that can not be stored', () => {
  const quickly = [10, 10, 10, 10];

  it('is moved to the dead-letter stream after five deliveries, and the other events of its message are stored', async () => {
    const billing = await consumer(quickly);
    const [bad, ...good] = [charge(), charge(), charge()];
    let deliveries = 0;
    store = (event) => {
      if (event.ref === refOf(bad)) {
        deliveries += 1;
        throw new Error('invalid row');
      }
      stored.set(event.ref, 1);
    };
    const dead = servers.nats.connection.subscribe(`dead.${events.creditSpent.subject}`, { max: 1 });
    await commit(bad, ...good);
    outbox.send([bad, ...good]);
    for await (const message of dead) {
      const kept = EventBatch.decode(message.data).events;
      expect(kept.map((event) => event.id)).toEqual([bad.id]);
      expect(Buffer.from(kept[0]?.payload ?? [])).toEqual(Buffer.from(bad.payload));
    }
    for (const one of good) expect(stored.has(refOf(one))).toBe(true);
    await until('no row is left to be sent again', async () => (await rowsOf(bad, ...good)) === 0);
    expect(deliveries).toBeGreaterThanOrEqual(5);
    expect(await servers.nats.messagesIn(DEAD_STREAM.name)).toBe(1);
    await billing.close();
  });

  it('because the database is unavailable is redelivered until the database is available again', async () => {
    const billing = await consumer(quickly);
    const before = await servers.nats.messagesIn(DEAD_STREAM.name);
    const sent = charge();
    let deliveries = 0;
    store = () => {
      deliveries += 1;
      throw new AppError('unavailable', 'the database is unavailable');
    };
    await commit(sent);
    outbox.send([sent]);
    await until('more deliveries than an invalid event gets', () => deliveries >= 6);
    expect(await rowsOf(sent)).toBe(1);
    store = (event) => void stored.set(event.ref, 1);
    await age();
    await hasArrived(sent);
    await until('the deletion of its row', async () => (await rowsOf(sent)) === 0);
    expect(await servers.nats.messagesIn(DEAD_STREAM.name)).toBe(before);
    await billing.close();
  });

  it('because it is malformed does not delay other events', async () => {
    const billing = await consumer(quickly);
    const sent = charge();
    const garbage = { ...charge(), payload: Buffer.from([0xff, 0xff, 0xff]) };
    servers.nats.connection.publish(events.creditSpent.subject, Buffer.from('not a batch'));
    await commit(sent, garbage);
    outbox.send([garbage, sent]);
    await hasArrived(sent);
    await until('both rows to be deleted', async () => (await rowsOf(sent, garbage)) === 0);
    await billing.close();
  });
});

describe('consuming', () => {
  it('throws if the service is not listed as a consumer of the event', () => {
    expect(() => owner.consume(events.creditSpent, 'archive', async () => undefined)).toThrow(/archive is no consumer/);
  });
});

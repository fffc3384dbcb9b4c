import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DEAD_STREAM, EVENT_STREAM, events, newId } from '@tidemark/contracts';
import type { CreditSpent } from '@tidemark/contracts/billing/v1/events';
import { EventBatch } from '@tidemark/contracts/bus/v1/bus';
import { AppError } from '@tidemark/errors';
import { startTestServers, type TestServers, until } from '@tidemark/testkit';
import type pg from 'pg';
import { Bus, type OutgoingEvent, outgoingEvent } from './bus.ts';
import { createLogger } from './logger.ts';
import { Outbox } from './outbox.ts';
import { writeEvents } from './outbox-rows.ts';
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
  outbox = new Outbox(pool, owner, 'scrape', log);
}, 120_000);
afterAll(async () => {
  await outbox.close();
  await owner.close();
  await pool.end();
  await servers.close();
});

/** What each delivery does, until told otherwise; and what has been stored, by reference. */
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
/** Passes over the time a fact is given before it is sent again. */
const age = () => servers.database.sql("UPDATE scrape.outbox SET sent_at = now() - interval '1 minute'");
const hasArrived = (message: OutgoingEvent) => until('the fact to arrive', () => stored.has(refOf(message)));

describe('a fact', () => {
  it('leaves no row behind once its consumer has confirmed that it is stored', async () => {
    const billing = await consumer();
    const told = Array.from({ length: 30 }, () => charge());
    await commit(...told);
    outbox.send(told);
    await until('every row to go', async () => (await rowsOf(...told)) === 0);
    expect(told.map((one) => stored.has(refOf(one)))).not.toContain(false);
    await billing.close();
  });

  it('that was committed but never sent, since its process died in between, is sent by the sweep', async () => {
    const billing = await consumer();
    const told = charge();
    await commit(told);
    await age();
    await hasArrived(told);
    await until('its row to go', async () => (await rowsOf(told)) === 0);
    await billing.close();
  });

  it('told while nobody listens waits, and keeps its row until it is stored', async () => {
    const told = charge();
    await commit(told);
    outbox.send([told]);
    await until('the stream to hold it', async () => (await servers.nats.messagesIn(EVENT_STREAM.name)) > 0);
    expect(await rowsOf(told)).toBe(1);
    const billing = await consumer();
    await hasArrived(told);
    await until('its row to go', async () => (await rowsOf(told)) === 0);
    await billing.close();
  });

  it('outlives a NATS that lost everything: the streams are made again and it is delivered', async () => {
    const manager = await servers.nats.manager();
    const told = charge();
    await commit(told);
    for (const stream of [EVENT_STREAM, DEAD_STREAM]) await manager.streams.delete(stream.name);
    outbox.send([told]);
    await age();
    await until(
      'the owner to make the streams again',
      async () => (await servers.nats.messagesIn(EVENT_STREAM.name)) > 0,
    );
    const billing = await consumer();
    await hasArrived(told);
    await until('its row to go', async () => (await rowsOf(told)) === 0);

    for (const stream of [EVENT_STREAM, DEAD_STREAM]) await manager.streams.delete(stream.name);
    const later = charge();
    await commit(later);
    await until(
      'a consumer that was listening all the while to hear the next one',
      async () => {
        await age();
        return stored.has(refOf(later));
      },
      { withinMs: 25_000 },
    );
    await billing.close();
  }, 60_000);

  it('told several times is confirmed all the same, and its consumer is only asked to repeat', async () => {
    const billing = await consumer();
    const told = charge();
    await commit(told);
    outbox.send([told, told]);
    outbox.send([told]);
    await hasArrived(told);
    await until('its row to go', async () => (await rowsOf(told)) === 0);
    await billing.close();
  });
});

describe('a fact that can’t be stored', () => {
  const quickly = [10, 10, 10, 10];

  it('fails alone after five deliveries: it is kept in the dead-letter stream, and the ones beside it are stored', async () => {
    const billing = await consumer(quickly);
    const [bad, ...good] = [charge(), charge(), charge()];
    let deliveries = 0;
    store = (event) => {
      if (event.ref === refOf(bad)) {
        deliveries += 1;
        throw new Error('a row that no database takes');
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

  it('because the database is away is never given up: it is stored when the database is back', async () => {
    const billing = await consumer(quickly);
    const before = await servers.nats.messagesIn(DEAD_STREAM.name);
    const told = charge();
    let deliveries = 0;
    store = () => {
      deliveries += 1;
      throw new AppError('unavailable', 'the database does not answer at the moment');
    };
    await commit(told);
    outbox.send([told]);
    await until('more deliveries than a poor fact gets', () => deliveries >= 6);
    expect(await rowsOf(told)).toBe(1);
    store = (event) => void stored.set(event.ref, 1);
    await age();
    await hasArrived(told);
    await until('its row to go', async () => (await rowsOf(told)) === 0);
    expect(await servers.nats.messagesIn(DEAD_STREAM.name)).toBe(before);
    await billing.close();
  });

  it('since it is no fact at all does not hold up the others', async () => {
    const billing = await consumer(quickly);
    const told = charge();
    const garbage = { ...charge(), payload: Buffer.from([0xff, 0xff, 0xff]) };
    servers.nats.connection.publish(events.creditSpent.subject, Buffer.from('not a batch'));
    await commit(told, garbage);
    outbox.send([garbage, told]);
    await hasArrived(told);
    await until('neither to be sent again', async () => (await rowsOf(told, garbage)) === 0);
    await billing.close();
  });
});

describe('consuming', () => {
  it('a fact one is no consumer of is refused at once', () => {
    expect(() => owner.consume(events.creditSpent, 'archive', async () => undefined)).toThrow(/archive is no consumer/);
  });
});

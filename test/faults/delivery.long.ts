import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../harness/until.ts';
import { type DeliveryDriver, driveDelivery } from './delivery-driver.ts';

const LIMIT_MS = 400_000;
const BATCHES = 1_000;
const MESSAGES = 2 * BATCHES;
const KILLS = 3;
/** A claim's 45 s, and what is left to be sent by then. */
const TAKEN_OVER_WITHIN_MS = 180_000;

let driver: DeliveryDriver;
beforeAll(async () => {
  driver = await driveDelivery();
}, 120_000);
afterAll(() => driver?.close(), 30_000);

test(
  'delivery killed while it sends: every message is delivered, none is lost, and one that comes twice has the same id and the same bytes',
  async () => {
    const { arrived } = driver;
    let running = await driver.spawn();
    await driver.endBatches(BATCHES);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const enough = Math.floor((MESSAGES * kill) / (KILLS + 1));
      await until(`${enough} messages`, () => arrived.length >= enough, { withinMs: TAKEN_OVER_WITHIN_MS });
      await running.kill('SIGKILL');
      await running.close();
      running = await driver.spawn();
    }
    const { database } = driver.servers;
    const delivered = async () => {
      const [row] = await database.sql<{ n: number }>(
        "SELECT count(*)::int AS n FROM delivery.deliveries WHERE status = 'delivered'",
      );
      return row?.n === MESSAGES;
    };
    await until('all of them to be delivered', delivered, { withinMs: TAKEN_OVER_WITHIN_MS });
    await running.close();

    const rows = await database.sql<{ id: string; body: string; attempts: number }>(
      'SELECT id, body, attempts FROM delivery.deliveries',
    );
    const bodies = new Map(rows.map(({ id, body }) => [id, body]));
    expect(rows).toHaveLength(MESSAGES);
    expect(new Set(arrived.map(({ id }) => id)).size).toBe(MESSAGES);
    expect(arrived.filter(({ id, body }) => bodies.get(id) !== body)).toEqual([]);
    // An attempt nobody finished is none.
    expect(rows.filter(({ attempts }) => attempts !== 1)).toEqual([]);
    process.stdout.write(`${MESSAGES} messages, ${KILLS} kills: ${arrived.length - MESSAGES} came twice\n`);
  },
  LIMIT_MS,
);

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../harness/until.ts';
import { type DeliveryDriver, driveDelivery } from './delivery-driver.ts';

const LIMIT_MS = 400_000;
const BATCHES = 1_000;
const MESSAGES = 2 * BATCHES;
const KILLS = 3;
/** The 45 s of a claim, and the time to send the rest, ms. */
const RECLAIMED_WITHIN_MS = 180_000;

let driver: DeliveryDriver;
beforeAll(async () => {
  driver = await driveDelivery();
}, 120_000);
afterAll(() => driver?.close(), 30_000);

test(
  'delivery killed while sending delivers every message, and a repeated one has the same id and body',
  async () => {
    const { arrived } = driver;
    let running = await driver.spawn();
    await driver.endBatches(BATCHES);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const enough = Math.floor((MESSAGES * kill) / (KILLS + 1));
      await until(`${enough} messages`, () => arrived.length >= enough, { withinMs: RECLAIMED_WITHIN_MS });
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
    await until('all of them to be delivered', delivered, { withinMs: RECLAIMED_WITHIN_MS });
    await running.close();

    const rows = await database.sql<{ id: string; body: string; attempts: number }>(
      'SELECT id, body, attempts FROM delivery.deliveries',
    );
    const bodies = new Map(rows.map(({ id, body }) => [id, body]));
    expect(rows).toHaveLength(MESSAGES);
    expect(new Set(arrived.map(({ id }) => id)).size).toBe(MESSAGES);
    expect(arrived.filter(({ id, body }) => bodies.get(id) !== body)).toEqual([]);
    // An interrupted attempt is not counted.
    expect(rows.filter(({ attempts }) => attempts !== 1)).toEqual([]);
    process.stdout.write(`${MESSAGES} messages, ${KILLS} kills: ${arrived.length - MESSAGES} came twice\n`);
  },
  LIMIT_MS,
);

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { createLogger, openPool } from '@tidemark/service';
import { until } from '@tidemark/testkit';
import type pg from 'pg';
import { ExpiryStore } from '../src/upkeep/expiry-store.ts';
import { RunExpirer } from '../src/upkeep/run-expirer.ts';
import { askIn, type FakeGround, openOnFakes } from './fake-ground.ts';

const NOW = new Date('2026-03-25T00:00:00Z');
const DAY_MS = 86_400_000;
const HOUR_S = 3_600;

let ground: FakeGround;
let pool: pg.Pool;
beforeAll(async () => {
  ground = await openOnFakes();
  pool = openPool(ground.ground.database.url, 'projects');
}, 120_000);
beforeEach(async () => {
  ground.crawl.beforeExpiring = () => undefined;
  await ground.sql('DELETE FROM projects.projects');
});
afterAll(async () => {
  await pool.end();
  await ground.close();
});

/** An expirer of a process of its own. */
const expirer = (): RunExpirer =>
  new RunExpirer({
    ...{ expiries: new ExpiryStore(pool), crawl: ground.crawl.peer },
    ...{ now: () => NOW, log: createLogger('test', 'silent') },
  });
const goesOn = () => true;

/** Projects whose turn is at the same moment, none of which the service's own expirer has reached. */
async function due(count: number): Promise<string[]> {
  const { create } = askIn(ground.service);
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push((await create()).id);
  return ids;
}
const itsTurn = (ids: readonly string[]) =>
  ground.sql('UPDATE projects.projects SET expire_after = now() WHERE id = ANY($1)', [ids]);
const asked = (ids: readonly string[]) => ground.crawl.expired.filter(({ projectId }) => ids.includes(projectId));
/** Seconds until the turn of each comes again. */
const waits = async (ids: readonly string[]): Promise<number[]> => {
  const text = 'SELECT extract(epoch FROM expire_after - now())::float AS s FROM projects.projects WHERE id = ANY($1)';
  return (await ground.sql<{ s: number }>(text, [ids])).map(({ s }) => s);
};

describe('the retention of a project', () => {
  it('ends its runs from before, once, however many processes look, and comes again in about a day', async () => {
    const ids = await due(60);
    await itsTurn(ids);
    const rounds = Array.from({ length: 4 }, () => expirer().round(goesOn));
    expect(await Promise.all(rounds)).toEqual([true, true, true, true]);
    // The service's own may have been at it, too.
    await until('each to be settled', async () => Math.min(...(await waits(ids))) > HOUR_S);
    expect(
      asked(ids)
        .map(({ projectId }) => projectId)
        .toSorted(),
    ).toEqual(ids.toSorted());
    const again = await waits(ids);
    expect(Math.min(...again)).toBeGreaterThan(22 * HOUR_S);
    expect(Math.max(...again)).toBeLessThan(26 * HOUR_S);
    expect(new Set(again).size).toBeGreaterThan(30);
  });

  it('is counted in the days it is kept for', async () => {
    const [id = ''] = await due(1);
    await ground.sql('UPDATE projects.projects SET retention_days = 7, expire_after = now() WHERE id = $1', [id]);
    await expirer().round(goesOn);
    await until('it to be settled', async () => Math.min(...(await waits([id]))) > HOUR_S);
    const [one] = asked([id]);
    const from = one?.before?.getTime() ?? 0;
    // By the clock of whichever process was first.
    const clocks = [NOW.getTime(), Date.now()].map((now) => Math.abs(now - 7 * DAY_MS - from));
    expect(Math.min(...clocks)).toBeLessThan(60_000);
  });

  it('is come back to soon where crawl could not be asked, and holds up no other', async () => {
    const ids = await due(3);
    let asks = 0;
    ground.crawl.beforeExpiring = () => {
      asks += 1;
      if (asks === 1) throw new AppError('unavailable', 'crawl is away');
    };
    await itsTurn(ids);
    await expirer().round(goesOn);
    await until('all to be looked at', () => asks >= 3);
    await until('all to be settled', async () => (await waits(ids)).filter((s) => s > HOUR_S).length === 2);
    const soon = (await waits(ids)).filter((s) => s < HOUR_S);
    expect(soon).toHaveLength(1);
    expect(soon[0]).toBeGreaterThan(60);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { createLogger, openPool } from '@tidemark/service';
import { until } from '@tidemark/testkit';
import type pg from 'pg';
import { makeExpireRuns } from '../src/retention/expire-runs.ts';
import { ExpiryStore } from '../src/retention/expiry-store.ts';
import { type ProjectsWithFakes, rpcClient, startWithFakes } from './start-with-fakes.ts';

const NOW = new Date('2026-03-25T00:00:00Z');
const DAY_MS = 86_400_000;
const HOUR_S = 3_600;

let fixture: ProjectsWithFakes;
let pool: pg.Pool;
beforeAll(async () => {
  fixture = await startWithFakes();
  pool = openPool(fixture.servers.database.url, 'projects');
}, 120_000);
beforeEach(async () => {
  fixture.crawl.onExpire = () => undefined;
  await fixture.sql('DELETE FROM projects.projects');
});
afterAll(async () => {
  await pool.end();
  await fixture.close();
});

/** Runs the task as another instance would. */
const expireRuns = (): Promise<boolean> =>
  makeExpireRuns({
    expiries: new ExpiryStore(pool),
    crawl: fixture.crawl.peer,
    now: () => NOW,
    log: createLogger('test', 'silent'),
  })(() => true);

/** Creates projects. */
async function createProjects(count: number): Promise<string[]> {
  const { create } = rpcClient(fixture.service);
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push((await create()).id);
  return ids;
}
const makeDue = (ids: readonly string[]) =>
  fixture.sql("UPDATE projects.projects SET next_expiry = now() - interval '1 second' WHERE id = ANY($1)", [ids]);
const expired = (ids: readonly string[]) => fixture.crawl.expired.filter(({ projectId }) => ids.includes(projectId));
/** Seconds until each is due again. */
const waits = async (ids: readonly string[]): Promise<number[]> => {
  const text = 'SELECT extract(epoch FROM next_expiry - now())::float AS s FROM projects.projects WHERE id = ANY($1)';
  return (await fixture.sql<{ s: number }>(text, [ids])).map(({ s }) => s);
};

describe('the retention of a project', () => {
  it('deletes older runs once per project with any number of instances, and is due again in about a day', async () => {
    const ids = await createProjects(60);
    await makeDue(ids);
    const tasks = Array.from({ length: 4 }, () => expireRuns());
    expect(await Promise.all(tasks)).toEqual([true, true, true, true]);
    // The service's own task may have claimed some of them.
    await until('all projects to be finished', async () => Math.min(...(await waits(ids))) > HOUR_S);
    expect(
      expired(ids)
        .map(({ projectId }) => projectId)
        .toSorted(),
    ).toEqual(ids.toSorted());
    const next = await waits(ids);
    expect(Math.min(...next)).toBeGreaterThan(22 * HOUR_S);
    expect(Math.max(...next)).toBeLessThan(26 * HOUR_S);
    expect(new Set(next).size).toBeGreaterThan(30);
  });

  it('is counted in the days of the project', async () => {
    const [id = ''] = await createProjects(1);
    await fixture.sql('UPDATE projects.projects SET retention_days = 7 WHERE id = $1', [id]);
    await makeDue([id]);
    await expireRuns();
    await until('the project to be finished', async () => Math.min(...(await waits([id]))) > HOUR_S);
    const [one] = expired([id]);
    const from = one?.before?.getTime() ?? 0;
    // The clock is that of the instance that claimed it.
    const clocks = [NOW.getTime(), Date.now()].map((now) => Math.abs(now - 7 * DAY_MS - from));
    expect(Math.min(...clocks)).toBeLessThan(60_000);
  });

  it('is retried soon if crawl is unavailable, and does not block other projects', async () => {
    const ids = await createProjects(3);
    let calls = 0;
    fixture.crawl.onExpire = () => {
      calls += 1;
      if (calls === 1) throw new AppError('unavailable', 'crawl cannot be reached');
    };
    await makeDue(ids);
    await expireRuns();
    await until('all projects to be claimed', () => calls >= 3);
    await until('all projects to be finished', async () => (await waits(ids)).filter((s) => s > HOUR_S).length === 2);
    const soon = (await waits(ids)).filter((s) => s < HOUR_S);
    expect(soon).toHaveLength(1);
    expect(soon[0]).toBeGreaterThan(60);
  });
});

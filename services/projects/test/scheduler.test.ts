import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { AppError, type ErrorCode } from '@tidemark/errors';
import { createLogger, inPieces, openPool } from '@tidemark/service';
import { type Ground, layGround, newWorkspace, until } from '@tidemark/testkit';
import type pg from 'pg';
import { dueAfter } from '../src/schedule/due-times.ts';
import { Scheduler } from '../src/schedule/scheduler.ts';
import { type DueClaim, DueStore } from '../src/store/due-store.ts';

const log = createLogger('scheduler', 'silent');
const HOUR_MS = 3_600_000;
const goesOn = () => true;

let ground: Ground;
let pool: pg.Pool;
beforeAll(async () => {
  ground = await layGround();
  pool = openPool(ground.database.url, 'projects');
}, 120_000);
afterEach(() => ground.database.sql('DELETE FROM projects.projects'));
afterAll(async () => {
  await pool.end();
  await ground.close();
});

const schedulerCalled = (owner: string, now: () => Date, startRun: (due: DueClaim) => Promise<void>): Scheduler =>
  new Scheduler({ dues: new DueStore(pool, owner), startRun, now, log });

/** Writes hourly projects that were made at `at`. */
async function writeProjects(count: number, at: Date): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('prj'));
  const due = ids.map((id) => dueAfter({ schedule: 'hourly', timezone: 'UTC' }, id, at));
  await ground.database.sql(
    `INSERT INTO projects.projects (id, workspace_id, seed, name, schedule, timezone, retention_days, config, next_due, created_at, updated_at)
     SELECT id, $3, 'https://site.test/', '', 'hourly', 'UTC', 90, '{}', due, $4, $4 FROM unnest($1::text[], $2::timestamptz[]) AS t(id, due)`,
    [ids, due, newWorkspace(), at],
  );
  return ids;
}

/** Looks, again and again, until nothing is due or being started. */
const allSettled = (schedulers: readonly Scheduler[], now: Date) =>
  until(
    'every due run to be settled',
    async () => {
      await Promise.all(schedulers.map((scheduler) => scheduler.round(goesOn)));
      const [left] = await ground.database.sql<{ left: number }>(
        `SELECT ((SELECT count(*) FROM projects.projects WHERE next_due <= $1)
          + (SELECT count(*) FROM projects.due_runs WHERE status = 'starting'))::int AS left`,
        [now],
      );
      return left?.left === 0;
    },
    { withinMs: 60_000 },
  );

describe('many schedulers', () => {
  it('claim two thousand projects that are due at one moment, each once, in seconds', async () => {
    const at = new Date('2026-03-25T00:00:00Z');
    const now = new Date(at.getTime() + 3 * HOUR_MS);
    const ids = await writeProjects(2_000, at);
    const started: string[] = [];
    const startRun = async ({ projectId }: DueClaim) => void started.push(projectId);
    const schedulers = ['a', 'b', 'c'].map((owner) => schedulerCalled(owner, () => now, startRun));
    const startedAt = performance.now();
    await allSettled(schedulers, now);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(started.toSorted()).toEqual(ids.toSorted());
  }, 60_000);

  it('of clocks that differ start each due run once all the same', async () => {
    const at = new Date('2026-03-25T00:00:00Z');
    const ids = await writeProjects(50, at);
    const started: string[] = [];
    const startRun = async ({ projectId, dueAt }: DueClaim) => void started.push(`${projectId} ${dueAt.toISOString()}`);
    const clock = { now: at };
    const ahead = schedulerCalled('ahead', () => new Date(clock.now.getTime() + 600_000), startRun);
    const behind = schedulerCalled('behind', () => new Date(clock.now.getTime() - 600_000), startRun);
    for (let minutes = 0; minutes <= 180; minutes += 5) {
      clock.now = new Date(at.getTime() + minutes * 60_000);
      await Promise.all([ahead.round(goesOn), behind.round(goesOn)]);
    }
    expect(new Set(started).size).toBe(started.length);
    // 180 minutes, and the ten by which one of them is ahead.
    for (const id of ids) expect([3, 4]).toContain(started.filter((one) => one.startsWith(id)).length);
  }, 60_000);
});

describe('a scheduler', () => {
  it('holds no more claims at once than it starts in the time of one, what others left undone among them', async () => {
    const at = new Date('2026-03-25T00:00:00Z');
    const now = new Date(at.getTime() + HOUR_MS);
    const ids = await writeProjects(60, at);
    const decide = () => ({ runId: newId('run'), next: undefined, missed: 0 });
    await new DueStore(pool, 'gone').claim(now, 12, decide);
    await ground.database.sql(`UPDATE projects.due_runs SET lease_until = now() - interval '1 second'`);
    const held: number[] = [];
    const started: string[] = [];
    const startRun = async ({ projectId }: DueClaim): Promise<void> => {
      started.push(projectId);
      const text = `SELECT 1 FROM projects.due_runs WHERE status = 'starting' AND owner = 'a'`;
      held.push((await ground.database.sql(text)).length);
    };
    await schedulerCalled('a', () => now, startRun).round(goesOn);
    expect(started.toSorted()).toEqual(ids.toSorted());
    expect(Math.max(...held)).toBe(20);
  });

  it('claims nothing more once it is to end', async () => {
    const at = new Date('2026-03-25T00:00:00Z');
    const now = new Date(at.getTime() + HOUR_MS);
    await writeProjects(60, at);
    const started: string[] = [];
    const startRun = async ({ projectId }: DueClaim) => void started.push(projectId);
    await schedulerCalled('a', () => now, startRun).round(() => started.length === 0);
    expect(started).toHaveLength(20);
  });
});

describe('what became of due runs', () => {
  it('is forgotten after a while, however much it is, the last of each project apart', async () => {
    const [id] = await writeProjects(1, new Date());
    await ground.database.sql(
      `INSERT INTO projects.due_runs (project_id, due_at, workspace_id, run_id, status, owner, lease_until)
       SELECT $1, now() - interval '91 days' - i * interval '1 minute', '', '', 'started', '', now() FROM generate_series(0, 12000) i`,
      [id],
    );
    const dues = new DueStore(pool, 'a');
    expect(await inPieces(() => dues.forgetSome(), goesOn)).toBe(true);
    expect(await ground.database.sql('SELECT 1 FROM projects.due_runs')).toHaveLength(1);
  });
});

describe('a due run that can’t be started', () => {
  const failing = (code: ErrorCode, times: number) => {
    const asked: string[] = [];
    const startRun = async ({ runId }: DueClaim): Promise<void> => {
      asked.push(runId);
      if (asked.length <= times) throw new AppError(code, `no: ${code}`);
    };
    return { asked, startRun };
  };
  const outcome = () =>
    ground.database.sql<{ status: string; why: string }>('SELECT status, why FROM projects.due_runs');

  it('for a passing reason is asked for again, as the same run', async () => {
    const at = new Date('2026-03-25T00:00:00Z');
    const now = new Date(at.getTime() + HOUR_MS);
    await writeProjects(1, at);
    const { asked, startRun } = failing('unavailable', 1);
    await allSettled([schedulerCalled('a', () => now, startRun), schedulerCalled('b', () => now, startRun)], now);
    expect(asked).toHaveLength(2);
    expect(new Set(asked).size).toBe(1);
    expect(await outcome()).toEqual([{ status: 'started', why: '' }]);
  }, 60_000);

  it.each([
    ['conflict', 'skipped'],
    ['credits_exhausted', 'refused'],
    ['validation', 'refused'],
  ] as const)('with the code %s is %s, not asked for again, and due again in its time', async (code, status) => {
    const at = new Date('2026-03-25T00:00:00Z');
    const clock = { now: new Date(at.getTime() + HOUR_MS) };
    await writeProjects(1, at);
    const { asked, startRun } = failing(code, 1);
    const scheduler = schedulerCalled('a', () => clock.now, startRun);
    await allSettled([scheduler], clock.now);
    await scheduler.round(goesOn);
    expect(asked).toHaveLength(1);
    expect(await outcome()).toEqual([{ status, why: `no: ${code}` }]);
    clock.now = new Date(clock.now.getTime() + HOUR_MS);
    await allSettled([scheduler], clock.now);
    expect(asked).toHaveLength(2);
  });
});

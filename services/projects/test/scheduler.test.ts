import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { AppError, type ErrorCode } from '@tidemark/errors';
import { createLogger, openPool, repeatUntilDone } from '@tidemark/service';
import { newWorkspace, startTestServers, type TestServers, until } from '@tidemark/testkit';
import type pg from 'pg';
import { type DueClaim, DueRunStore } from '../src/schedule/due-run-store.ts';
import { dueAfter } from '../src/schedule/due-times.ts';
import { Scheduler } from '../src/schedule/scheduler.ts';

const log = createLogger('scheduler', 'silent');
const HOUR_MS = 3_600_000;
const always = () => true;

let servers: TestServers;
let pool: pg.Pool;
beforeAll(async () => {
  servers = await startTestServers();
  pool = openPool(servers.database.url, 'projects');
}, 120_000);
afterEach(() => servers.database.sql('DELETE FROM projects.projects'));
afterAll(async () => {
  await pool.end();
  await servers.close();
});

const schedulerOf = (owner: string, now: () => Date, startRun: (due: DueClaim) => Promise<void>): Scheduler =>
  new Scheduler({ dueRuns: new DueRunStore(pool, owner), startRun, now, log });

/** Inserts hourly projects that were created at `at`. */
async function writeProjects(count: number, at: Date): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('prj'));
  const due = ids.map((id) => dueAfter({ schedule: 'hourly', timezone: 'UTC' }, id, at));
  await servers.database.sql(
    `INSERT INTO projects.projects (id, workspace_id, seed, name, schedule, timezone, retention_days, config, next_due, created_at, updated_at)
     SELECT id, $3, 'https://site.test/', '', 'hourly', 'UTC', 90, '{}', due, $4, $4 FROM unnest($1::text[], $2::timestamptz[]) AS t(id, due)`,
    [ids, due, newWorkspace(), at],
  );
  return ids;
}

/** Runs the schedulers until no run is due or starting. */
const runAll = (schedulers: readonly Scheduler[], now: Date) =>
  until('every due run to be finished', async () => {
    await Promise.all(schedulers.map((scheduler) => scheduler.run(always)));
    const [left] = await servers.database.sql<{ left: number }>(
      `SELECT ((SELECT count(*) FROM projects.projects WHERE next_due <= $1)
          + (SELECT count(*) FROM projects.due_runs WHERE status = 'starting'))::int AS left`,
      [now],
    );
    return left?.left === 0;
  });

describe('many schedulers', () => {
  it('claim two thousand projects that are due at the same time, each once, in seconds', async () => {
    const at = new Date('2026-03-25T00:00:00Z');
    const now = new Date(at.getTime() + 3 * HOUR_MS);
    const ids = await writeProjects(2_000, at);
    const started: string[] = [];
    const startRun = async ({ projectId }: DueClaim) => void started.push(projectId);
    const schedulers = ['a', 'b', 'c'].map((owner) => schedulerOf(owner, () => now, startRun));
    const startedAt = performance.now();
    await runAll(schedulers, now);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(started.toSorted()).toEqual(ids.toSorted());
  });

  it('with different clocks start each due run once', async () => {
    const at = new Date('2026-03-25T00:00:00Z');
    const ids = await writeProjects(50, at);
    const started: string[] = [];
    const startRun = async ({ projectId, dueAt }: DueClaim) => void started.push(`${projectId} ${dueAt.toISOString()}`);
    const clock = { now: at };
    const ahead = schedulerOf('ahead', () => new Date(clock.now.getTime() + 600_000), startRun);
    const behind = schedulerOf('behind', () => new Date(clock.now.getTime() - 600_000), startRun);
    for (let minutes = 0; minutes <= 180; minutes += 5) {
      clock.now = new Date(at.getTime() + minutes * 60_000);
      await Promise.all([ahead.run(always), behind.run(always)]);
    }
    expect(new Set(started).size).toBe(started.length);
    // 180 minutes, and the ten by which one of them is ahead.
    for (const id of ids) expect([3, 4]).toContain(started.filter((one) => one.startsWith(id)).length);
  });
});

describe('a scheduler', () => {
  it('holds at most one batch of claims at once, expired claims included', async () => {
    const at = new Date('2026-03-25T00:00:00Z');
    const now = new Date(at.getTime() + HOUR_MS);
    const ids = await writeProjects(60, at);
    const decide = () => ({ runId: newId('run'), next: undefined, missed: 0 });
    await new DueRunStore(pool, 'gone').claim(now, 12, decide);
    await servers.database.sql(`UPDATE projects.due_runs SET lease_until = now() - interval '1 second'`);
    const held: number[] = [];
    const started: string[] = [];
    const startRun = async ({ projectId }: DueClaim): Promise<void> => {
      started.push(projectId);
      const text = `SELECT 1 FROM projects.due_runs WHERE status = 'starting' AND owner = 'a'`;
      held.push((await servers.database.sql(text)).length);
    };
    await schedulerOf('a', () => now, startRun).run(always);
    expect(started.toSorted()).toEqual(ids.toSorted());
    expect(Math.max(...held)).toBe(20);
  });

  it('claims nothing more after its task is stopped', async () => {
    const at = new Date('2026-03-25T00:00:00Z');
    const now = new Date(at.getTime() + HOUR_MS);
    await writeProjects(60, at);
    const started: string[] = [];
    const startRun = async ({ projectId }: DueClaim) => void started.push(projectId);
    await schedulerOf('a', () => now, startRun).run(() => started.length === 0);
    expect(started).toHaveLength(20);
  });
});

describe('old due runs', () => {
  it('are deleted in batches, except the newest of each project', async () => {
    const [id] = await writeProjects(1, new Date());
    await servers.database.sql(
      `INSERT INTO projects.due_runs (project_id, due_at, workspace_id, run_id, status, owner, lease_until)
       SELECT $1, now() - interval '91 days' - i * interval '1 minute', '', '', 'started', '', now() FROM generate_series(0, 12000) i`,
      [id],
    );
    const dueRuns = new DueRunStore(pool, 'a');
    expect(await repeatUntilDone(() => dueRuns.deleteOldBatch(), always)).toBe(true);
    expect(await servers.database.sql('SELECT 1 FROM projects.due_runs')).toHaveLength(1);
  });
});

describe('a due run that cannot be started', () => {
  const failing = (code: ErrorCode, times: number) => {
    const attempts: string[] = [];
    const startRun = async ({ runId }: DueClaim): Promise<void> => {
      attempts.push(runId);
      if (attempts.length <= times) throw new AppError(code, `no: ${code}`);
    };
    return { attempts, startRun };
  };
  const results = () =>
    servers.database.sql<{ status: string; why: string }>('SELECT status, why FROM projects.due_runs');

  it('because of a transient error is started again, as the same run', async () => {
    const at = new Date('2026-03-25T00:00:00Z');
    const now = new Date(at.getTime() + HOUR_MS);
    await writeProjects(1, at);
    const { attempts, startRun } = failing('unavailable', 1);
    await runAll([schedulerOf('a', () => now, startRun), schedulerOf('b', () => now, startRun)], now);
    expect(attempts).toHaveLength(2);
    expect(new Set(attempts).size).toBe(1);
    expect(await results()).toEqual([{ status: 'started', why: '' }]);
  });

  it('whose process ended at every attempt is refused with the reason, and not started again', async () => {
    const at = new Date('2026-03-25T00:00:00Z');
    const now = new Date(at.getTime() + HOUR_MS);
    await writeProjects(1, at);
    const dies = () =>
      servers.database.sql(
        "UPDATE projects.due_runs SET status = 'starting', owner = 'dead', interruptions = 4, lease_until = now() - interval '1 second'",
      );
    const { attempts, startRun } = failing('unavailable', 0);
    await schedulerOf('a', () => now, startRun).run(always);
    await dies();
    await schedulerOf('b', () => now, startRun).run(always);
    expect(attempts).toHaveLength(1);
    expect(await results()).toEqual([
      { status: 'refused', why: 'the process that started the run ended 5 times in a row' },
    ]);
  });

  it('is postponed while a recrawl of its project is unfinished, and then started', async () => {
    const at = new Date('2026-03-25T00:00:00Z');
    const now = new Date(at.getTime() + HOUR_MS);
    await writeProjects(1, at);
    const busy = () => Promise.reject(new AppError('conflict', 'a re-crawl is running', { retryAfterSeconds: 10 }));
    await schedulerOf('a', () => now, busy).run(always);
    expect(await results()).toEqual([{ status: 'starting', why: 'a re-crawl is running' }]);
    await servers.database.sql("UPDATE projects.due_runs SET lease_until = now() - interval '1 second'");
    await schedulerOf(
      'a',
      () => now,
      () => Promise.resolve(),
    ).run(always);
    expect(await results()).toEqual([{ status: 'started', why: '' }]);
  });

  it.each([
    ['conflict', 'skipped'],
    ['credits_exhausted', 'refused'],
    ['validation', 'refused'],
  ] as const)('with the code %s is %s, not started again, and due again at the next time', async (code, status) => {
    const at = new Date('2026-03-25T00:00:00Z');
    const clock = { now: new Date(at.getTime() + HOUR_MS) };
    await writeProjects(1, at);
    const { attempts, startRun } = failing(code, 1);
    const scheduler = schedulerOf('a', () => clock.now, startRun);
    await runAll([scheduler], clock.now);
    await scheduler.run(always);
    expect(attempts).toHaveLength(1);
    expect(await results()).toEqual([{ status, why: `no: ${code}` }]);
    clock.now = new Date(clock.now.getTime() + HOUR_MS);
    await runAll([scheduler], clock.now);
    expect(attempts).toHaveLength(2);
  });
});

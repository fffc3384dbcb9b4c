import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Project } from '@tidemark/contracts/projects/v1/projects';
import { until } from '@tidemark/testkit';
import pg from 'pg';
import { dueAfter } from '../src/schedule/due-times.ts';
import { spawnProgram, type TestProcess } from './crawl-process.ts';
import { ONE_PAGE, type ProjectsWithCrawl, projectClient, startWithCrawl } from './start-with-crawl.ts';

const SCHEDULER = fileURLToPath(new URL('./scheduler-process.ts', import.meta.url));
const HALF_A_DAY_MS = 12 * 3_600_000;
const HALF_DAYS = 14;
const KILLED_AT = 6;

let fixture: ProjectsWithCrawl;
beforeAll(async () => {
  // The scheduler of the service uses the real clock and must not interfere.
  fixture = await startWithCrawl({ SCHEDULE_SECONDS: '3600' });
  await fixture.sql('CREATE TABLE public.test_clock AS SELECT now() AS now');
}, 120_000);
beforeEach(async () => {
  await fixture.sql('UPDATE public.test_clock SET now = now()');
});
afterAll(() => fixture.close());

const startScheduler = (owner: string): TestProcess =>
  fixture.servers.own(spawnProgram(SCHEDULER, { ...fixture.env, OWNER: owner }));
const setClock = (now: Date) => fixture.sql('UPDATE public.test_clock SET now = $1', [now]);

/** Resolves when no run is due, starting or running. */
const allDone = (now: Date) =>
  until(
    'all due runs to end',
    async () => {
      const [left] = await fixture.sql<{ left: number }>(
        `SELECT (SELECT count(*) FROM projects.projects WHERE next_due <= $1)
          + (SELECT count(*) FROM projects.due_runs WHERE status = 'starting')
          + (SELECT count(*) FROM crawl.runs WHERE NOT cleaned_up) AS left`,
        [now],
      );
      return Number(left?.left) === 0;
    },
    { withinMs: 60_000 },
  );

/** How often a project is due when the scheduler runs at these times. */
function timesDue(project: Project, checks: readonly Date[]): number {
  let next = project.nextDueAt;
  let times = 0;
  for (const check of checks) {
    if (next === undefined || next > check) continue;
    times += 1;
    next = dueAfter(project, project.id, check);
  }
  return times;
}

/** Resolves to the owner of a claimed due run. */
const startingOwner = () =>
  until('a scheduler to claim a due run', async () => {
    const [row] = await fixture.sql<{ owner: string }>(`SELECT owner FROM projects.due_runs WHERE status = 'starting'`);
    return row?.owner;
  });

/** Blocks every start of a run until the returned function is called. */
async function holdStarts(): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: fixture.env['DATABASE_URL'] ?? '' });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE crawl.runs IN EXCLUSIVE MODE');
  return () => holder.end();
}

describe('two schedulers, over a week, one of them killed', () => {
  it('start each due run exactly once', async () => {
    const { create } = projectClient(fixture.service);
    const schedules = ['hourly', 'daily', 'weekly', 'monthly', '30 6 * * *', '*/5 * * * MON-FRI', 'manual'];
    const zones = ['UTC', 'America/New_York', 'Asia/Kolkata'];
    const created: Project[] = [];
    for (const [i, schedule] of schedules.entries())
      for (const timezone of schedule === 'hourly' ? zones : [zones[i % zones.length]])
        created.push(await create(ONE_PAGE, { settings: { schedule, timezone: timezone ?? 'UTC' } }));
    const schedulers = new Map(['one', 'other'].map((owner) => [owner, startScheduler(owner)]));
    let killed = '';
    const checks = Array.from({ length: HALF_DAYS }, (_, i) => new Date(Date.now() + (i + 1) * HALF_A_DAY_MS));
    for (const [i, now] of checks.entries()) {
      if (i === KILLED_AT) {
        const release = await holdStarts();
        try {
          await setClock(now);
          killed = await startingOwner();
          await schedulers.get(killed)?.kill();
        } finally {
          await release();
        }
      } else await setClock(now);
      await allDone(now);
    }
    const expected = new Map(created.map((project) => [project.id, timesDue(project, checks)]));
    const count = async (text: string) => {
      const rows = await fixture.sql<{ id: string; times: number }>(text);
      const times = new Map(rows.map(({ id, times }) => [id, times]));
      return new Map(created.map(({ id }) => [id, times.get(id) ?? 0]));
    };
    expect(await count(`SELECT project_id AS id, count(*)::int AS times FROM crawl.runs GROUP BY 1`)).toEqual(expected);
    const dues = `SELECT project_id AS id, count(*)::int AS times FROM projects.due_runs WHERE status = 'started' GROUP BY 1`;
    expect(await count(dues)).toEqual(expected);
    const [strays] = await fixture.sql<{ strays: number }>(
      `SELECT count(*)::int AS strays FROM projects.due_runs d FULL JOIN crawl.runs r ON r.id = d.run_id
       WHERE d.run_id IS NULL OR r.id IS NULL OR r.trigger <> 'schedule'`,
    );
    expect(strays).toEqual({ strays: 0 });
    const reclaimed = await fixture.sql('SELECT 1 FROM projects.due_runs WHERE attempts > 1 AND owner <> $1', [killed]);
    expect(reclaimed.length).toBeGreaterThan(0);
  }, 240_000);
});

describe('a due run', () => {
  it('replaces all missed due runs, and stores their number', async () => {
    const { create, get, runs } = projectClient(fixture.service);
    const { id } = await create(ONE_PAGE, { settings: { schedule: 'hourly' } });
    const now = new Date(Date.now() + 2 * HALF_A_DAY_MS);
    await setClock(now);
    startScheduler('second');
    await allDone(now);
    const project = await get(id);
    expect(project.lastDue).toMatchObject({ status: 'started', missed: 23 });
    expect(project.nextDueAt?.getTime()).toBeGreaterThan(now.getTime());
    const { runs: started } = await runs(id);
    expect(started.map((run) => [run.id, run.trigger])).toEqual([[project.lastDue?.runId, 'schedule']]);
  }, 60_000);

  it('is skipped with the reason while a run is queued or running', async () => {
    const { create, startRun, runs, get } = projectClient(fixture.service);
    const { id } = await create(ONE_PAGE, { settings: { schedule: 'hourly' } });
    fixture.workers.isHeld = true;
    const current = await startRun(id);
    await setClock(new Date(Date.now() + HALF_A_DAY_MS));
    startScheduler('third');
    const due = await becomes(get, id, 'skipped');
    expect(due).toMatchObject({ runId: '', why: expect.stringMatching(/queued or running/) });
    fixture.workers.isHeld = false;
    expect((await runs(id)).runs.map((run) => run.id)).toEqual([current.id]);
  }, 60_000);

  it('is refused with the reason if the workspace has no credits for a page', async () => {
    const { workspaceId, create, runs, get } = projectClient(fixture.service);
    fixture.billing.setBalance(workspaceId, 0);
    const { id } = await create(ONE_PAGE, { settings: { schedule: 'daily' } });
    await setClock(new Date(Date.now() + 2 * HALF_A_DAY_MS));
    startScheduler('fourth');
    expect(await becomes(get, id, 'refused')).toMatchObject({ why: expect.stringMatching(/credit/) });
    expect((await runs(id)).runs).toEqual([]);
  }, 60_000);
});

const becomes = (get: (id: string) => Promise<Project>, id: string, status: string) =>
  until(`a due run to be ${status}`, async () => {
    const { lastDue } = await get(id);
    return lastDue?.status === status && lastDue;
  });

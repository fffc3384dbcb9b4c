import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Project } from '@tidemark/contracts/projects/v1/projects';
import { until } from '@tidemark/testkit';
import pg from 'pg';
import { dueAfter } from '../src/schedule/due-times.ts';
import { spawnProgram, type TestProcess } from './crawl-process.ts';
import { clientIn, ONE_PAGE, openProjects, type ProjectsGround } from './projects-ground.ts';

const ALONE = fileURLToPath(new URL('./scheduler-alone.ts', import.meta.url));
const HALF_A_DAY_MS = 12 * 3_600_000;
const HALF_DAYS = 14;
const KILLED_AT = 6;

let ground: ProjectsGround;
beforeAll(async () => {
  // The service's own scheduler goes by the real clock, and is not to meddle.
  ground = await openProjects({ SCHEDULE_SECONDS: '3600' });
  await ground.sql('CREATE TABLE public.test_clock AS SELECT now() AS now');
}, 120_000);
beforeEach(async () => {
  await ground.sql('UPDATE public.test_clock SET now = now()');
});
afterAll(() => ground.close());

const schedulerCalled = (owner: string): TestProcess =>
  ground.ground.own(spawnProgram(ALONE, { ...ground.env, OWNER: owner }));
const setClock = (now: Date) => ground.sql('UPDATE public.test_clock SET now = $1', [now]);

/** Resolves when nothing is due, nobody is starting a run and every run has ended. */
const allDone = (now: Date) =>
  until(
    'all that is due to be done',
    async () => {
      const [left] = await ground.sql<{ left: number }>(
        `SELECT (SELECT count(*) FROM projects.projects WHERE next_due <= $1)
          + (SELECT count(*) FROM projects.due_runs WHERE status = 'starting')
          + (SELECT count(*) FROM crawl.runs WHERE NOT tidied) AS left`,
        [now],
      );
      return Number(left?.left) === 0;
    },
    { withinMs: 60_000 },
  );

/** How often a project is due when its clock is looked at at these times. */
function timesDue(project: Project, looks: readonly Date[]): number {
  let next = project.nextDueAt;
  let times = 0;
  for (const look of looks) {
    if (next === undefined || next > look) continue;
    times += 1;
    next = dueAfter(project, project.id, look);
  }
  return times;
}

/** Who is starting runs, once somebody is. */
const startingOwner = () =>
  until('one of them to be starting runs', async () => {
    const [row] = await ground.sql<{ owner: string }>(`SELECT owner FROM projects.due_runs WHERE status = 'starting'`);
    return row?.owner;
  });

/** Holds up every start of a run until told otherwise. */
async function holdStarts(): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: ground.env['DATABASE_URL'] ?? '' });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE crawl.runs IN EXCLUSIVE MODE');
  return () => holder.end();
}

describe('two schedulers, a clock moved by a week, one killed in the middle', () => {
  it('start each due run exactly once', async () => {
    const { create } = clientIn(ground.service);
    const schedules = ['hourly', 'daily', 'weekly', 'monthly', '30 6 * * *', '*/5 * * * MON-FRI', 'manual'];
    const zones = ['UTC', 'America/New_York', 'Asia/Kolkata'];
    const made: Project[] = [];
    for (const schedule of schedules)
      for (const timezone of zones) made.push(await create(ONE_PAGE, { keeping: { schedule, timezone } }));
    const schedulers = new Map(['one', 'other'].map((owner) => [owner, schedulerCalled(owner)]));
    let killed = '';
    const looks = Array.from({ length: HALF_DAYS }, (_, i) => new Date(Date.now() + (i + 1) * HALF_A_DAY_MS));
    for (const [i, now] of looks.entries()) {
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
    const expected = new Map(made.map((project) => [project.id, timesDue(project, looks)]));
    const count = async (text: string) => {
      const rows = await ground.sql<{ id: string; times: number }>(text);
      const times = new Map(rows.map(({ id, times }) => [id, times]));
      return new Map(made.map(({ id }) => [id, times.get(id) ?? 0]));
    };
    expect(await count(`SELECT project_id AS id, count(*)::int AS times FROM crawl.runs GROUP BY 1`)).toEqual(expected);
    const dues = `SELECT project_id AS id, count(*)::int AS times FROM projects.due_runs WHERE status = 'started' GROUP BY 1`;
    expect(await count(dues)).toEqual(expected);
    const [strays] = await ground.sql<{ strays: number }>(
      `SELECT count(*)::int AS strays FROM projects.due_runs d FULL JOIN crawl.runs r ON r.id = d.run_id
       WHERE d.run_id IS NULL OR r.id IS NULL OR r.trigger <> 'schedule'`,
    );
    expect(strays).toEqual({ strays: 0 });
    const taken = await ground.sql('SELECT 1 FROM projects.due_runs WHERE attempts > 1 AND owner <> $1', [killed]);
    expect(taken.length).toBeGreaterThan(0);
  }, 240_000);
});

describe('a due run', () => {
  it('makes up for all that were missed, once, and says how many', async () => {
    const { create, get, runs } = clientIn(ground.service);
    const { id } = await create(ONE_PAGE, { keeping: { schedule: 'hourly' } });
    const now = new Date(Date.now() + 2 * HALF_A_DAY_MS);
    await setClock(now);
    schedulerCalled('second');
    await allDone(now);
    const project = await get(id);
    expect(project.lastDue).toMatchObject({ status: 'started', missed: 23 });
    expect(project.nextDueAt?.getTime()).toBeGreaterThan(now.getTime());
    const { runs: made } = await runs(id);
    expect(made.map((run) => [run.id, run.trigger])).toEqual([[project.lastDue?.runId, 'schedule']]);
  }, 60_000);

  it('is skipped while one is queued or running, and the project says so', async () => {
    const { create, startRun, runs, get } = clientIn(ground.service);
    const { id } = await create(ONE_PAGE, { keeping: { schedule: 'hourly' } });
    ground.workers.isHeld = true;
    const current = await startRun(id);
    await setClock(new Date(Date.now() + HALF_A_DAY_MS));
    schedulerCalled('third');
    const due = await becomes(get, id, 'skipped');
    expect(due).toMatchObject({ runId: '', why: expect.stringMatching(/queued or running/) });
    ground.workers.isHeld = false;
    expect((await runs(id)).runs.map((run) => run.id)).toEqual([current.id]);
  }, 60_000);

  it('is refused where the workspace can’t pay for a page, and the project says so', async () => {
    const { workspaceId, create, runs, get } = clientIn(ground.service);
    ground.billing.setBalance(workspaceId, 0);
    const { id } = await create(ONE_PAGE, { keeping: { schedule: 'daily' } });
    await setClock(new Date(Date.now() + 2 * HALF_A_DAY_MS));
    schedulerCalled('fourth');
    expect(await becomes(get, id, 'refused')).toMatchObject({ why: expect.stringMatching(/credit/) });
    expect((await runs(id)).runs).toEqual([]);
  }, 60_000);
});

const becomes = (get: (id: string) => Promise<Project>, id: string, status: string) =>
  until(`a due run to be ${status}`, async () => {
    const { lastDue } = await get(id);
    return lastDue?.status === status && lastDue;
  });

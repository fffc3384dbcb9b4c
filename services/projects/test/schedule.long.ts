import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Project } from '@tidemark/contracts/projects/v1/projects';
import { until } from '@tidemark/testkit';
import pg from 'pg';
import { dueAfter } from '../src/schedule/due-times.ts';
import { type Scheduled, startScheduled } from './start-scheduled.ts';
import { ONE_PAGE, projectClient } from './start-with-crawl.ts';

const HALF_A_DAY_MS = 12 * 3_600_000;
const HALF_DAYS = 14;
const KILLED_AT = 6;

let fixture: Scheduled;
beforeAll(async () => {
  fixture = await startScheduled();
}, 120_000);
afterAll(() => fixture.close());

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

/** Sets the clock, and kills the scheduler that then starts a run. */
async function killAtStart(schedulers: ReadonlyMap<string, { kill(): Promise<unknown> }>, now: Date): Promise<void> {
  const release = await holdStarts();
  try {
    await fixture.setClock(now);
    await schedulers.get(await startingOwner())?.kill();
  } finally {
    await release();
  }
}

describe('two schedulers, over a week, one of them killed', () => {
  it('start each due run exactly once', async () => {
    const { create } = projectClient(fixture.service);
    const schedules = ['hourly', 'daily', 'weekly', 'monthly', '30 6 * * *', '*/5 * * * MON-FRI', 'manual'];
    const zones = ['UTC', 'America/New_York', 'Asia/Kolkata'];
    const created: Project[] = [];
    const settings = schedules.flatMap((schedule, i) =>
      (schedule === 'hourly' ? zones : [zones[i % zones.length] ?? 'UTC']).map((timezone) => ({ schedule, timezone })),
    );
    for (const one of settings) created.push(await create(ONE_PAGE, { settings: one }));
    const schedulers = new Map(['one', 'other'].map((owner) => [owner, fixture.startScheduler(owner)]));
    const checks = Array.from({ length: HALF_DAYS }, (_, i) => new Date(Date.now() + (i + 1) * HALF_A_DAY_MS));
    for (const [i, now] of checks.entries()) {
      if (i === KILLED_AT) await killAtStart(schedulers, now);
      else await fixture.setClock(now);
      await fixture.allDone(now);
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
    // The other scheduler has started what the killed one had claimed.
    const reclaimed = await fixture.sql(`SELECT 1 FROM projects.due_runs WHERE attempts > 1 AND status = 'started'`);
    expect(reclaimed.length).toBeGreaterThan(0);
  }, 240_000);
});

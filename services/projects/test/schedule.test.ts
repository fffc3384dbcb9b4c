import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Project } from '@tidemark/contracts/projects/v1/projects';
import { until } from '@tidemark/testkit';
import { type Scheduled, startScheduled } from './start-scheduled.ts';
import { ONE_PAGE, projectClient } from './start-with-crawl.ts';

const HALF_A_DAY_MS = 12 * 3_600_000;

let fixture: Scheduled;
beforeAll(async () => {
  fixture = await startScheduled();
}, 120_000);
beforeEach(() => fixture.setClock(new Date()));
afterAll(() => fixture.close());

describe('a due run', () => {
  it('replaces all missed due runs, and stores their number', async () => {
    const { create, get, runs } = projectClient(fixture.service);
    const { id } = await create(ONE_PAGE, { settings: { schedule: 'hourly' } });
    const now = new Date(Date.now() + 2 * HALF_A_DAY_MS);
    await fixture.setClock(now);
    fixture.startScheduler('second');
    await fixture.allDone(now);
    const project = await get(id);
    expect(project.lastDue).toMatchObject({ status: 'started', missed: 23 });
    expect(project.nextDueAt?.getTime()).toBeGreaterThan(now.getTime());
    const { runs: started } = await runs(id);
    expect(started.map((run) => [run.id, run.trigger])).toEqual([[project.lastDue?.runId, 'schedule']]);
  });

  it('is skipped with the reason while a run is queued or running', async () => {
    const { create, startRun, runs, get } = projectClient(fixture.service);
    const { id } = await create(ONE_PAGE, { settings: { schedule: 'hourly' } });
    fixture.workers.isHeld = true;
    const current = await startRun(id);
    await fixture.setClock(new Date(Date.now() + HALF_A_DAY_MS));
    fixture.startScheduler('third');
    const due = await becomes(get, id, 'skipped');
    expect(due).toMatchObject({ runId: undefined, why: expect.stringMatching(/queued or running/) });
    fixture.workers.isHeld = false;
    expect((await runs(id)).runs.map((run) => run.id)).toEqual([current.id]);
  });

  it('is refused with the reason if the workspace has no credits for a page', async () => {
    const { workspaceId, create, runs, get } = projectClient(fixture.service);
    fixture.billing.setBalance(workspaceId, 0);
    const { id } = await create(ONE_PAGE, { settings: { schedule: 'daily' } });
    await fixture.setClock(new Date(Date.now() + 2 * HALF_A_DAY_MS));
    fixture.startScheduler('fourth');
    expect(await becomes(get, id, 'refused')).toMatchObject({ why: expect.stringMatching(/credit/) });
    expect((await runs(id)).runs).toEqual([]);
  });
});

const becomes = (get: (id: string) => Promise<Project>, id: string, status: string) =>
  until(`a due run to be ${status}`, async () => {
    const { lastDue } = await get(id);
    return lastDue?.status === status && lastDue;
  });

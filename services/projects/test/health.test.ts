import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { until } from '@tidemark/testkit';
import { type ProjectsWithFakes, rpcClient, startWithFakes } from './start-with-fakes.ts';

const START_MS = Date.parse('2026-03-25T00:00:00Z');
const READ = { stop: 'finished', counts: { ok: 3 }, pages: 3 };
const DOWN = { stop: 'site_down', counts: {}, pages: 0 };

let fixture: ProjectsWithFakes;
beforeAll(async () => {
  fixture = await startWithFakes();
}, 120_000);
afterAll(() => fixture.close());

/** Creates a project, with functions that end its runs at a minute of the day. */
async function startProject() {
  const { workspaceId, create, get } = rpcClient(fixture.service);
  const { id: projectId } = await create();
  const ends: string[] = [];
  const end = async (minute: number, how: object): Promise<string> => {
    const runId = newId('run');
    await fixture.finish({ runId, projectId, workspaceId, finishedAt: new Date(START_MS + minute * 60_000), ...how });
    ends.push(runId);
    return runId;
  };
  const changes = () => fixture.healthEvents.filter((one) => one.projectId === projectId);
  const last = (runId: string) =>
    until(`the end of ${runId} to be handled`, async () => {
      const project = await get(projectId);
      return project.lastRun?.id === runId && project;
    });
  /** Resolves when all earlier events are handled. */
  const allHandled = async () => last(await end(1_000, { status: 'cancelled', stop: 'cancelled' }));
  return { projectId, workspaceId, get: () => get(projectId), end, changes, last, allHandled };
}

const published = (count: number, changes: () => readonly object[]) =>
  until(`${count} changes to be published`, () => changes().length >= count);

describe('the health of a site', () => {
  it('is published once when it begins to fail and once when it recovers, with the run and the reason', async () => {
    const { projectId, workspaceId, end, last, changes, allHandled } = await startProject();
    await end(1, READ);
    const down = await end(2, DOWN);
    await last(down);
    await end(3, { stop: 'finished', counts: { blocked: 4 }, pages: 4 });
    const up = await end(4, READ);
    expect(await last(up)).toMatchObject({ health: 'ok', healthSince: new Date(START_MS + 4 * 60_000) });
    await end(5, READ);
    await allHandled();
    await published(2, changes);
    expect(changes()).toEqual([
      {
        projectId,
        workspaceId,
        runId: down,
        health: 'failing',
        why: 'the site did not respond',
        at: new Date(START_MS + 2 * 60_000),
      },
      {
        projectId,
        workspaceId,
        runId: up,
        health: 'recovered',
        why: '3 pages were read',
        at: expect.any(Date),
      },
    ]);
  });

  it('is published for a first run that fails, and not for a first run that reads pages', async () => {
    const [bad, good] = [await startProject(), await startProject()];
    await good.end(1, READ);
    const run = await bad.end(1, { stop: 'finished', counts: { blocked: 2, robots: 1 } });
    expect(await bad.last(run)).toMatchObject({ health: 'failing', healthSince: new Date(START_MS + 60_000) });
    await published(1, bad.changes);
    expect(bad.changes()).toMatchObject([{ health: 'failing', why: 'no page could be read: 2 blocked, 1 robots' }]);
    expect(await good.allHandled()).toMatchObject({ health: 'ok', healthSince: new Date(START_MS + 60_000) });
    expect(good.changes()).toEqual([]);
  });

  it('is not changed by an older run, by a recrawl and by a cancelled run', async () => {
    const { end, last, changes, allHandled } = await startProject();
    const down = await end(5, DOWN);
    await last(down);
    await end(4, READ);
    await end(6, { ...READ, trigger: 'recrawl' });
    await end(7, { status: 'cancelled', stop: 'cancelled', counts: { ok: 1 } });
    await fixture.finish({});
    expect(await allHandled()).toMatchObject({ health: 'failing', healthSince: new Date(START_MS + 5 * 60_000) });
    await published(1, changes);
    expect(changes()).toHaveLength(1);
  });

  it('is changed by a run that ended before a cancelled run whose event came first', async () => {
    const { end, last, get } = await startProject();
    const cancelled = await end(9, { status: 'cancelled', stop: 'cancelled' });
    await last(cancelled);
    await end(8, DOWN);
    const project = await until('the site to be failing', async () => {
      const found = await get();
      return found.health === 'failing' && found;
    });
    expect(project.lastRun?.id).toBe(cancelled);
  });

  it('is published once for repeated events of the same run', async () => {
    const { end, changes, allHandled } = await startProject();
    const runId = newId('run');
    for (let i = 0; i < 5; i += 1) await end(3, { ...DOWN, runId });
    await allHandled();
    await published(1, changes);
    expect(changes()).toHaveLength(1);
  });

  it('leaves no outbox row after its event is confirmed', async () => {
    const { end, changes } = await startProject();
    await end(1, DOWN);
    await published(1, changes);
    await until('the outbox to be empty', async () => {
      const left = await fixture.sql(`SELECT 1 FROM projects.outbox WHERE subject = 'event.site.health'`);
      return left.length === 0;
    });
  });
});

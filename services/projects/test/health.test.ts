import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { until } from '@tidemark/testkit';
import { askIn, type FakeGround, openOnFakes } from './fake-ground.ts';

const START_MS = Date.parse('2026-03-25T00:00:00Z');
const READ = { stop: 'finished', counts: { ok: 3 }, pages: 3 };
const DOWN = { stop: 'site_down', counts: {}, pages: 0 };

let ground: FakeGround;
beforeAll(async () => {
  ground = await openOnFakes();
}, 120_000);
afterAll(() => ground.close());

/** A project, and a way to end runs of it at a minute of the day. */
async function watched() {
  const { workspaceId, create, get } = askIn(ground.service);
  const { id: projectId } = await create();
  const ends: string[] = [];
  const end = async (minute: number, how: object): Promise<string> => {
    const runId = newId('run');
    await ground.finish({ runId, projectId, workspaceId, finishedAt: new Date(START_MS + minute * 60_000), ...how });
    ends.push(runId);
    return runId;
  };
  const changes = () => ground.heard.filter((one) => one.projectId === projectId);
  const last = (runId: string) =>
    until(`the end of ${runId} to be heard of`, async () => {
      const project = await get(projectId);
      return project.lastRun?.id === runId && project;
    });
  /** Once all that was told before has been heard. */
  const settled = async () => last(await end(1_000, { status: 'cancelled', stop: 'cancelled' }));
  return { projectId, workspaceId, get: () => get(projectId), end, changes, last, settled };
}

const told = (count: number, changes: () => readonly object[]) =>
  until(`${count} changes to be told`, () => changes().length >= count);

describe('the health of a site', () => {
  it('is told when it begins to fail and when it has recovered, with the run and the reason, once each', async () => {
    const { projectId, workspaceId, end, last, changes, settled } = await watched();
    await end(1, READ);
    const down = await end(2, DOWN);
    await last(down);
    await end(3, { stop: 'finished', counts: { blocked: 4 }, pages: 4 });
    const up = await end(4, READ);
    expect(await last(up)).toMatchObject({ health: 'ok', healthSince: new Date(START_MS + 4 * 60_000) });
    await end(5, READ);
    await settled();
    await told(2, changes);
    expect(changes()).toEqual([
      {
        ...{ projectId, workspaceId, runId: down, health: 'failing', why: 'the site gave no answer' },
        at: new Date(START_MS + 2 * 60_000),
      },
      { ...{ projectId, workspaceId, runId: up, health: 'recovered', why: '3 pages were read' }, at: expect.any(Date) },
    ]);
  });

  it('is told of a first run that fails, and not of a first one that reads', async () => {
    const [bad, good] = [await watched(), await watched()];
    await good.end(1, READ);
    const run = await bad.end(1, { stop: 'finished', counts: { blocked: 2, robots: 1 } });
    expect(await bad.last(run)).toMatchObject({ health: 'failing', healthSince: new Date(START_MS + 60_000) });
    await told(1, bad.changes);
    expect(bad.changes()).toMatchObject([{ health: 'failing', why: 'no page could be read: 2 blocked, 1 robots' }]);
    expect(await good.settled()).toMatchObject({ health: 'ok', healthSince: new Date(START_MS + 60_000) });
    expect(good.changes()).toEqual([]);
  });

  it('is moved by no older run than the one that showed it, by no recrawl and by none that was cancelled', async () => {
    const { end, last, changes, settled } = await watched();
    const down = await end(5, DOWN);
    await last(down);
    await end(4, READ);
    await end(6, { ...READ, trigger: 'recrawl' });
    await end(7, { status: 'cancelled', stop: 'cancelled', counts: { ok: 1 } });
    await ground.finish({});
    expect(await settled()).toMatchObject({ health: 'failing', healthSince: new Date(START_MS + 5 * 60_000) });
    await told(1, changes);
    expect(changes()).toHaveLength(1);
  });

  it('is shown by a run that ended before a cancelled one was heard of', async () => {
    const { end, last, get } = await watched();
    const cancelled = await end(9, { status: 'cancelled', stop: 'cancelled' });
    await last(cancelled);
    await end(8, DOWN);
    const project = await until('the site to be failing', async () => {
      const found = await get();
      return found.health === 'failing' && found;
    });
    expect(project.lastRun?.id).toBe(cancelled);
  });

  it('is told once, however often the end of the run is heard of', async () => {
    const { end, changes, settled } = await watched();
    const runId = newId('run');
    for (let i = 0; i < 5; i += 1) await end(3, { ...DOWN, runId });
    await settled();
    await told(1, changes);
    expect(changes()).toHaveLength(1);
  });

  it('leaves nothing behind once it is told and stored', async () => {
    const { end, changes } = await watched();
    await end(1, DOWN);
    await told(1, changes);
    await until('the outbox to be empty', async () => {
      const left = await ground.sql(`SELECT 1 FROM projects.outbox WHERE subject = 'event.site.health'`);
      return left.length === 0;
    });
  });
});

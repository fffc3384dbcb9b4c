import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { until } from '@tidemark/testkit';
import { clientIn, ONE_PAGE, openProjects, type ProjectsGround } from './projects-ground.ts';

let ground: ProjectsGround;
beforeAll(async () => {
  ground = await openProjects();
}, 120_000);
beforeEach(() => {
  ground.workers.isHeld = false;
  ground.status = 200;
});
afterAll(() => ground.close());

const client = (...more: [string?, Parameters<typeof clientIn>[2]?]) => clientIn(ground.service, ...more);

describe('a run of a project', () => {
  it('does what the saved config says, and its project knows how it went', async () => {
    const { create, startRun, ended, heard, list } = client();
    const { id } = await create({
      ...ONE_PAGE,
      max_pages: 2,
      device: 'mobile',
      wait_for: 500,

      headers: { 'x-a': 'b' },
    });
    const started = await startRun(id);
    expect(started).toMatchObject({ projectId: id, trigger: 'api' });
    const run = await ended(id, started.id);
    expect(run).toMatchObject({ status: 'done', stop: 'finished', done: 1, counts: { ok: 1 } });
    const project = await heard(id, started.id);
    expect(project).toMatchObject({ health: 'ok', lastRun: { status: 'done', stop: 'finished', pages: 1 } });
    expect((await list({ health: 'ok' })).projects.map((one) => one.id)).toEqual([id]);
    expect((await list({ health: 'never' })).projects).toEqual([]);
    const [row] = await ground.sql<{ scope: object; options: object }>(
      'SELECT scope, options FROM crawl.runs WHERE id = $1',
      [started.id],
    );
    expect(row?.scope).toMatchObject({ maxPages: 2, maxDepth: 10, concurrency: 8 });
    const waitFor = { ms: 500 };
    expect(row?.options).toMatchObject({ device: 'mobile', headers: { 'x-a': 'b' }, waitFor });
  });

  it('is a conflict while another is queued or running, and can be cancelled', async () => {
    ground.workers.isHeld = true;
    const { create, startRun, cancel, heard } = client();
    const { id } = await create(ONE_PAGE);
    const { id: runId } = await startRun(id, 'manual');
    await expect(startRun(id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await cancel(id, runId)).toMatchObject({ status: 'cancelled' });
    expect(await heard(id, runId)).toMatchObject({ health: 'never', lastRun: { status: 'cancelled' } });
    expect(await startRun(id)).toMatchObject({ trigger: 'api' });
  });

  it('shows a site that can not be read as failing, until one reads it again', async () => {
    const { create, startRun, heard, list } = client();
    const { id } = await create({ ...ONE_PAGE });
    ground.status = 404;
    const failed = await startRun(id);
    expect(await heard(id, failed.id)).toMatchObject({ health: 'failing' });
    expect((await list({ health: 'failing' })).projects).toHaveLength(1);
    ground.status = 200;
    const read = await startRun(id);
    expect(await heard(id, read.id)).toMatchObject({ health: 'ok' });
  });

  it('is started beside others, and one that can’t be does not hold them up', async () => {
    const { create, startRuns } = client();
    const [one, other] = [await create(ONE_PAGE), await create(ONE_PAGE)];
    const missing = newId('prj');
    const outcomes = await startRuns([one.id, missing, other.id, one.id]);
    expect(outcomes).toMatchObject([
      { projectId: one.id, run: { projectId: one.id }, code: '' },
      { projectId: missing, code: 'not_found' },
      { projectId: other.id, run: { projectId: other.id }, code: '' },
    ]);
    expect(outcomes).toHaveLength(3);
  });

  it('is refused where the saved config is not valid any more, and holds up no other', async () => {
    const { create, startRun, startRuns } = client();
    const [old, other] = [await create(ONE_PAGE), await create(ONE_PAGE)];
    await ground.sql(`UPDATE projects.projects SET config = '{"max_pages": "many"}' WHERE id = $1`, [old.id]);
    const message = expect.stringMatching(/^the saved config is not valid any more; save it anew/);
    await expect(startRun(old.id)).rejects.toMatchObject({ code: 'validation', httpStatus: 400, message });
    expect(await startRuns([old.id, other.id])).toMatchObject([
      { projectId: old.id, code: 'validation', why: message },
      { projectId: other.id, code: '' },
    ]);
  });

  it('is refused where the workspace could not pay for a page', async () => {
    const { workspaceId, create, startRun } = client();
    ground.billing.setBalance(workspaceId, 0);
    const { id } = await create(ONE_PAGE);
    await expect(startRun(id)).rejects.toMatchObject({ code: 'credits_exhausted' });
  });

  it('is in its project’s history, newest first, and in no other', async () => {
    const { create, startRun, ended, runs, run } = client();
    const [mine, other] = [await create(ONE_PAGE), await create(ONE_PAGE)];
    const made: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      const started = await startRun(mine.id);
      await ended(mine.id, started.id);
      made.unshift(started.id);
    }
    const first = await runs(mine.id, { limit: 3 });
    const rest = await runs(mine.id, { limit: 3, cursor: first.next });
    expect([...first.runs, ...rest.runs].map(({ id }) => id)).toEqual(made);
    expect(rest.next).toBe('');
    expect((await runs(mine.id, { status: 'cancelled' })).runs).toEqual([]);
    await expect(runs(mine.id, { status: 'paused' })).rejects.toMatchObject({ code: 'validation' });
    expect((await runs(other.id)).runs).toEqual([]);
    await expect(run(other.id, made[0] ?? '')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a deleted project', () => {
  it('takes its runs with it, those under way first, and what others keep of them', async () => {
    const { create, startRun, ended, delete: drop } = client();
    const { id } = await create(ONE_PAGE);
    const past = await startRun(id);
    await ended(id, past.id);
    ground.workers.isHeld = true;
    const current = await startRun(id);
    await drop(id);
    ground.workers.isHeld = false;
    await until('its runs to be gone', async () => {
      const left = await ground.sql('SELECT 1 FROM crawl.runs WHERE project_id = $1', [id]);
      return left.length === 0;
    });
    const told = await ground.sql<{ id: string }>(
      `SELECT id FROM crawl.outbox WHERE subject = 'event.run.discarded' AND id = ANY($1)`,
      [[past.id, current.id].map((run) => `discarded:${run}`)],
    );
    expect(told).toHaveLength(2);
    await until(
      'crawl to confirm the deletion',
      async () => (await ground.sql(`SELECT 1 FROM projects.outbox WHERE 'crawl' = ANY(awaiting)`)).length === 0,
    );
  });
});

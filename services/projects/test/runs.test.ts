import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { until } from '@tidemark/testkit';
import { ONE_PAGE, type ProjectsWithCrawl, projectClient, startWithCrawl } from './start-with-crawl.ts';

let fixture: ProjectsWithCrawl;
beforeAll(async () => {
  fixture = await startWithCrawl();
}, 120_000);
beforeEach(() => {
  fixture.workers.isHeld = false;
  fixture.status = 200;
});
afterAll(() => fixture.close());

const client = (...more: [string?, Parameters<typeof projectClient>[2]?]) => projectClient(fixture.service, ...more);

describe('a run of a project', () => {
  it('uses the saved config, and its result is stored with the project', async () => {
    const { create, startRun, ended, afterRun, list } = client();
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
    const project = await afterRun(id, started.id);
    expect(project).toMatchObject({
      health: 'ok',
      lastRun: { status: 'done', stop: 'finished', pages: 1 },
    });
    expect((await list({ health: 'ok' })).projects.map((one) => one.id)).toEqual([id]);
    expect((await list({ health: 'never' })).projects).toEqual([]);
    const [row] = await fixture.sql<{ scope: object; options: object }>(
      'SELECT scope, options FROM crawl.runs WHERE id = $1',
      [started.id],
    );
    expect(row?.scope).toMatchObject({ maxPages: 2, maxDepth: 10, concurrency: 8 });
    const waitFor = { ms: 500 };
    // Headers are stored sealed.
    expect(row?.options).toMatchObject({ device: 'mobile', waitFor, sealedRequest: expect.any(String) });
    expect(row?.options).not.toHaveProperty('headers');
  });

  it('is a conflict while another run is queued or running, and can be cancelled', async () => {
    fixture.workers.isHeld = true;
    const { create, startRun, cancel, afterRun } = client();
    const { id } = await create(ONE_PAGE);
    const { id: runId } = await startRun(id, 'manual');
    await expect(startRun(id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await cancel(id, runId)).toMatchObject({ status: 'cancelled' });
    expect(await afterRun(id, runId)).toMatchObject({ health: 'never', lastRun: { status: 'cancelled' } });
    expect(await startRun(id)).toMatchObject({ trigger: 'api' });
  });

  it('shows that the site is failing, until a later run reads pages', async () => {
    const { create, startRun, afterRun, list } = client();
    const { id } = await create({ ...ONE_PAGE });
    fixture.status = 404;
    const failed = await startRun(id);
    expect(await afterRun(id, failed.id)).toMatchObject({ health: 'failing' });
    expect((await list({ health: 'failing' })).projects).toHaveLength(1);
    fixture.status = 200;
    const read = await startRun(id);
    expect(await afterRun(id, read.id)).toMatchObject({ health: 'ok' });
  });

  it('is started together with others, and one that cannot be started does not block them', async () => {
    const { create, startRuns } = client();
    const [one, other] = [await create(ONE_PAGE), await create(ONE_PAGE)];
    const missing = newId('prj');
    const results = await startRuns([one.id, missing, other.id, one.id]);
    expect(results).toMatchObject([
      { projectId: one.id, run: { projectId: one.id }, code: undefined },
      { projectId: missing, code: 'not_found' },
      { projectId: other.id, run: { projectId: other.id }, code: undefined },
    ]);
    expect(results).toHaveLength(3);
  });

  it('is listed with the reason if its start fails for an internal reason, and does not block others', async () => {
    const { create, startRuns } = client();
    const [broken, other] = [await create(ONE_PAGE), await create(ONE_PAGE)];
    await fixture.sql(`UPDATE projects.projects SET secrets = 'not sealed' WHERE id = $1`, [broken.id]);
    expect(await startRuns([broken.id, other.id])).toMatchObject([
      { projectId: broken.id, run: undefined, code: 'internal', why: expect.stringMatching(/^an internal error/) },
      { projectId: other.id, run: { projectId: other.id }, code: undefined },
    ]);
  });

  it('is refused if the saved config is not valid any more, and does not block others', async () => {
    const { create, startRun, startRuns } = client();
    const [old, other] = [await create(ONE_PAGE), await create(ONE_PAGE)];
    await fixture.sql(`UPDATE projects.projects SET config = '{"max_pages": "many"}' WHERE id = $1`, [old.id]);
    const message = expect.stringMatching(/^the saved config is not valid any more; save it again/);
    await expect(startRun(old.id)).rejects.toMatchObject({ code: 'validation', httpStatus: 400, message });
    expect(await startRuns([old.id, other.id])).toMatchObject([
      { projectId: old.id, code: 'validation', why: message },
      { projectId: other.id, code: undefined },
    ]);
  });

  it('is refused if the workspace has no credits for a page', async () => {
    const { workspaceId, create, startRun } = client();
    fixture.billing.setBalance(workspaceId, 0);
    const { id } = await create(ONE_PAGE);
    await expect(startRun(id)).rejects.toMatchObject({ code: 'credits_exhausted' });
  });

  it('is listed with its project only, newest first', async () => {
    const { create, startRun, ended, runs, run } = client();
    const [mine, other] = [await create(ONE_PAGE), await create(ONE_PAGE)];
    const started: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      const { id } = await startRun(mine.id);
      await ended(mine.id, id);
      started.unshift(id);
    }
    const first = await runs(mine.id, { limit: 3 });
    const rest = await runs(mine.id, { limit: 3, cursor: first.next ?? '' });
    expect([...first.runs, ...rest.runs].map(({ id }) => id)).toEqual(started);
    expect(rest.next).toBeUndefined();
    expect((await runs(mine.id, { status: 'cancelled' })).runs).toEqual([]);
    expect((await runs(other.id)).runs).toEqual([]);
    await expect(run(other.id, started[0] ?? '')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a deleted project', () => {
  it('has its runs deleted in crawl and discarded in other services', async () => {
    const { create, startRun, ended, delete: drop } = client();
    const { id } = await create(ONE_PAGE);
    const past = await startRun(id);
    await ended(id, past.id);
    fixture.workers.isHeld = true;
    const current = await startRun(id);
    await drop(id);
    fixture.workers.isHeld = false;
    await until('its runs to be deleted', async () => {
      const left = await fixture.sql('SELECT 1 FROM crawl.runs WHERE project_id = $1', [id]);
      return left.length === 0;
    });
    const discarded = await fixture.sql<{ id: string }>(
      `SELECT id FROM crawl.outbox WHERE subject = 'event.run.discarded' AND id = ANY($1)`,
      [[past.id, current.id].map((run) => `discarded:${run}`)],
    );
    expect(discarded).toHaveLength(2);
    await until(
      'crawl to confirm the deletion',
      async () => (await fixture.sql(`SELECT 1 FROM projects.outbox WHERE 'crawl' = ANY(awaiting)`)).length === 0,
    );
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import type { RunDiscarded } from '@tidemark/contracts/archive/v1/events';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { Bus, createLogger, openPool, outgoingEvent } from '@tidemark/service';
import { type FakeScrapeWorkers, newWorkspace, type RunningService, until } from '@tidemark/testkit';
import { DiscardStore } from '../src/store/retention/discard-store.ts';
import { type CrawlServers, HOME, openCrawl, scopeOf } from './crawl-servers.ts';
import { projectClient } from './project-client.ts';

let servers: CrawlServers;
let service: RunningService;
let workers: FakeScrapeWorkers;
let discards: DiscardStore;
const finished: RunFinished[] = [];
const discarded: RunDiscarded[] = [];
beforeAll(async () => {
  servers = await openCrawl();
  service = await servers.start();
  const pool = openPool(servers.servers.database.url, 'crawl', 2);
  servers.servers.own({ close: () => pool.end() });
  discards = new DiscardStore(pool, () => undefined);
  const connect = async (name: string) => {
    const bus = servers.servers.own(await Bus.connect(servers.servers.nats.url, name, createLogger('test', 'silent')));
    await bus.prepare();
    return bus;
  };
  (await connect('projects')).consume(events.runFinished, 'projects', async (batch) => {
    finished.push(...batch.map(({ event }) => event));
  });
  (await connect('archive')).consume(events.runDiscarded, 'archive', async (batch) => {
    discarded.push(...batch.map(({ event }) => event));
  });
}, 120_000);
beforeEach(async () => {
  workers = await servers.workers(() => ({ links: [] }));
});
afterEach(async () => {
  workers.isHeld = false;
  await workers.close();
});
afterAll(() => servers.close());

const sql: CrawlServers['servers']['database']['sql'] = (text, values) => servers.servers.database.sql(text, values);
const endedAgo = (id: string, ago: string) =>
  sql(`UPDATE crawl.runs SET finished_at = now() - $2::interval WHERE id = $1`, [id, ago]);
const finishedOf = (id: string) => finished.filter(({ runId }) => runId === id);
const rowsOf = async (id: string) =>
  sql('SELECT 1 FROM crawl.frontier f JOIN crawl.runs r ON r.no = f.run_no WHERE r.id = $1', [id]);

/** Creates a run without a project, and a project that may adopt it. */
async function ephemeral({ isHeld = false } = {}) {
  workers.isHeld = isHeld;
  const workspaceId = newWorkspace();
  const own = projectClient(service, workspaceId, '');
  const { id } = await own.start({ config: { maxPages: 7 }, trigger: 'crawl' });
  if (!isHeld) await own.ended(id);
  return { id, own, project: projectClient(service, workspaceId) };
}

describe('an adopted run', () => {
  it('belongs to the project with its configuration, and is published once however often it is adopted', async () => {
    const { id, own, project } = await ephemeral();
    expect(await own.config(id)).toMatchObject({ maxPages: 7 });
    expect(finishedOf(id)).toEqual([]);
    expect(await project.adopt(id)).toMatchObject({
      id,
      projectId: project.projectId,
      trigger: 'crawl',
      status: 'done',
    });
    expect(await project.adopt(id)).toMatchObject({ id, projectId: project.projectId });
    await until("the run's end event", () => finishedOf(id).length > 0);
    expect(finishedOf(id)[0]).toMatchObject({ projectId: project.projectId, status: 'done', pages: 1 });
    expect((await project.list()).runs.map((run) => run.id)).toEqual([id]);
    expect(await own.get(id)).toMatchObject({ id, projectId: project.projectId });
    expect(await own.pages(id)).toHaveLength(1);
    await endedAgo(id, '48 hours');
    await discards.discardBatch();
    expect(await own.get(id)).toMatchObject({ id });
    expect((await project.sources()).runId).toBe(id);
  });

  it('that is running is published when it ends', async () => {
    const { id, project } = await ephemeral({ isHeld: true });
    expect(await project.adopt(id)).toMatchObject({ status: expect.stringMatching(/queued|running/) });
    workers.isHeld = false;
    await project.ended(id);
    await until("the run's end event", () => finishedOf(id).length > 0);
    expect(finishedOf(id)[0]).toMatchObject({ projectId: project.projectId });
  });

  it('cannot be adopted by another project, from another workspace, after it has expired, or by a project with a running run', async () => {
    const { id, project } = await ephemeral();
    await expect(projectClient(service).adopt(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(project.adopt(id, '')).rejects.toMatchObject({ code: 'validation' });
    await project.adopt(id);
    const other = projectClient(service, project.workspaceId);
    await expect(other.adopt(id)).rejects.toMatchObject({ code: 'conflict' });
    const late = await ephemeral();
    await endedAgo(late.id, '25 hours');
    await expect(late.project.adopt(late.id)).rejects.toMatchObject({ code: 'not_found' });
    workers.isHeld = true;
    const running = await ephemeral({ isHeld: true });
    await running.project.start();
    await expect(running.project.adopt(running.id)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is either adopted completely or discarded completely in a race of both', async () => {
    const { id: first, own, project } = await ephemeral();
    const ids = [first];
    while (ids.length < 12) {
      const { id } = await own.start({ trigger: 'crawl' });
      await own.ended(id);
      ids.push(id);
    }
    for (const id of ids) {
      await endedAgo(id, '23 hours 59 minutes 59.97 seconds');
      const [isKept] = await Promise.all([
        project.adopt(id).then(
          () => true,
          () => false,
        ),
        until('the run to be claimed or kept', async () => {
          const [row] = await sql<{ is_decided: boolean }>(
            'SELECT project_id IS NOT NULL OR discarding AS is_decided FROM crawl.runs WHERE id = $1',
            [id],
          );
          if (row === undefined || row.is_decided) return true;
          await discards.discardBatch();
          return false;
        }),
      ]);
      while (await discards.discardBatch()) await Promise.resolve();
      expect(await rowsOf(id)).toHaveLength(isKept ? 1 : 0);
      if (isKept) expect(await project.get(id)).toMatchObject({ id });
      else await expect(project.get(id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('leaves no page if two instances discard it concurrently', async () => {
    const { id } = await ephemeral();
    const [run] = await sql<{ no: string }>('SELECT no FROM crawl.runs WHERE id = $1', [id]);
    await sql(
      `INSERT INTO crawl.frontier (run_no, url_key, url, host, rank, depth, found_via)
       SELECT $1, sha256(i::text::bytea), 'https://site.test/' || i, 'site.test', 1, 1, 'link' FROM generate_series(1, 25000) i`,
      [run?.no],
    );
    await sql('UPDATE crawl.runs SET discarding = true WHERE id = $1', [id]);
    await Promise.all(
      [1, 2].map(async () => {
        while (await discards.discardBatch()) await Promise.resolve();
      }),
    );
    expect(await sql('SELECT 1 FROM crawl.frontier WHERE run_no = $1', [run?.no])).toEqual([]);
    expect(await sql('SELECT 1 FROM crawl.runs WHERE id = $1', [id])).toEqual([]);
  });

  it('is not visible to any caller once it is being discarded', async () => {
    const { id, own, project } = await ephemeral();
    await sql('UPDATE crawl.runs SET discarding = true WHERE id = $1', [id]);
    await expect(own.get(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(project.adopt(id)).rejects.toMatchObject({ code: 'not_found' });
    expect((await own.list()).runs).toEqual([]);
    await until('the end of its deletion', async () => !(await discards.discardBatch()));
    expect(await sql('SELECT 1 FROM crawl.outbox WHERE id = $1', [`discarded:${id}`])).toHaveLength(1);
    for (const table of ['run_log', 'run_details'])
      expect(
        await sql(`SELECT 1 FROM crawl.${table} t WHERE NOT EXISTS (SELECT FROM crawl.runs r WHERE r.no = t.run_no)`),
      ).toEqual([]);
  });
});

describe('runs that expire', () => {
  const recrawl = { trigger: 'recrawl', scope: scopeOf({ urlList: [`${HOME}/a`] }) };
  const gone = (id: string) => until(`the discarded event of ${id}`, () => discarded.find(({ runId }) => runId === id));

  it('are all that ended before, except the newest full run and the runs that remaining ones are compared with', async () => {
    const project = projectClient(service);
    const run = async (order = {}) => {
      const { id } = await project.start(order);
      await project.ended(id);
      return id;
    };
    const [first, base, again] = [await run(), await run(), await run(recrawl)];
    const { id: called } = await project.start();
    await project.cancel(called);
    await until('its cleanup', async () => finishedOf(called).length > 0);
    const newest = await run();
    for (const id of [first, base, again, called]) await endedAgo(id, '10 days');
    workers.isHeld = true;
    const { id: underWay } = await project.start();
    const yesterday = new Date(Date.now() - 86_400_000);
    expect(await project.expire(yesterday)).toBe(3);
    for (const id of [first, again, called]) expect(await gone(id)).toMatchObject({ neededBy: newest });
    expect((await project.list()).runs.map(({ id }) => id)).toEqual([underWay, newest, base]);
    expect(await project.expire(yesterday)).toBe(0);
    await project.cancel(underWay);
    await until('its cleanup', async () => finishedOf(underWay).length > 0);
    // The newest run with status done stays, and the run it is compared with.
    expect(await project.expire(new Date(Date.now() + 60_000))).toBe(0);
    expect((await project.list()).runs.map(({ id }) => id)).toEqual([underWay, newest, base]);
  });

  it('stay while a running run uses them as baseline', async () => {
    const project = projectClient(service);
    const { id: base } = await project.start();
    await project.ended(base);
    workers.isHeld = true;
    const { id: underWay } = await project.start();
    await sql('UPDATE crawl.runs SET expired = true WHERE id = $1', [base]);
    expect(await discards.discardBatch()).toBe(false);
    expect(await project.get(base)).toMatchObject({ id: base });
    expect(await project.expire(new Date(Date.now() + 60_000))).toBe(0);
    workers.isHeld = false;
    await project.ended(underWay);
    await until('the end of its deletion', async () => !(await discards.discardBatch()));
    expect((await project.list()).runs.map(({ id }) => id)).toEqual([underWay]);
    expect(await rowsOf(base)).toEqual([]);
  });

  it('are not those of other projects or workspaces', async () => {
    const project = projectClient(service);
    for (let i = 0; i < 3; i += 1) await project.ended((await project.start()).id);
    const soon = new Date(Date.now() + 60_000);
    expect(await projectClient(service, project.workspaceId).expire(soon)).toBe(0);
    expect(await projectClient(service, undefined, project.projectId).expire(soon)).toBe(0);
    expect((await project.list()).runs).toHaveLength(3);
  });

  it('of a deleted project leave nothing behind', async () => {
    const project = projectClient(service, newWorkspace(), newId('prj'));
    const { id } = await project.start();
    await project.ended(id);
    const { projectId, workspaceId } = project;
    const bus = servers.servers.own(
      await Bus.connect(servers.servers.nats.url, 'test', createLogger('test', 'silent')),
    );
    await bus.publish(events.projectDeleted.subject, [
      outgoingEvent(events.projectDeleted, `deleted:${projectId}`, { projectId, workspaceId }),
    ]);
    expect(await gone(id)).toMatchObject({ neededBy: undefined });
  });
});

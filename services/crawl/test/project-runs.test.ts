import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import { CrawlServiceService as Rpc } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { Bus, createLogger, outgoingEvent } from '@tidemark/service';
import { callerIn, type FakeScrapeWorkers, newWorkspace, type RunningService, until } from '@tidemark/testkit';
import { type CrawlServers, HOME, openCrawl } from './crawl-servers.ts';
import { projectClient } from './project-client.ts';

let servers: CrawlServers;
let service: RunningService;
let workers: FakeScrapeWorkers;
let bus: Bus;
const received: RunFinished[] = [];
beforeAll(async () => {
  servers = await openCrawl();
  service = await servers.start();
  bus = servers.servers.own(await Bus.connect(servers.servers.nats.url, 'projects', createLogger('test', 'silent')));
  await bus.prepare();
  bus.consume(events.runFinished, 'projects', async (batch) => {
    received.push(...batch.map(({ event }) => event));
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

const projectIn = (workspaceId = newWorkspace(), projectId = newId('prj')) => ({
  ...projectClient(service, workspaceId, projectId),
  finishedOf: (id: string) =>
    until(`the end of ${id} to be published`, () => received.find(({ runId }) => runId === id)),
});

describe('a run of a project', () => {
  it('is started once per id, however often it is requested, while it runs and after', async () => {
    const { start, ended, list } = projectIn();
    const runId = newId('run');
    const started = await Promise.all(Array.from({ length: 5 }, () => start({ runId })));
    expect(started.map(({ id }) => id)).toEqual(Array.from({ length: 5 }, () => runId));
    expect(started.filter(({ replayed }) => !replayed)).toHaveLength(1);
    await ended(runId);
    expect(await start({ runId })).toMatchObject({ id: runId, replayed: true });
    expect((await list()).runs).toHaveLength(1);
  });

  it('is a conflict under another id while a run of the project is unfinished', async () => {
    workers.isHeld = true;
    const { start, list, cancel } = projectIn();
    const { id } = await start();
    await expect(start({ runId: newId('run') })).rejects.toMatchObject({ code: 'conflict' });
    await expect(start()).rejects.toMatchObject({ code: 'conflict' });
    await cancel(id);
    expect((await list()).runs).toHaveLength(1);
  });

  it('is listed with its project only, by status and page by page', async () => {
    const { start, ended, list, cancel } = projectIn();
    const ids: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      const { id, projectId } = await start();
      expect(projectId).toMatch(/^prj_/);
      if (i === 1) await cancel(id);
      else await ended(id);
      ids.unshift(id);
    }
    const first = await list({ limit: 3 });
    expect(first.runs.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect((await list({ limit: 3, cursor: first.next })).runs.map(({ id }) => id)).toEqual(ids.slice(3));
    expect((await list({ status: 'cancelled' })).runs.map(({ id }) => id)).toEqual([ids[2]]);
    expect((await projectIn().list()).runs).toEqual([]);
  });

  it('is not found for a key of other projects, on any rpc', async () => {
    workers.isHeld = true;
    const { workspaceId, projectId, start, get } = projectIn();
    const { id } = await start();
    const other = callerIn(workspaceId, { projects: [newId('prj')] });
    const call = service.peer.call.bind(service.peer);
    const read = call(Rpc.getRun, { id, withLog: false, withConfig: false }, other);
    await expect(read).rejects.toMatchObject({ code: 'not_found' });
    for (const rpc of [Rpc.cancelRun, Rpc.pauseRun, Rpc.resumeRun]) {
      await expect(call(rpc, { id }, other)).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(call(Rpc.listEnded, { id, after: 0, limit: 1 }, other)).rejects.toMatchObject({ code: 'not_found' });
    await expect(call(Rpc.findPage, { id, url: HOME }, other)).rejects.toMatchObject({ code: 'not_found' });
    const links = { id, kind: 'orphans' as const, after: '', limit: 1 };
    await expect(call(Rpc.listLinks, links, other)).rejects.toMatchObject({ code: 'not_found' });
    const request = { projectId, limit: 10, fullOnly: false };
    expect((await call(Rpc.listRuns, request, other)).runs).toEqual([]);
    expect(await get(id)).toMatchObject({ paused: false });
    expect((await get(id))?.status).not.toBe('cancelled');
  });

  it('is published with its results once it has ended; a run without a project is not', async () => {
    const { projectId, workspaceId, start, finishedOf } = projectIn();
    const { id } = await start({ trigger: 'manual' });
    expect(await finishedOf(id)).toMatchObject({
      projectId,
      workspaceId,
      trigger: 'manual',
      status: 'done',
      stop: 'finished',
      hasCoverage: true,
      pages: 1,
      counts: { ok: 1 },
      creditsUsed: 1,
    });
    const alone = projectIn(workspaceId, '');
    const { id: aloneId } = await alone.start();
    await alone.ended(aloneId);
    workers.isHeld = true;
    const { id: cancelledId } = await start();
    await service.peer.call(Rpc.cancelRun, { id: cancelledId }, callerIn(workspaceId));
    expect(await finishedOf(cancelledId)).toMatchObject({
      status: 'cancelled',
      stop: 'cancelled',
      hasCoverage: false,
      pages: 0,
    });
    expect(received.some(({ runId }) => runId === aloneId)).toBe(false);
  });
});

describe('a deleted project', () => {
  it('has its runs cancelled and discarded, and starts no other, however often the event is delivered', async () => {
    workers.isHeld = true;
    const { projectId, workspaceId, start, list } = projectIn();
    const kept = projectIn(workspaceId);
    await start();
    const { id: keptId } = await kept.start();
    for (const time of ['first', 'second']) {
      const deleted = outgoingEvent(events.projectDeleted, `deleted:${projectId}:${time}`, { projectId, workspaceId });
      await bus.publish(events.projectDeleted.subject, [deleted]);
    }
    await until('the deletion of its runs', async () => (await list()).runs.length === 0);
    await expect(start()).rejects.toMatchObject({ code: 'not_found' });
    expect(await kept.get(keptId)).toMatchObject({ id: keptId });
  });
});

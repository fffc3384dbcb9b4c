import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import { DestinationServiceService as Rpc } from '@tidemark/contracts/export/v1/destinations';
import { until } from '@tidemark/testkit';
import { pages, startSyncs, workspaceOf } from './sync-servers.ts';

let servers: Awaited<ReturnType<typeof startSyncs>>;
beforeAll(async () => {
  servers = await startSyncs();
}, 120_000);
afterEach(() => {
  Object.assign(servers.sources, { gate: Promise.resolve(), isArchiveDown: false });
});
afterAll(() => servers.close());

const workspace = () => workspaceOf(servers, servers.peer);
const byUrl = (rows: readonly Record<string, unknown>[]) =>
  Object.fromEntries(rows.map((row) => [row['url'], [row['words'], row['_deleted_at'] === null]]));

describe('a sync', () => {
  it('whose source is unavailable is tried again later, with its failure and the time of the next attempt', async () => {
    const { create, addRun, finish, syncsOf } = workspace();
    const { id } = await create();
    servers.sources.isArchiveDown = true;
    await finish(addRun(newId('prj')));
    const sync = await until('a failed attempt', async () =>
      (await syncsOf(id)).find(({ error }) => error !== undefined),
    );
    expect(sync).toMatchObject({
      ...{ status: 'queued', attempts: 1, nextAttemptAt: expect.any(Date) },
      error: { code: 'temporary', message: 'archive is unavailable', hint: expect.any(String) },
    });
  });

  it('of a refused sign-in pauses its destination, cancels the waiting syncs, and is written after PATCH active', async () => {
    const { create, update, connect, addRun, finish, ended, syncsOf, caller, start } = workspace();
    const connectionId = await connect();
    const { id } = await create({ connectionId });
    const projectId = newId('prj');
    const broken = await connect({ user: 'unknown_user' });
    await update(id, { connectionId: broken });
    const run = addRun(projectId);
    await finish(run);
    const [failed] = await ended(id);
    expect(failed).toMatchObject({ status: 'error', error: { code: 'refused' }, attempts: 1 });
    const paused = await servers.peer.call(Rpc.getDestination, { id, projectId: '' }, caller);
    expect(paused.destination).toMatchObject({ status: 'paused', pausedReason: expect.stringContaining('refused') });
    await expect(start(id)).rejects.toMatchObject({ code: 'validation', httpStatus: 400 });
    await finish(addRun(projectId));
    await update(id, { status: 'active', connectionId });
    const done = await until('the newest run', async () => (await syncsOf(id)).find(({ status }) => status === 'done'));
    expect(done.projectId).toBe(projectId);
  });

  it('of a deleted project is cancelled, and the destinations of the project are deleted', async () => {
    const { create, addRun, finish, ended, workspaceId, caller } = workspace();
    const projectId = newId('prj');
    const own = await create({}, projectId);
    const shared = await create({ scope: 'projects', projects: { values: [projectId] } });
    await finish(addRun(projectId));
    await ended(shared.id);
    await servers.publish(events.projectDeleted, `deleted:${projectId}`, { projectId, workspaceId });
    await until('the destination is gone', async () => {
      const { destinations } = await servers.peer.call(
        Rpc.listDestinations,
        { projectId, limit: 10, cursor: '' },
        caller,
      );
      return destinations.every(({ id }) => id !== own.id);
    });
    const rest = await servers.peer.call(Rpc.getDestination, { id: shared.id, projectId: '' }, caller);
    expect(rest.destination).toMatchObject({ status: 'paused', projects: [] });
  });

  it('of a scrape is written before the answer, and once however often it is requested', async () => {
    const { create, caller, rows } = workspace();
    const { id, table } = await create();
    const jobId = newId('job');
    servers.sources.jobs.set(jobId, pages(5));
    const request = { destinationId: id, jobId, endedAt: new Date(), waitMs: 10_000 };
    const answers = await Promise.all(
      [1, 2].map(() => servers.peer.call(Rpc.syncJob, request, caller, { deadlineMs: 15_000 })),
    );
    for (const { sync } of answers) expect(sync).toMatchObject({ status: 'done', written: 1, sourceKind: 'scrape' });
    expect(new Set(answers.map(({ sync }) => sync?.id)).size).toBe(1);
    expect(byUrl(await rows(table))).toEqual({ 'https://a.example/0': [5, true] });
    const { sync } = await servers.peer.call(Rpc.getJobSync, { destinationId: id, jobId }, caller);
    expect(sync?.id).toBe(answers[0]?.sync?.id);
  });

  it('of a suspended workspace is cancelled while it waits or runs, and none is written until the suspension is lifted', async () => {
    const { workspaceId, create, addRun, finish, suspend, syncsOf, ended, rows } = workspace();
    const { id, table } = await create();
    const projectId = newId('prj');
    const gate = Promise.withResolvers<void>();
    servers.sources.gate = gate.promise;
    await finish(addRun(projectId, { pages: pages(1) }), { trigger: 'recrawl' });
    await until('a running sync', async () => (await syncsOf(id))[0]?.status === 'running');
    await finish(addRun(projectId, { pages: pages(2) }));
    await until('a waiting sync', async () => (await syncsOf(id)).length === 2);
    await suspend();
    const cancelled = await ended(id, 2);
    const error = { message: 'the workspace was suspended or deleted' };
    for (const sync of cancelled) expect(sync).toMatchObject({ status: 'cancelled', written: 0, error });
    await finish(addRun(projectId, { pages: pages(3) }));
    expect((await ended(id, 3))[0]).toMatchObject({ status: 'cancelled', error });
    gate.resolve();
    await suspend(false);
    await until('the workspace to be active', async () => {
      const state = `SELECT FROM export.workspace_states WHERE state = 'active' AND due IS NULL AND workspace_id = $1`;
      return (await servers.servers.database.sql(state, [workspaceId])).length === 1;
    });
    expect(await rows(table)).toEqual([]);
    await finish(addRun(projectId, { pages: pages(4, 5) }));
    await until('the next run to be written', async () => (await rows(table)).length === 2);
    expect((await rows(table)).map(({ words }) => words)).toEqual([4, 5]);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import { DestinationServiceService as Rpc } from '@tidemark/contracts/export/v1/destinations';
import { ExportDatasetRequest, ExportServiceService as Exports } from '@tidemark/contracts/export/v1/export';
import { until } from '@tidemark/testkit';
import pg from 'pg';
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
      status: 'queued',
      attempts: 1,
      nextAttemptAt: expect.any(Date),
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
    const rest = await until('the shared destination is paused', async () => {
      const { destination } = await servers.peer.call(Rpc.getDestination, { id: shared.id, projectId: '' }, caller);
      return destination?.status === 'paused' && destination;
    });
    expect(rest.projects).toEqual([]);
  });

  it('of a scrape is written before the response, and once however often it is requested', async () => {
    const { create, caller, rows } = workspace();
    const { id, table } = await create();
    const jobId = newId('job');
    servers.sources.jobs.set(jobId, pages(5));
    const request = { destinationId: id, jobId, endedAt: new Date(), waitMs: 10_000 };
    const responses = await Promise.all(
      [1, 2].map(() => servers.peer.call(Rpc.syncJob, request, caller, { deadlineMs: 15_000 })),
    );
    for (const { sync } of responses) expect(sync).toMatchObject({ status: 'done', written: 1, sourceKind: 'scrape' });
    expect(new Set(responses.map(({ sync }) => sync?.id)).size).toBe(1);
    expect(byUrl(await rows(table))).toEqual({ 'https://a.example/0': [5, true] });
    const { sync } = await servers.peer.call(Rpc.getJobSync, { destinationId: id, jobId }, caller);
    expect(sync?.id).toBe(responses[0]?.sync?.id);
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

  it('whose attempt fails while a pause of its destination is being committed is cancelled', async () => {
    const { create, addRun, finish, ended, syncsOf } = workspace();
    const { id } = await create();
    const gate = Promise.withResolvers<void>();
    servers.sources.gate = gate.promise;
    await finish(addRun(newId('prj')));
    await until('a running sync', async () => (await syncsOf(id))[0]?.status === 'running');
    const pausing = new pg.Client({ connectionString: servers.servers.database.url });
    await pausing.connect();
    try {
      await pausing.query(`BEGIN; UPDATE export.destinations SET status = 'paused' WHERE id = '${id}'`);
      servers.sources.isArchiveDown = true;
      gate.resolve();
      const { sql } = servers.servers.database;
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await until('the end of the attempt to wait for the pause', async () => (await sql(waiting)).length > 0);
      await pausing.query('COMMIT');
    } finally {
      await pausing.end();
    }
    expect(await ended(id)).toMatchObject([{ status: 'cancelled', attempts: 1 }]);
  });

  it('of a run that is being deleted marks no page of a mirror as deleted, and is tried again', async () => {
    const { create, addRun, finish, ended, syncsOf, rows } = workspace();
    const { id, table } = await create({ mode: 'mirror' });
    const projectId = newId('prj');
    await finish(addRun(projectId, { pages: pages(1, 2, 3) }));
    await ended(id);
    await finish(addRun(projectId, { pages: pages(4), missing: 2 }));
    const sync = await until('a failed attempt', async () =>
      (await syncsOf(id)).find(({ error }) => error !== undefined),
    );
    const message = expect.stringContaining('the run has 3 pages and 1 of them could be read');
    expect(sync).toMatchObject({ status: 'queued', error: { code: 'temporary', message } });
    expect(byUrl(await rows(table))).toEqual({
      'https://a.example/0': [1, true],
      'https://a.example/1': [2, true],
      'https://a.example/2': [3, true],
    });
  });

  it('that is the fifth in a row to fail pauses its destination with the reason', async () => {
    const { create, addRun, finish, ended, caller } = workspace();
    const { id, table } = await create({ freeze: true });
    const projectId = newId('prj');
    await servers.userDatabase.sql(`CREATE TABLE public."${table}" (url text)`);
    for (let failed = 1; failed <= 5; failed += 1) {
      const { destination } = await servers.peer.call(Rpc.getDestination, { id, projectId: '' }, caller);
      expect(destination).toMatchObject({ status: 'active' });
      await finish(addRun(projectId, { pages: pages(failed) }));
      expect((await ended(id, failed))[0]).toMatchObject({ status: 'error', error: { code: 'invalid' } });
    }
    const { destination } = await servers.peer.call(Rpc.getDestination, { id, projectId: '' }, caller);
    const pausedReason = expect.stringContaining('5 syncs in a row failed');
    expect(destination).toMatchObject({ status: 'paused', pausedReason });
  });

  it('of a destination that is deleted while it runs leaves the table as it was', async () => {
    const { create, addRun, finish, ended, rows, caller } = workspace();
    const { id, table } = await create();
    const projectId = newId('prj');
    await finish(addRun(projectId, { pages: pages(1) }));
    await ended(id);
    const gate = Promise.withResolvers<void>();
    servers.sources.gate = gate.promise;
    await finish(addRun(projectId, { pages: pages(2, 3) }));
    const transactions = async (): Promise<number> => {
      const open = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`;
      return (await servers.userDatabase.sql(open)).length;
    };
    await until('its transaction', async () => (await transactions()) === 1);
    await servers.peer.call(Rpc.deleteDestination, { id, projectId: '' }, caller);
    await until('the end of its transaction', async () => (await transactions()) === 0);
    gate.resolve();
    expect((await rows(table)).map(({ words }) => words)).toEqual([1]);
  });
});

describe('a download', () => {
  it('of a run that is being deleted ends with an error instead of fewer rows', async () => {
    const { addRun, caller } = workspace();
    const projectId = newId('prj');
    const runId = addRun(projectId, { pages: pages(1, 2), missing: 1 });
    const request = ExportDatasetRequest.fromPartial({ projectId, runId, dataset: 'pages', format: 'jsonl' });
    const read = async (): Promise<number> => {
      let bytes = 0;
      for await (const { part } of servers.peer.stream(Exports.exportDataset, request, caller))
        if (part?.$case === 'chunk') bytes += part.value.length;
      return bytes;
    };
    await expect(read()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('has 3 pages and 2'),
    });
  });
});

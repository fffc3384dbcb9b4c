import { connect, createServer } from 'node:net';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { DestinationServiceService as Rpc } from '@tidemark/contracts/export/v1/destinations';
import { type ServiceProcess, spawnService, startService, until } from '@tidemark/testkit';
import { exportService } from '../src/service.ts';
import { pages, prepareSyncs, workspaceOf } from './sync-servers.ts';

const MAIN = resolve(import.meta.dirname, '../src/main.ts');
type Servers = Awaited<ReturnType<typeof prepareSyncs>>;

let servers: Servers;
beforeAll(async () => {
  servers = await prepareSyncs();
}, 120_000);
afterAll(() => servers.close());

/**
 * A proxy to the database of the user that stops at a statement: `before` it is sent, or `after` it, when its answer is withheld. `reached`
 * resolves when it stops.
 */
async function startStop(statement: string, at: 'before' | 'after') {
  const { hostname, port } = new URL(servers.userDatabase.url);
  const { promise: reached, resolve: stop } = Promise.withResolvers<void>();
  let isArmed = true;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let isHeld = false;
    client.on('data', (data) => {
      const isStop = isArmed && data.includes(statement);
      if (isStop) {
        isHeld = true;
        isArmed = false;
        setImmediate(stop);
      }
      if (!isStop || at === 'after') upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (!isHeld) client.write(data);
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
    }
  });
  servers.servers.own({ close: () => void server.close() });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, reached };
}

/** Lets the leases of syncs expire, as time does for the syncs of a process that has ended. */
const expireLeases = () =>
  servers.servers.database.sql(
    `UPDATE export.syncs SET lease_until = now() - interval '1 second' WHERE status = 'running'`,
  );

describe('a sync whose process is killed', () => {
  it('is written once by another instance, wherever it was interrupted', async () => {
    let victim: ServiceProcess | undefined = await spawnService('export', MAIN, servers.env);
    const { peer } = victim;
    const gate = Promise.withResolvers<void>();
    const stops = [
      ['while rows are copied', undefined],
      ['before the merge', await startStop('INSERT INTO "', 'before')],
      ['before COMMIT', await startStop('COMMIT\u0000', 'before')],
      ['after COMMIT', await startStop('COMMIT\u0000', 'after')],
    ] as const;
    const started = [];
    for (const [step, stop] of stops) {
      // Each in a workspace of its own: two syncs of a workspace run at a time.
      const workspace = workspaceOf(servers, peer);
      const connectionId = await workspace.connect(stop === undefined ? {} : { port: stop.port });
      const destination = await workspace.create({ connectionId, mode: 'mirror' });
      const run = workspace.addRun(newId('prj'), { pages: pages(1, 2, 3) });
      if (stop === undefined) servers.sources.gate = gate.promise;
      await workspace.finish(run);
      await (stop?.reached ??
        until('a running sync', async () => (await workspace.syncsOf(destination.id))[0]?.status === 'running'));
      servers.sources.gate = Promise.resolve();
      started.push({ step, workspace, destination });
    }
    await victim.kill('SIGKILL');
    victim = undefined;
    gate.resolve();
    await expireLeases();
    const survivor = servers.servers.own(await startService(exportService, servers.env));
    for (const { step, workspace, destination } of started) {
      const { id, table } = destination;
      const [sync] = await until(
        `the sync that was interrupted ${step}`,
        async () => {
          const request = { destinationId: id, projectId: '', limit: 10, cursor: '' };
          const { syncs } = await survivor.peer.call(Rpc.listSyncs, request, workspace.caller);
          return syncs.every(({ status }) => status === 'done') ? syncs : undefined;
        },
        { withinMs: 30_000 },
      );
      const rows = await workspace.rows(table);
      expect([step, rows.map(({ words, _deleted_at }) => [words, _deleted_at])]).toEqual([
        step,
        [
          [1, null],
          [2, null],
          [3, null],
        ],
      ]);
      expect([step, sync?.written, sync?.attempts]).toEqual([step, 3, 2]);
      const ledger = 'SELECT FROM public._tidemark_syncs WHERE sync_id = $1';
      expect(await servers.userDatabase.sql(ledger, [sync?.id])).toHaveLength(1);
    }
    await survivor.close();
  }, 120_000);
});

describe('a sync', () => {
  it('of two processes that both hold it is written and ended once', async () => {
    const first = await startService(exportService, servers.env);
    const workspace = workspaceOf(servers, first.peer);
    const { id, table } = await workspace.create();
    const gate = Promise.withResolvers<void>();
    servers.sources.gate = gate.promise;
    const projectId = newId('prj');
    await workspace.finish(workspace.addRun(projectId, { pages: pages(4, 5) }));
    await until('a running sync', async () => (await workspace.syncsOf(id))[0]?.status === 'running');
    const second = await startService(exportService, servers.env);
    // The lease of the first expires while it still writes: both write, and the ledger of the destination admits one.
    await until('the second to hold the sync', async () => {
      await expireLeases();
      const [row] = await servers.servers.database.sql<{ claims: number }>(
        'SELECT claims FROM export.syncs WHERE destination_id = $1',
        [id],
      );
      return row?.claims === 2;
    });
    gate.resolve();
    servers.sources.gate = Promise.resolve();
    const [sync] = await workspace.ended(id);
    expect(sync).toMatchObject({ status: 'done', written: 2 });
    await Promise.all([first.close(), second.close()]);
    expect((await workspace.rows(table)).map(({ words }) => words)).toEqual([4, 5]);
    const events = `SELECT FROM export.outbox WHERE id = $1`;
    expect((await servers.servers.database.sql(events, [`sync:${sync?.id}`])).length).toBeLessThanOrEqual(1);
  }, 60_000);

  it('whose rights on the table were revoked changes nothing, and pauses its destination with the reason', async () => {
    const service = servers.servers.own(await startService(exportService, servers.env));
    const workspace = workspaceOf(servers, service.peer);
    const { id, table } = await workspace.create();
    const projectId = newId('prj');
    await workspace.finish(workspace.addRun(projectId, { pages: pages(1) }));
    await workspace.ended(id);
    await servers.userDatabase.sql(`REVOKE INSERT, UPDATE ON public."${table}" FROM current_user`);
    await workspace.finish(workspace.addRun(projectId, { pages: pages(2, 3) }));
    const [failed] = await workspace.ended(id, 2);
    expect(failed).toMatchObject({
      status: 'error',
      error: { code: 'refused', message: expect.stringContaining('permission denied') },
    });
    expect((await workspace.rows(table)).map(({ words }) => words)).toEqual([1]);
    const { destination } = await service.peer.call(Rpc.getDestination, { id, projectId: '' }, workspace.caller);
    expect(destination).toMatchObject({ status: 'paused', pausedReason: expect.stringContaining('permission denied') });
  }, 60_000);
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { DestinationServiceService as Rpc } from '@tidemark/contracts/export/v1/destinations';
import { startService, until } from '@tidemark/testkit';
import { exportService } from '../src/service.ts';
import { pages, prepareSyncs, workspaceOf } from './sync-servers.ts';

type Servers = Awaited<ReturnType<typeof prepareSyncs>>;

let servers: Servers;
beforeAll(async () => {
  servers = await prepareSyncs();
}, 120_000);
afterAll(() => servers.close());

/** Lets the leases of syncs expire, as time does for the syncs of a process that has ended. */
const expireLeases = () =>
  servers.servers.database.sql(
    `UPDATE export.syncs SET lease_until = now() - interval '1 second' WHERE status = 'running'`,
  );

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
      return row?.claims === 1;
    });
    gate.resolve();
    servers.sources.gate = Promise.resolve();
    const [sync] = await workspace.ended(id);
    expect(sync).toMatchObject({ status: 'done', written: 2 });
    await Promise.all([first.close(), second.close()]);
    expect((await workspace.rows(table)).map(({ words }) => words)).toEqual([4, 5]);
    const events = `SELECT FROM export.outbox WHERE id = $1`;
    expect((await servers.servers.database.sql(events, [`sync:${sync?.id}`])).length).toBeLessThanOrEqual(1);
  });

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
    const { destination } = await service.peer.call(Rpc.getDestination, { id }, workspace.caller);
    expect(destination).toMatchObject({ status: 'paused', pausedReason: expect.stringContaining('permission denied') });
  });
});

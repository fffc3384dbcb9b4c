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
 * A proxy to the database of the user that stops at a statement: `before` it is sent, or `after` it, when its response is withheld. `reached`
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
      const { reads } = servers.sources;
      if (stop === undefined) servers.sources.gate = gate.promise;
      await workspace.finish(run);
      await (stop?.reached ?? until('a sync that reads', () => servers.sources.reads > reads));
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
      const [sync] = await until(`the sync that was interrupted ${step}`, async () => {
        const request = { destinationId: id, projectId: '', limit: 10, cursor: '' };
        const { syncs } = await survivor.peer.call(Rpc.listSyncs, request, workspace.caller);
        return syncs.every(({ status }) => status === 'done') ? syncs : undefined;
      });
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

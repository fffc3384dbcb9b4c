import { DestinationServiceService } from '@tidemark/contracts/export/v1/destinations';
import { ExportServiceService } from '@tidemark/contracts/export/v1/export';
import { createHttpClient, guardFromConfig, makeDialTcp, makeRequirePublicUrl } from '@tidemark/egress';
import { Sealer } from '@tidemark/sealing';
import {
  Bus,
  defineService,
  deleteWorkspaceRows,
  FairQueue,
  Outbox,
  openPool,
  pingDatabase,
  prismaAdapter,
  type StoppedWorkspace,
  WorkspaceStates,
} from '@tidemark/service';
import { config } from './config.ts';
import { DRIVER_KINDS, driverKindOf } from './configuration/driver-kinds.ts';
import { openDestinations } from './configuration/open-destinations.ts';
import { makeCheckProvider } from './connections/check-provider.ts';
import { ConnectionService } from './connections/connection-service.ts';
import { makeSealModel } from './connections/seal-model.ts';
import { makeTestConnection } from './connections/test-connection.ts';
import { makeAdmitConnection } from './destinations/admit-connection.ts';
import { ProviderCatalogue } from './domain/providers/providers.ts';
import { makeExportDataset } from './download/export-dataset.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { destinationGrpc } from './grpc/destination-methods.ts';
import { exportGrpc } from './grpc/export-methods.ts';
import { ConnectionStore } from './store/connection-store.ts';
import { stopSyncs } from './store/stop-syncs.ts';
import { observeSyncs } from './store/sync-metrics.ts';

/** Datasets as files, connections of workspaces to external services, and destinations that receive the rows of runs. */
export const exportService = defineService({
  name: 'export',
  config,
  async start(app) {
    const pool = app.own(openPool(app.config.DATABASE_URL, 'export'));
    const bus = app.own(await Bus.connect(app.config.NATS_URL, 'export', app.log));
    const outbox = app.own(new Outbox(pool, bus, 'export', app.log));
    const send = outbox.send.bind(outbox);
    const db = app.own(new PrismaClient({ adapter: prismaAdapter(pool, 'export') }));
    const guard = guardFromConfig(app.config);
    const client = app.own(createHttpClient(guard));
    const providers = new ProviderCatalogue(DRIVER_KINDS.map(({ kind }) => kind));
    const sealer = new Sealer(app.config.SEALING_KEYS);
    const connections = new ConnectionService({
      connections: new ConnectionStore(db),
      seals: sealer,
      providers,
      admit: makeAdmitConnection({ guard, requirePublicUrl: makeRequirePublicUrl(guard), kindOf: driverKindOf }),
      test: makeTestConnection({
        checkModel: makeCheckProvider(client),
        kindOf: driverKindOf,
        diallerOf: ({ alsoPorts }) => makeDialTcp(guard, alsoPorts),
      }),
      send,
      now: () => new Date(),
    });
    const sources = {
      archive: app.dial('archive', app.config.ARCHIVE_ADDR),
      crawl: app.dial('crawl', app.config.CRAWL_ADDR),
      diff: app.dial('diff', app.config.DIFF_ADDR),
      map: app.dial('map', app.config.MAP_ADDR),
    };
    const { MAX_CONCURRENT_FILES: maxFiles, MAX_CONCURRENT_READS: maxReads } = app.config;
    const slots = new FairQueue({ capacity: maxFiles, maxWaiting: 100, slots: 'exports' });
    // A file waits for one batch at a time.
    const reads = new FairQueue({ capacity: maxReads, reserved: 1, maxWaiting: maxFiles, slots: 'reads of exports' });
    const sealModel = makeSealModel({ connections, sealer });
    const exportDataset = makeExportDataset(sources, { slots, reads });
    app.serve(ExportServiceService, exportGrpc(connections, providers, { exportDataset, sealModel }));
    const deleteData = (workspaceId: string) => deleteWorkspaceRows(pool, workspaceId);
    const stopWork = (stopped: readonly StoppedWorkspace[]) => stopSyncs(pool, stopped);
    app.own(new WorkspaceStates({ pool, bus, consumer: 'export', stopWork, deleteData, log: app.log }));
    const maxRunning = app.config.MAX_CONCURRENT_SYNCS;
    const destinations = openDestinations(app, {
      pool,
      bus,
      guard,
      connections,
      peers: sources,
      slots,
      maxRunning,
      send,
    });
    app.serve(DestinationServiceService, destinationGrpc(destinations));
    observeSyncs(pool);
    app.ready('postgres', () => pingDatabase(pool));
    app.ready('nats', () => bus.ping());
    await bus.prepare();
  },
});

/** Hosts import a service under its name; `export` is a reserved word and cannot be declared. */
export { exportService as export };

import { events } from '@tidemark/contracts';
import { DestinationServiceService } from '@tidemark/contracts/export/v1/destinations';
import type { JobEnded } from '@tidemark/contracts/scrape/v1/events';
import { type EgressGuard, makeDialTcp } from '@tidemark/egress';
import {
  type App,
  type Bus,
  type FairQueue,
  type OutgoingEvent,
  PeriodicTask,
  repeatUntilDone,
} from '@tidemark/service';
import type pg from 'pg';
import type { ConnectionService } from './connection-service.ts';
import { DestinationService } from './destination-service.ts';
import type { SourcePeers } from './download/peers.ts';
import { driverKindOf } from './driver-kinds.ts';
import { destinationGrpc } from './grpc-destinations.ts';
import { DestinationStore } from './store/destination-store.ts';
import { deleteOldSyncs, deleteProjects } from './store/project-runs.ts';
import { makePreviewShape } from './sync/preview-shape.ts';
import { openSyncRunner } from './sync/sync-runner.ts';
import { type EndedJob, SyncStarter } from './sync/sync-starter.ts';
import { makeWriteSync } from './sync/write-sync.ts';

const SWEEP_MS = 3_600_000;

interface DestinationsDeps {
  readonly pool: pg.Pool;
  readonly bus: Bus;
  readonly guard: EgressGuard;
  readonly connections: ConnectionService;
  readonly peers: SourcePeers;
  readonly slots: FairQueue;
  readonly maxRunning: number;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
}

/** Opens destinations: their service, the consumers that queue syncs, and the runner that writes them. To be called before the bus is prepared. */
export function openDestinations(
  app: Pick<App<unknown>, 'own' | 'serve' | 'log'>,
  { pool, bus, guard, connections, peers, slots, maxRunning, send }: DestinationsDeps,
): void {
  const { log } = app;
  const destinations = new DestinationStore(pool);
  const runner = app.own(
    openSyncRunner({
      pool,
      destinations,
      peers,
      writeSync: makeWriteSync({
        connections,
        kindOf: driverKindOf,
        diallerOf: ({ alsoPorts }) => makeDialTcp(guard, alsoPorts),
      }),
      maxRunning,
      log,
      publish: send,
      now: () => new Date(),
    }),
  );
  const starter = new SyncStarter({ pool, destinations, crawl: peers.crawl, wake: runner.wake });
  const service = new DestinationService({
    pool,
    destinations,
    connections,
    kindOf: driverKindOf,
    send,
    now: () => new Date(),
    syncNewest: (destination, requestId) => starter.syncNewest(destination, requestId),
  });
  const previewShape = makePreviewShape(peers, slots);
  app.serve(DestinationServiceService, destinationGrpc({ service, starter, destinations, previewShape }));
  bus.consume(events.runFinished, 'export', (batch) => starter.onRunsFinished(batch.map(({ event }) => event)));
  bus.consume(events.changeReady, 'export', async (batch) => {
    await runner.queue.makeDue(batch.map(({ event }) => event.runId));
    runner.wake();
  });
  bus.consume(events.jobEnded, 'export', (batch) => starter.onJobsEnded(batch.map(({ event }) => toEndedJob(event))));
  bus.consume(events.crawlEnded, 'export', (batch) =>
    starter.onJobsEnded(
      batch.map(({ event }) => toEndedJob({ ...event, jobId: event.runId, kind: 'crawl', pages: 0 })),
    ),
  );
  bus.consume(events.projectDeleted, 'export', (batch) =>
    deleteProjects(
      pool,
      batch.map(({ event }) => event),
    ),
  );
  const run = (isOpen: () => boolean) => repeatUntilDone(async () => (await deleteOldSyncs(pool)) > 0, isOpen);
  app.own(new PeriodicTask({ everyMs: SWEEP_MS, run, failed: 'sweep of old syncs failed, will retry', log }));
}

const toEndedJob = ({ jobId, workspaceId, destinationId, kind, at, pages }: JobEnded): EndedJob => ({
  id: jobId,
  workspaceId,
  destinationId,
  pages,
  endedAt: at ?? new Date(),
  kind: kind === 'crawl' || kind === 'batch' ? kind : 'scrape',
});

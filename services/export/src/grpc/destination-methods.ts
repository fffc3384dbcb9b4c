import { type DestinationSettings, DestinationServiceService as Rpc } from '@tidemark/contracts/export/v1/destinations';
import { FUNCTIONS, OPERATORS } from '@tidemark/expressions';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { DestinationService, ShownDestination } from '../configuration/destination-service.ts';
import type { DestinationStore } from '../store/destination-store.ts';
import type { PreviewShape } from '../sync/preview-shape.ts';
import type { SyncStarter } from '../sync/sync-starter.ts';
import { toWireDestination } from '../wire/to-wire-destination.ts';
import { toWireSync } from '../wire/to-wire-sync.ts';

interface DestinationMethods {
  readonly service: DestinationService;
  readonly starter: SyncStarter;
  readonly destinations: DestinationStore;
  readonly previewShape: PreviewShape;
}

const toWire = ({ destination, lastSync }: ShownDestination) => ({
  destination: toWireDestination(destination, lastSync),
});
const SHAPE_FUNCTIONS = {
  functions: FUNCTIONS.map(({ result, ...entry }) => ({
    ...entry,
    resultJson: JSON.stringify(result, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
  })),
  operators: [...OPERATORS],
};
const UNCHANGED: DestinationSettings = {
  name: undefined,
  connectionId: undefined,
  scope: undefined,
  projects: undefined,
  dataset: undefined,

  mode: undefined,
  table: undefined,
  path: undefined,
  format: undefined,
  compression: undefined,

  columns: undefined,
  shapeChange: undefined,
  automatic: undefined,
  status: undefined,
  freeze: undefined,
};

/** Implements the gRPC service of destinations. */
export function destinationGrpc(methods: DestinationMethods): BoundMethod[] {
  return [...settingsMethods(methods), ...syncMethods(methods)];
}

function settingsMethods({ service, previewShape }: DestinationMethods): BoundMethod[] {
  return [
    handle(Rpc.listDestinations, async ({ projectId, ...page }, ctx) => {
      const { shown, next } = await service.list(callerOf(ctx), projectId, page);
      return { destinations: shown.map(({ destination, lastSync }) => toWireDestination(destination, lastSync)), next };
    }),
    handle(Rpc.createDestination, async ({ projectId, settings = UNCHANGED }, ctx) =>
      toWire(await service.create(callerOf(ctx), projectId, settings)),
    ),
    handle(Rpc.getDestination, async (of, ctx) => toWire(await service.get(callerOf(ctx), of))),
    handle(Rpc.updateDestination, async ({ settings = UNCHANGED, ...of }, ctx) =>
      toWire(await service.update(callerOf(ctx), of, { settings, requestId: ctx.requestId })),
    ),
    handle(Rpc.deleteDestination, async (of, ctx) => {
      await service.delete(callerOf(ctx), of);
      return {};
    }),
    handle(Rpc.checkDestination, async ({ id }, ctx) => {
      await service.requireReadyForJob(callerOf(ctx), id);
      return {};
    }),
    handle(Rpc.previewShape, previewShape),
    handle(Rpc.listShapeFunctions, async () => SHAPE_FUNCTIONS),
  ];
}

function syncMethods({ service, starter, destinations }: DestinationMethods): BoundMethod[] {
  return [
    handle(Rpc.startSync, async ({ id, projectId, ofProjectId, runId }, ctx) => {
      const caller = callerOf(ctx);
      const destination = await service.requireReady(caller, { id, projectId });
      const of = { projectId: ofProjectId ?? projectId, runId, requestId: ctx.requestId };
      return { syncs: (await starter.start(caller, destination, of)).map(toWireSync) };
    }),
    handle(Rpc.listSyncs, async ({ destinationId, projectId, ...page }, ctx) => {
      const { syncs, next } = await service.listSyncs(callerOf(ctx), { id: destinationId, projectId }, page);
      return { syncs: syncs.map(toWireSync), next };
    }),
    handle(Rpc.getSync, async ({ id }, ctx) => ({ sync: toWireSync(await service.getSync(callerOf(ctx), id)) })),
    handle(Rpc.getJobSync, async ({ destinationId, jobId }, ctx) => {
      const sync = await destinations.findJobSync(callerOf(ctx).workspaceId, destinationId, jobId);
      return { sync: sync === undefined ? undefined : toWireSync(sync) };
    }),
    handle(Rpc.syncJob, async ({ destinationId, jobId, endedAt = new Date(), waitMs }, ctx) => {
      const caller = callerOf(ctx);
      const destination = await service.requireReadyForJob(caller, destinationId);
      const job = {
        workspaceId: caller.workspaceId,
        destinationId,
        kind: 'scrape',
        id: jobId,
        endedAt,
        pages: 1,
      } as const;
      return { sync: toWireSync(await starter.syncJob(destination, job, { waitMs, signal: ctx.signal })) };
    }),
  ];
}

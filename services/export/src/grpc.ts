import { reusingSerializer } from '@tidemark/contracts';
import {
  ExportDatasetResponse,
  ExportServiceService as Rpc,
  type Connection as WireConnection,
} from '@tidemark/contracts/export/v1/export';
import { type BoundMethod, callerOf, handle, handleStream } from '@tidemark/service';
import type { ConnectionService } from './connection-service.ts';
import type { Connection } from './domain/connection.ts';
import type { ProviderField } from './domain/providers/provider.ts';
import type { ProviderCatalogue } from './domain/providers/providers.ts';
import type { ExportDataset } from './download/export-dataset.ts';
import type { SealModel } from './seal-model.ts';

/** Copies field by field, so that the sealed secrets of a stored connection are never included. */
const toWire = (connection: Connection): WireConnection => ({
  id: connection.id,
  provider: connection.provider,
  name: connection.name,
  configJson: JSON.stringify(connection.config),
  secretsSet: [...connection.secretsSet],
  createdAt: connection.createdAt,
  updatedAt: connection.updatedAt,
  lastTest:
    connection.lastTest === undefined
      ? undefined
      : { ...connection.lastTest, steps: connection.lastTest.steps.map((step) => ({ ...step })) },
});

const toWireField = ({ name, type, required, says, fallback, choices }: ProviderField) => ({
  name,
  type,
  required,
  says,
  fallback,
  choices: [...choices],
});

const toWireProviders = ({ offered }: ProviderCatalogue) =>
  offered.map(({ id, title, kind, fields, secrets, oneOfSecrets, note, verified }) => ({
    id,
    title,
    kind,
    note,
    verified,
    fields: fields.map(toWireField),
    secrets: secrets.map(toWireField),
    oneOfSecrets: [...oneOfSecrets],
  }));

export interface ExportUseCases {
  readonly exportDataset: ExportDataset;
  readonly sealModel: SealModel;
}

/** Implements the gRPC service. Only `openConnection` returns secrets; the gateway does not expose it. */
export function exportGrpc(
  service: ConnectionService,
  catalogue: ProviderCatalogue,
  { exportDataset, sealModel }: ExportUseCases,
): BoundMethod[] {
  const providers = toWireProviders(catalogue);
  return [
    handle(Rpc.listProviders, async () => ({ providers })),
    handle(Rpc.listConnections, async ({ limit, cursor }, ctx) => {
      const { connections, next } = await service.list(callerOf(ctx), limit, cursor);
      return { connections: connections.map(toWire), next };
    }),
    handle(Rpc.createConnection, async (request, ctx) => ({
      connection: toWire(await service.create(callerOf(ctx), request)),
    })),
    handle(Rpc.getConnection, async ({ id }, ctx) => ({ connection: toWire(await service.get(callerOf(ctx), id)) })),
    handle(Rpc.updateConnection, async ({ id, name, configJson, secrets }, ctx) => ({
      connection: toWire(await service.update(callerOf(ctx), id, { name, configJson, secrets })),
    })),
    handle(Rpc.deleteConnection, async ({ id }, ctx) => {
      await service.delete(callerOf(ctx), id);
      return {};
    }),
    handle(Rpc.testConnection, async ({ id }, ctx) => ({ connection: toWire(await service.test(callerOf(ctx), id)) })),
    handleStream(Rpc.exportDataset, exportDataset, reusingSerializer(ExportDatasetResponse)),
    handle(Rpc.sealModel, async ({ id }, ctx) => ({ sealedModel: await sealModel(callerOf(ctx), id) })),
    handle(Rpc.openConnection, async ({ id }, ctx) => {
      const { provider, config, secrets } = await service.open(callerOf(ctx), id);
      return { provider: provider.id, configJson: JSON.stringify(config), secrets: { ...secrets } };
    }),
  ];
}

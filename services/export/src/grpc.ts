import { ExportServiceService as Rpc, type Connection as WireConnection } from '@tidemark/contracts/export/v1/export';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { ConnectionDesk } from './connection-desk.ts';
import type { Connection } from './domain/connection.ts';
import { PROVIDERS, type ProviderField } from './domain/providers.ts';

/** Field by field, so that nothing that is kept beside them is ever told. */
const toWire = (connection: Connection): WireConnection => ({
  id: connection.id,
  provider: connection.provider,
  name: connection.name,
  configJson: JSON.stringify(connection.config),
  secretsSet: [...connection.secretsSet],
  createdAt: connection.createdAt,
  updatedAt: connection.updatedAt,
  lastTest: connection.lastTest,
});

const toWireField = ({ name, required, says, fallback }: ProviderField) => ({ name, required, says, fallback });

const providers = PROVIDERS.map(({ id, title, kind, fields, secrets, note, verified }) => ({
  ...{ id, title, kind, note, verified },
  fields: fields.map(toWireField),
  secrets: secrets.map(toWireField),
}));

/** The face of export. Only `openConnection` hands secrets out: to services, never to anyone outside. */
export function exportGrpc(desk: ConnectionDesk): BoundMethod[] {
  return [
    handle(Rpc.listProviders, async () => ({ providers })),
    handle(Rpc.listConnections, async ({ limit, cursor }, ctx) => {
      const { connections, next } = await desk.list(callerOf(ctx), limit, cursor);
      return { connections: connections.map(toWire), next };
    }),
    handle(Rpc.createConnection, async (order, ctx) => ({
      connection: toWire(await desk.create(callerOf(ctx), order)),
    })),
    handle(Rpc.getConnection, async ({ id }, ctx) => ({ connection: toWire(await desk.get(callerOf(ctx), id)) })),
    handle(Rpc.updateConnection, async ({ id, name, configJson, secrets }, ctx) => ({
      connection: toWire(await desk.update(callerOf(ctx), id, { name, configJson, secrets })),
    })),
    handle(Rpc.deleteConnection, async ({ id }, ctx) => {
      await desk.delete(callerOf(ctx), id);
      return {};
    }),
    handle(Rpc.testConnection, async ({ id }, ctx) => ({ connection: toWire(await desk.test(callerOf(ctx), id)) })),
    handle(Rpc.openConnection, async ({ id }, ctx) => {
      const { provider, config, secrets } = await desk.open(callerOf(ctx), id);
      return { provider, configJson: JSON.stringify(config), secrets: { ...secrets } };
    }),
  ];
}

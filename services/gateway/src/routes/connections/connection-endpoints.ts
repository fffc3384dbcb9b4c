import { routes } from '@tidemark/api';
import { ExportServiceService as Rpc } from '@tidemark/contracts/export/v1/export';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { checkedId } from '../../requests/checked-id.ts';
import { WHOLE_LIST } from '../../requests/list-cursors.ts';
import { toConnection, toProvider } from './connection-response.ts';

/** Deadline of a connection test, ms; providers can be slow. */
const TEST_WITHIN_MS = 25_000;

const checkedConnectionId = (id: string): string => checkedId('con', id, 'connection');

/** Endpoints of connections. Secrets in requests are passed to export and never returned, logged or quoted in errors. */
export function connectionEndpoints(connections: Peer): Endpoint[] {
  return [...listEndpoints(connections), ...oneEndpoints(connections)];
}

function listEndpoints(connections: Peer): Endpoint[] {
  return [
    endpoint(routes.listProviders, async ({ call, requestId }) => {
      const { providers } = await connections.call(Rpc.listProviders, {}, call);
      return {
        status: 200,
        body: { data: providers.map(toProvider), ...WHOLE_LIST, creditsUsed: 0, request_id: requestId },
      };
    }),

    endpoint(routes.listConnections, async ({ query, baseUrl, call, requestId, cursors }) => {
      const { limit } = query;
      const request = { limit, cursor: cursors.openId('con', query.cursor) };
      const found = await connections.call(Rpc.listConnections, request, call);
      const at = `${baseUrl}/connections?limit=${limit}`;
      const nextPage = cursors.nextPage(at, found.next);
      const data = found.connections.map(toConnection);
      return { status: 200, body: { data, ...nextPage, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.createConnection, async ({ body, baseUrl, call, requestId }) => {
      const { provider, name, config, secrets } = body;
      const request = { provider, name, configJson: JSON.stringify(config), secrets };
      const { connection } = await connections.call(Rpc.createConnection, request, call);
      const created = toConnection(connection);
      const headers = { location: `${baseUrl}/connections/${created.id}` };
      return { status: 201, body: { ...created, creditsUsed: 0, request_id: requestId }, headers };
    }),
  ];
}

function oneEndpoints(connections: Peer): Endpoint[] {
  return [
    endpoint(routes.getConnection, async ({ params, call, requestId }) => {
      const { connection } = await connections.call(Rpc.getConnection, { id: checkedConnectionId(params.id) }, call);
      return { status: 200, body: { ...toConnection(connection), creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.patchConnection, async ({ params, body, call, requestId }) => {
      const { name, config, secrets = {} } = body;
      const configJson = config === undefined ? '' : JSON.stringify(config);
      const change = { id: checkedConnectionId(params.id), name, configJson, secrets };
      const { connection } = await connections.call(Rpc.updateConnection, change, call);
      return { status: 200, body: { ...toConnection(connection), creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.deleteConnection, async ({ params, call }) => {
      await connections.call(Rpc.deleteConnection, { id: checkedConnectionId(params.id) }, call);
      return { status: 204 };
    }),

    endpoint(routes.testConnection, async ({ params, call, requestId }) => {
      const request = { id: checkedConnectionId(params.id) };
      const { connection } = await connections.call(Rpc.testConnection, request, call, { deadlineMs: TEST_WITHIN_MS });
      return { status: 200, body: { ...toConnection(connection), creditsUsed: 0, request_id: requestId } };
    }),
  ];
}

import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Connection, ConnectionPatch, ConnectionResponse, NewConnection, Provider } from '../schemas/connection.ts';
import { Cursor, limit, listOf, wholeList } from '../schemas/parts.ts';

const all = { tag: 'Connections', params: nothing };
const one = {
  tag: 'Connections',
  params: z.strictObject({ id: z.string().describe('The connection, such as con_01j…') }),
  query: nothing,
};

export const connectionRoutes = {
  listProviders: route({
    ...all,
    id: 'listProviders',
    method: 'get',
    path: '/connections/providers',
    scope: 'read',
    summary: 'Providers of connections and the settings each requires',
    query: nothing,
    body: nothing,
    responses: {
      200: z
        .object({ data: z.array(Provider), ...wholeList, creditsUsed: z.int(), request_id: z.string() })
        .meta({ id: 'Providers' }),
    },
  }),
  listConnections: route({
    ...all,
    id: 'listConnections',
    method: 'get',
    path: '/connections',
    scope: 'read',
    summary: 'Connections of the workspace, newest first, without secrets',
    query: z.strictObject({ cursor: Cursor, limit: limit(100, 1_000) }),
    body: nothing,
    responses: { 200: listOf(Connection) },
  }),
  createConnection: route({
    ...all,
    id: 'createConnection',
    refusals: {
      plan_limit: 'The workspace has as many connections as it may.',
      forbidden: 'The key is restricted to projects.',
    },
    method: 'post',
    path: '/connections',
    scope: 'admin',
    summary: 'Create a connection',
    description: 'The provider is not called; POST /connections/{id}/test calls it.',
    query: nothing,
    body: NewConnection,
    responses: { 201: ConnectionResponse },
    example: { provider: 'openai', name: 'Our model', config: { model: 'gpt-5-mini' }, secrets: { api_key: 'sk-…' } },
  }),
  getConnection: route({
    ...one,
    id: 'getConnection',
    method: 'get',
    path: '/connections/{id}',
    scope: 'read',
    summary: 'A connection, without secrets',
    body: nothing,
    responses: { 200: ConnectionResponse },
  }),
  patchConnection: route({
    ...one,
    id: 'patchConnection',
    method: 'patch',
    path: '/connections/{id}',
    scope: 'admin',
    summary: 'Change a connection',
    description:
      'Fields that are not given stay unchanged. `config` is merged key by key; null removes a key. Given secrets replace the stored ones.',
    body: ConnectionPatch,
    responses: { 200: ConnectionResponse },
    example: { name: 'The team’s model' },
  }),
  deleteConnection: route({
    ...one,
    id: 'deleteConnection',
    method: 'delete',
    path: '/connections/{id}',
    scope: 'admin',
    summary: 'Delete a connection and its secrets',
    description: 'Features of projects that use it stop: a digest is null from then on.',
    body: nothing,
    responses: { 204: undefined },
  }),
  testConnection: route({
    ...one,
    id: 'testConnection',
    method: 'post',
    path: '/connections/{id}/test',
    scope: 'admin',
    summary: 'Test a connection',
    description:
      'Checks that the provider responds and accepts the secrets, and that a destination can be written; see `lastTest` for each step. Free.',
    body: nothing,
    responses: { 200: ConnectionResponse },
  }),
} as const;

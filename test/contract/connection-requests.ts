import type { Good, RouteId, TestServers } from './requests.ts';

const CONNECTION = {
  provider: 'openai',
  name: 'Our model',
  config: { model: 'tide-1', base_url: 'https://models.example.com/v1' },
  secrets: { api_key: 'sk-contract-secret' },
};

/** Path of a connection. */
async function aConnection({ workspace }: TestServers): Promise<string> {
  const { status, body, text } = await workspace.admin.post('/connections', CONNECTION);
  if (status !== 201) throw new Error(`expected a connection, got ${status} ${text}`);
  return `/connections/${(body as { id: string }).id}`;
}

/** Valid requests of the routes of connections, one for each success status. */
export const goodOfConnections = {
  listProviders: { 200: () => ({ path: '/connections/providers' }) },
  listConnections: {
    200: async (servers) => {
      await aConnection(servers);
      return { path: '/connections?limit=5' };
    },
  },
  createConnection: { 201: () => ({ path: '/connections', body: CONNECTION }) },
  getConnection: { 200: async (servers) => ({ path: await aConnection(servers) }) },
  patchConnection: {
    200: async (servers) => ({
      path: await aConnection(servers),
      body: { name: 'Another', config: { model: 'tide-2' }, secrets: { api_key: 'sk-another' } },
    }),
  },
  deleteConnection: { 204: async (servers) => ({ path: await aConnection(servers) }) },
  testConnection: { 200: async (servers) => ({ path: `${await aConnection(servers)}/test` }) },
} as const satisfies Partial<Record<RouteId, Good>>;

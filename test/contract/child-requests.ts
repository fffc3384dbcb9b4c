import type { Good, TestServers } from './requests.ts';

const aChild = async ({ workspace }: TestServers): Promise<string> => {
  const { body } = await workspace.admin.post('/orgs/children', { name: 'Harbour Ltd', cap: 500 });
  return (body as { id: string }).id;
};

const aChildKey = async (servers: TestServers): Promise<string> => {
  const child = await aChild(servers);
  const { body } = await servers.workspace.admin.post(`/orgs/children/${child}/keys`, { name: 'soon gone' });
  return `/orgs/children/${child}/keys/${(body as { id: string }).id}`;
};

/** Valid requests of the routes of sub-accounts, of the audit log and of the request log. */
export const goodOfChildren = {
  listRequests: { 200: () => ({ path: '/me/requests?status=failed&limit=5' }) },
  groupFailures: { 200: () => ({ path: '/me/requests/failures' }) },
  listAudit: { 200: () => ({ path: '/me/audit?action=key&limit=5' }) },
  exportAudit: { 200: () => ({ path: '/me/audit/export?format=csv' }) },
  listChildren: { 200: () => ({ path: '/orgs/children' }) },
  createChild: { 201: () => ({ path: '/orgs/children', body: { name: 'Harbour Ltd', cap: 500 } }) },
  getChild: { 200: async (servers) => ({ path: `/orgs/children/${await aChild(servers)}` }) },
  patchChild: {
    200: async (servers) => ({
      path: `/orgs/children/${await aChild(servers)}`,
      body: { name: 'Harbour Inc', cap: 0, suspended: true },
    }),
  },
  listChildKeys: { 200: async (servers) => ({ path: `/orgs/children/${await aChild(servers)}/keys` }) },
  createChildKey: {
    201: async (servers) => ({ path: `/orgs/children/${await aChild(servers)}/keys`, body: { name: 'harbour' } }),
  },
  revokeChildKey: { 204: async (servers) => ({ path: await aChildKey(servers) }) },
} satisfies Readonly<Record<string, Good>>;

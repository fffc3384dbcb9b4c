import { makeProject, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import { oncePerWorkspace } from './once.ts';
import type { Good, RouteId, TestServers } from './requests.ts';

const DATABASE = {
  provider: 'postgresql',
  name: 'Our database',
  config: { host: 'db.example.com', database: 'site', user: 'tidemark' },
  secrets: { password: 'contract-secret' },
};
const SHAPE = { columns: [{ name: 'address', expr: 'url', type: 'text' }], where: 'words > 0' };

const idOf = ({ status, body, text }: { status: number; body: unknown; text: string }): string => {
  if (status > 201) throw new Error(`expected 201, got ${status} ${text}`);
  return (body as { id: string }).id;
};
const aConnection = async ({ workspace }: TestServers): Promise<string> =>
  idOf(await workspace.admin.post('/connections', DATABASE));

const newDestination = async (servers: TestServers) => ({
  name: 'Warehouse',
  connection_id: await aConnection(servers),
  table: 'site_pages',

  mode: 'mirror',
  columns: ['address'],
  shape: SHAPE,
  automatic: false,
});

/** Path of a destination of the workspace. */
const aDestination = async (servers: TestServers): Promise<string> =>
  `/destinations/${idOf(await servers.workspace.admin.post('/destinations', await newDestination(servers)))}`;

/** Returns a project with a finished run, which the routes only read. */
const aProject = oncePerWorkspace(async ({ workspace, web }: TestServers): Promise<string> => {
  const config = { max_pages: 1, use_sitemap: false };
  const { id } = await makeProject(workspace.writer, { seed: web.url('/tiny'), config });
  await runToEnd(workspace.writer, id);
  return id;
});

const emptyProject = async ({ workspace, web }: TestServers): Promise<string> =>
  (await makeProject(workspace.writer, { seed: web.url('/tiny') })).id;

/** Path of a project's own destination. */
async function ownDestination(servers: TestServers, project: string): Promise<string> {
  const path = `/projects/${project}/destinations`;
  return `${path}/${idOf(await servers.workspace.admin.post(path, await newDestination(servers)))}`;
}

/** Returns a request that starts a sync of the newest run. */
async function newSync(servers: TestServers): Promise<{ readonly destination: string; readonly body: object }> {
  const [project, destination] = [await aProject(servers), await aDestination(servers)];
  const { body } = await servers.workspace.reader.get(`/projects/${project}/runs?limit=1`);
  const run = (body as { data: { id: string }[] }).data[0]?.id;
  return { destination, body: { project_id: project, run_id: run } };
}

/** Starts a sync. */
const aSync = oncePerWorkspace(async (servers: TestServers) => {
  const { destination, body } = await newSync(servers);
  const { status, body: started, text } = await servers.workspace.writer.post(`${destination}/sync`, body);
  const [sync] = status === 202 ? (started as { data: { id: string }[] }).data : [];
  if (sync === undefined) throw new Error(`expected a sync, got ${status} ${text}`);
  return { destination, path: `/syncs/${sync.id}` };
});

/** Path of an ended sync: its destination was paused. */
const anEndedSync = oncePerWorkspace(async (servers: TestServers): Promise<string> => {
  const { destination, path } = await aSync(servers);
  const { status, text } = await servers.workspace.admin.patch(destination, { status: 'paused' });
  if (status !== 200) throw new Error(`expected a paused destination, got ${status} ${text}`);
  await until('the sync to end', async () => {
    const { body, text: now } = await servers.workspace.writer.get(path);
    if (typeof (body as { finishedAt?: unknown }).finishedAt === 'string') return true;
    throw new Error(now);
  });
  return path;
});

/** Valid requests of the routes of destinations, one for each success status. */
export const goodOfDestinations = {
  listDestinations: {
    200: async (servers) => {
      await aDestination(servers);
      return { path: '/destinations?limit=5' };
    },
  },
  createDestination: { 201: async (servers) => ({ path: '/destinations', body: await newDestination(servers) }) },
  getDestination: { 200: async (servers) => ({ path: await aDestination(servers) }) },
  patchDestination: {
    200: async (servers) => ({ path: await aDestination(servers), body: { mode: 'append', shape: null, columns: [] } }),
  },
  deleteDestination: { 204: async (servers) => ({ path: await aDestination(servers) }) },
  listSyncs: { 200: async (servers) => ({ path: `${await aDestination(servers)}/syncs` }) },
  startSync: {
    202: async (servers) => {
      const { destination, body } = await newSync(servers);
      return { path: `${destination}/sync`, body };
    },
  },
  listProjectDestinations: {
    200: async (servers) => ({ path: `/projects/${await emptyProject(servers)}/destinations` }),
  },
  createProjectDestination: {
    201: async (servers) => ({
      path: `/projects/${await emptyProject(servers)}/destinations`,
      body: await newDestination(servers),
    }),
  },
  patchProjectDestination: {
    200: async (servers) => ({
      path: await ownDestination(servers, await emptyProject(servers)),
      body: { status: 'paused' },
    }),
  },
  deleteProjectDestination: {
    204: async (servers) => ({ path: await ownDestination(servers, await emptyProject(servers)) }),
  },
  listProjectSyncs: {
    200: async (servers) => ({ path: `${await ownDestination(servers, await emptyProject(servers))}/syncs` }),
  },
  startProjectSync: {
    202: async (servers) => {
      const project = await aProject(servers);
      const { body } = await servers.workspace.reader.get(`/projects/${project}/runs?limit=1`);
      const run = (body as { data: { id: string }[] }).data[0]?.id;
      return { path: `${await ownDestination(servers, project)}/sync`, body: { run_id: run } };
    },
  },
  getSync: { 200: async (servers) => ({ path: (await aSync(servers)).path }) },
  streamSync: { 200: async (servers) => ({ path: `${await anEndedSync(servers)}/events` }) },
  previewShape: {
    200: async (servers) => ({
      path: '/destinations/preview',
      body: { project_id: await aProject(servers), shape: SHAPE, columns: ['address'], limit: 5 },
    }),
  },
  listShapeFunctions: { 200: () => ({ path: '/destinations/shape-functions' }) },
} as const satisfies Partial<Record<RouteId, Good>>;

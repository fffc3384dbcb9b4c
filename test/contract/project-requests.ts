import { NO_PROJECT } from '../harness/paths.ts';
import { makeProject, runToEnd, startRun } from '../harness/projects.ts';
import { oncePerWorkspace } from './once.ts';
import type { Good, RouteId, TestServers } from './requests.ts';

const ONE_PAGE = { max_pages: 1, use_sitemap: false };

const aProject = async ({ workspace, web }: TestServers, path = '/article'): Promise<string> =>
  (await makeProject(workspace.writer, { seed: web.url(path), config: ONE_PAGE })).id;

/** Returns a run whose page is held until the gate opens. */
async function aRunUnderWay(servers: TestServers): Promise<string> {
  const id = await aProject(servers, '/gate/contract');
  return `/projects/${id}/runs/${(await startRun(servers.workspace.writer, id)).id}`;
}

/** Returns a project with a finished run, which the routes only read. */
const aProjectRun = oncePerWorkspace(async (servers: TestServers): Promise<{ project: string; run: string }> => {
  const project = await aProject(servers);
  const { id } = await runToEnd(servers.workspace.writer, project);
  return { project: `/projects/${project}`, run: `/projects/${project}/runs/${id}` };
});

/** Valid requests of the routes of projects and runs, one for each success status. */
export const goodOfProjects = {
  listProjects: {
    200: async (servers) => {
      await aProject(servers);
      return { path: '/projects?v=never&limit=5' };
    },
  },
  createProject: {
    201: ({ web }) => ({
      path: '/projects',
      body: {
        seed: web.url('/article'),
        name: 'Harlow Point',
        tags: ['legal', 'EU'],
        schedule: '30 6 * * 1',
        timezone: 'Europe/Berlin',
        retention: 30,
        config: {
          max_pages: 5,
          chat_url: 'https://hooks.example.com/hooks/aaaaaaaaaaaaaaaaaaaaaaaaaa',
          STORE_HTML: 'always',
        },
      },
    }),
  },
  createProjects: {
    201: async (servers) => ({
      path: '/projects/batch',
      body: { seeds: [servers.web.url('/tiny'), 'nonsense'], template_project_id: await aProject(servers) },
    }),
  },
  getProject: { 200: async (servers) => ({ path: (await aProjectRun(servers)).project }) },
  listConfigVersions: {
    200: async (servers) => ({ path: `/projects/${await aProject(servers)}/config/versions?limit=1` }),
  },
  restoreConfigVersion: {
    200: async (servers) => ({ path: `/projects/${await aProject(servers)}/config/versions/1/restore` }),
  },
  patchProject: {
    200: async (servers) => ({
      path: `/projects/${await aProject(servers)}`,
      body: { name: '', schedule: 'daily', config: { max_pages: null, min_words: 5 } },
    }),
  },
  deleteProject: { 204: async (servers) => ({ path: `/projects/${await aProject(servers)}` }) },
  applyConfig: {
    200: async (servers) => ({
      path: `/projects/${await aProject(servers)}/config/apply`,
      body: { project_ids: [await aProject(servers, '/tiny')], groups: ['all'] },
    }),
  },
  startRuns: {
    202: async (servers) => ({
      path: '/projects/run',
      body: { project_ids: [await aProject(servers), NO_PROJECT] },
    }),
  },
  listRuns: { 200: async (servers) => ({ path: `${(await aProjectRun(servers)).project}/runs?v=done` }) },
  startRun: { 202: async (servers) => ({ path: `/projects/${await aProject(servers)}/runs` }) },
  getRun: { 200: async (servers) => ({ path: (await aProjectRun(servers)).run }) },
  cancelRun: { 200: async (servers) => ({ path: `${await aRunUnderWay(servers)}/cancel` }) },
  listRunLinks: { 200: async (servers) => ({ path: `${(await aProjectRun(servers)).run}/links?kind=dead_ends` }) },
} as const satisfies Partial<Record<RouteId, Good>>;

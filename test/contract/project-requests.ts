import { NO_PROJECT } from '../harness/paths.ts';
import { makeProject, runToEnd, startRun } from '../harness/projects.ts';
import type { Good, Ground, RouteId } from './requests.ts';

const ONE_PAGE = { max_pages: 1, use_sitemap: false };

const aProject = async ({ workspace, web }: Ground, path = '/article'): Promise<string> =>
  (await makeProject(workspace.writer, { seed: web.url(path), config: ONE_PAGE })).id;

/** A run whose page waits for the gate. */
async function aRunUnderWay(ground: Ground): Promise<string> {
  const id = await aProject(ground, '/gate/contract');
  return `/projects/${id}/runs/${(await startRun(ground.workspace.writer, id)).id}`;
}

/** A project with a run that has ended. */
async function aProjectRun(ground: Ground): Promise<{ project: string; run: string }> {
  const project = await aProject(ground);
  const { id } = await runToEnd(ground.workspace.writer, project);
  return { project: `/projects/${project}`, run: `/projects/${project}/runs/${id}` };
}

/** For each route of projects and runs a good request for every status it may succeed with. */
export const goodOfProjects = {
  listProjects: {
    200: async (ground) => {
      await aProject(ground);
      return { path: '/projects?v=never&limit=5' };
    },
  },
  createProject: {
    201: ({ web }) => ({
      path: '/projects',
      body: {
        seed: web.url('/article'),
        name: 'Harlow Point',
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
    201: async (ground) => ({
      path: '/projects/batch',
      body: { seeds: [ground.web.url('/tiny'), 'nonsense'], template_project_id: await aProject(ground) },
    }),
  },
  getProject: { 200: async (ground) => ({ path: (await aProjectRun(ground)).project }) },
  patchProject: {
    200: async (ground) => ({
      path: `/projects/${await aProject(ground)}`,
      body: { name: '', schedule: 'daily', config: { max_pages: null, min_words: 5 } },
    }),
  },
  deleteProject: { 204: async (ground) => ({ path: `/projects/${await aProject(ground)}` }) },
  applyConfig: {
    200: async (ground) => ({
      path: `/projects/${await aProject(ground)}/config/apply`,
      body: { project_ids: [await aProject(ground, '/tiny')], groups: ['all'] },
    }),
  },
  startRuns: {
    202: async (ground) => ({
      path: '/projects/run',
      body: { project_ids: [await aProject(ground), NO_PROJECT] },
    }),
  },
  listRuns: { 200: async (ground) => ({ path: `${(await aProjectRun(ground)).project}/runs?v=done` }) },
  startRun: { 202: async (ground) => ({ path: `/projects/${await aProject(ground)}/runs` }) },
  getRun: { 200: async (ground) => ({ path: (await aProjectRun(ground)).run }) },
  cancelRun: { 200: async (ground) => ({ path: `${await aRunUnderWay(ground)}/cancel` }) },
  listRunLinks: { 200: async (ground) => ({ path: `${(await aProjectRun(ground)).run}/links?kind=dead_ends` }) },
} as const satisfies Partial<Record<RouteId, Good>>;

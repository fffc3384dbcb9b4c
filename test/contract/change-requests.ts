import { startHarbour } from '../e2e/harbour-site.ts';
import { recordOf } from '../harness/changes.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { HOSTS } from '../web/server.ts';
import type { Good, RouteId, RouteRequest, TestServers } from './requests.ts';

interface Changed {
  /** Where the project is. */
  readonly project: string;
  /** The page that changed, as a query. */
  readonly page: string;
  /** The entry that says so. */
  readonly change: string;
}

/** A project with two runs, between which one page has changed. */
async function aChange({ workspace }: TestServers, config: object = {}): Promise<Changed> {
  const site = await startHarbour(HOSTS.other);
  try {
    const order = { seed: `${site.origin}/`, config: { store_html: 'always', ...config } };
    const { id } = await makeProject(workspace.writer, order);
    await runToEnd(workspace.writer, id);
    site.fee = 14;
    const second = await runToEnd(workspace.writer, id);
    const { entries } = await recordOf(workspace.reader, id, second.id);
    const page = `url=${encodeURIComponent(`${site.origin}/prices`)}`;
    return { project: `/projects/${id}`, page, change: entries[0]?.id ?? '' };
  } finally {
    site.close();
  }
}

const of =
  (path: (changed: Changed) => string, body?: object) =>
  async (servers: TestServers): Promise<RouteRequest> => {
    const changed = await aChange(servers);
    return { path: `${changed.project}${path(changed)}`, ...(body === undefined ? {} : { body }) };
  };

/** For each route of changes a good request for every status it may succeed with. */
export const goodOfChanges = {
  getChanges: { 200: of(() => '/changes?limit=1') },
  reviewChange: { 200: of(({ change }) => `/changes/${change}/review`, { reviewed: true }) },
  comparePage: { 200: of(({ page }) => `/changes/page?${page}`) },
  compareMarkup: { 200: of(({ page }) => `/changes/markup?${page}`) },
  compareScreenshots: {
    200: async (servers) => {
      const { project, page } = await aChange(servers, { screenshot: 'viewport' });
      return { path: `${project}/changes/screenshot?${page}` };
    },
  },
  changesFeed: { 200: of(() => '/changes.atom') },
} as const satisfies Partial<Record<RouteId, Good>>;

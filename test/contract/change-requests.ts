import { startHarbour } from '../e2e/harbour-site.ts';
import { recordOf } from '../harness/changes.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { HOSTS } from '../web/server.ts';
import type { Good, RouteId, RouteRequest, TestServers } from './requests.ts';

interface Changed {
  /** Path of the project. */
  readonly project: string;
  /** The changed page, as a query string. */
  readonly page: string;
  /** The entry of the changed page. */
  readonly change: string;
}

/** Returns a project with two runs, between which one page has changed. */
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

/** Valid requests of the routes of changes, one for each success status. */
export const goodOfChanges = {
  getChanges: { 200: of(() => '/changes?limit=1') },
  reviewChange: { 200: of(({ change }) => `/changes/${change}/review`, { reviewed: true }) },
  reviewChanges: { 200: of(() => '/changes/review', { reviewed: true }) },
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

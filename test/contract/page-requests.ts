import { startHarbour } from '../e2e/harbour-site.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import { HOSTS } from '../web/server.ts';
import { oncePerWorkspace } from './once.ts';
import type { Good, RouteId, RouteRequest, TestServers } from './requests.ts';

const ONE_PAGE = { max_pages: 1, use_sitemap: false };

interface Stored {
  /** Path of the project. */
  readonly project: string;
  /** The URL of its page, as a query string. */
  readonly url: string;
}

/** Returns a project with one stored page. */
async function aStoredPage({ workspace, web }: TestServers, config: object = {}): Promise<Stored> {
  const seed = web.url('/article');
  const { id } = await makeProject(workspace.writer, { seed, config: { ...ONE_PAGE, ...config } });
  await runToEnd(workspace.writer, id);
  return { project: `/projects/${id}`, url: `url=${encodeURIComponent(seed)}` };
}

const aSharedPage = oncePerWorkspace(aStoredPage);

const of =
  (path: string, body?: object) =>
  async (servers: TestServers): Promise<RouteRequest> => {
    const { project } = await aSharedPage(servers);
    return { path: `${project}${path}`, ...(body === undefined ? {} : { body }) };
  };

const ofPage =
  (path: string, config: object = {}) =>
  async (servers: TestServers): Promise<RouteRequest> => {
    const { project, url } = await aSharedPage(servers, config);
    return { path: `${project}/pages/${path}?${url}` };
  };

/** Returns a project with one run over a site that has a sitemap. */
const aDiscovered = oncePerWorkspace(async ({ workspace }: TestServers): Promise<string> => {
  const site = await startHarbour(HOSTS.other);
  try {
    const { id } = await makeProject(workspace.writer, { seed: `${site.origin}/` });
    await workspace.writer.post(`/projects/${id}/discovery`, {});
    const isThere = async () => {
      const { body } = await workspace.reader.get(`/projects/${id}/discovery`);
      return (body as { discovery: unknown }).discovery !== null;
    };
    await until('the first snapshot', isThere);
    return `/projects/${id}/discovery`;
  } finally {
    site.close();
  }
});

/** Valid requests of the routes of stored pages and sources, one for each success status. */
export const goodOfPages = {
  exportProject: { 200: of('/export?dataset=pages&format=csv') },
  exportPages: { 200: of('/export', { dataset: 'markdown', urls: ['https://example.com/'] }) },
  listPages: { 200: of('/pages?v=ok&q=status%3A200&sort=-words') },
  searchPages: { 200: of('/pages/search', { q: 'water' }) },
  verifyCite: {
    200: async (servers) => {
      await aSharedPage(servers);
      return { path: '/cite/verify', body: { quote: 'high water' } };
    },
  },
  getPageContent: { 200: ofPage('content') },
  listPageVersions: { 200: ofPage('versions') },
  getPageBlame: { 200: ofPage('blame') },
  getPageScreenshot: { 200: ofPage('screenshot', { screenshot: 'viewport' }) },
  getRemoved: { 200: ofPage('removed') },
  matchSelectors: { 200: of('/selectors/match', { selectors: ['h1', '//p', 'h1['] }) },
  previewContent: { 200: of('/content/preview', { config: { exclude_selectors: ['h1'] } }) },
  recrawlPages: {
    202: async (servers) => {
      const { project } = await aStoredPage(servers);
      return { path: `${project}/pages/recrawl`, body: { urls: [servers.web.url('/article')] } };
    },
  },
  dryRun: { 200: of('/dry-run', { exclude_paths: ['/article*'], config: { max_depth: 1 } }) },
  getSources: { 200: of('/sources') },
  previewSources: {
    200: async (servers) => {
      const { project } = await aSharedPage(servers);
      const body = { feeds: [servers.web.url('/nothing')], include_paths: ['/a*'] };
      return { path: `${project}/sources/preview`, body };
    },
  },
  getDiscovery: { 200: async (servers) => ({ path: await aDiscovered(servers) }) },
  startDiscovery: { 202: async (servers) => ({ path: `${(await aStoredPage(servers)).project}/discovery` }) },
  listDiscoveryEntries: { 200: async (servers) => ({ path: `${await aDiscovered(servers)}/entries?limit=5` }) },
} as const satisfies Partial<Record<RouteId, Good>>;

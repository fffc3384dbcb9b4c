import { startHarbour } from '../e2e/harbour-site.ts';
import { recordOf } from '../harness/changes.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { HOSTS } from '../web/server.ts';
import { oncePerWorkspace } from './once.ts';
import type { Good, RouteId, RouteRequest, TestServers } from './requests.ts';

interface Changed {
  /** Path of the project. */
  readonly project: string;
  /** The changed page, as a query string. */
  readonly page: string;
  /** The entry of the changed page. */
  readonly change: string;
}

/** Returns a project with two runs, between which one page has changed. The routes read it and mark it as reviewed. */
const aChange = oncePerWorkspace(async ({ workspace }: TestServers): Promise<Changed> => {
  const site = await startHarbour(HOSTS.other);
  try {
    const order = { seed: `${site.origin}/`, config: { store_html: 'always', screenshot: 'viewport' } };
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
});

/** Returns a project with an ignored change: the same edit, in a block that a selector of its configuration matches. */
const anIgnoredChange = oncePerWorkspace(async ({ workspace }: TestServers) => {
  const site = await startHarbour(HOSTS.other);
  try {
    const order = { seed: `${site.origin}/`, config: { volatile_selectors: ['p'] } };
    const { id } = await makeProject(workspace.writer, order);
    await runToEnd(workspace.writer, id);
    site.fee = 14;
    const second = await runToEnd(workspace.writer, id);
    await recordOf(workspace.reader, id, second.id);
    const { body } = await workspace.reader.get(`/projects/${id}/changes/ignored`);
    const [ignored] = (body as { data: readonly { id: string }[] }).data;
    return { list: `/projects/${id}/changes/ignored`, ignored: ignored?.id ?? '' };
  } finally {
    site.close();
  }
});

const of =
  (path: (changed: Changed) => string, body?: object) =>
  async (servers: TestServers): Promise<RouteRequest> => {
    const changed = await aChange(servers);
    return { path: `${changed.project}${path(changed)}`, ...(body === undefined ? {} : { body }) };
  };

const aProject = async ({ workspace, web }: TestServers): Promise<string> =>
  (await makeProject(workspace.writer, { seed: web.url('/article') })).id;

/** Paths of a new feed URL: its list, its entry there, and the feed. */
async function aFeed(servers: TestServers): Promise<{ list: string; link: string; feed: string }> {
  const list = `/projects/${await aProject(servers)}/feeds`;
  const { status, body, text } = await servers.workspace.admin.post(list, {});
  if (status !== 201) throw new Error(`expected a feed URL, got ${status} ${text}`);
  const { id, url } = body as { id: string; url: string };
  return { list, link: `${list}/${id}`, feed: new URL(url).pathname.replace('/v1', '') };
}

/** Valid requests of the routes of changes, one for each success status. */
export const goodOfChanges = {
  listChanges: {
    200: async (servers) => {
      await aChange(servers);
      return { path: '/changes?limit=1' };
    },
  },
  getChanges: { 200: of(() => '/changes?limit=1') },
  previewAlert: { 200: of(() => '/alerts/preview', { when: 'words_added > 0' }) },
  reviewChange: { 200: of(({ change }) => `/changes/${change}/review`, { reviewed: true }) },
  reviewChanges: { 200: of(() => '/changes/review', { reviewed: true }) },
  listIgnoredChanges: { 200: async (servers) => ({ path: `${(await anIgnoredChange(servers)).list}?limit=1` }) },
  overruleIgnoredChange: {
    200: async (servers) => {
      const { list, ignored } = await anIgnoredChange(servers);
      return { path: `${list}/${ignored}`, body: { ignore: false } };
    },
  },
  comparePage: { 200: of(({ page }) => `/changes/page?${page}`) },
  compareMarkup: { 200: of(({ page }) => `/changes/markup?${page}`) },
  compareScreenshots: { 200: of(({ page }) => `/changes/screenshot?${page}`) },
  changesFeed: { 200: of(() => '/changes.atom') },
  createFeedLink: {
    201: async (servers) => ({ path: `/projects/${await aProject(servers)}/feeds`, body: { name: 'Team reader' } }),
  },
  listFeedLinks: { 200: async (servers) => ({ path: (await aFeed(servers)).list }) },
  revokeFeedLink: { 204: async (servers) => ({ path: (await aFeed(servers)).link }) },
  openFeed: { 200: async (servers) => ({ path: (await aFeed(servers)).feed }) },
} as const satisfies Partial<Record<RouteId, Good>>;

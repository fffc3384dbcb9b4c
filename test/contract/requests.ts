import type { routes } from '@tidemark/api';
import type { Api } from '../harness/api.ts';
import {
  NO_CREDIT_NOTE,
  NO_DESTINATION,
  NO_INVITE,
  NO_INVOICE,
  NO_JOB,
  NO_KEY,
  NO_PASSKEY,
  NO_PROJECT,
  NO_RUN,
  NO_USER,
  NO_VIEW,
  NO_WORKSPACE,
} from '../harness/paths.ts';
import type { People, Person } from '../harness/people.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import type { Web } from '../web/server.ts';
import { goodOfAccounts } from './account-requests.ts';
import { goodOfChanges } from './change-requests.ts';
import { goodOfChildren } from './child-requests.ts';
import { goodOfConnections } from './connection-requests.ts';
import { goodOfDestinations } from './destination-requests.ts';
import { goodOfLogins } from './login-requests.ts';
import { goodOfOidc } from './oidc-requests.ts';
import { oncePerWorkspace } from './once.ts';
import { goodOfPages } from './page-requests.ts';
import { goodOfPasskeys } from './passkey-requests.ts';
import { goodOfPayments } from './payment-requests.ts';
import { goodOfProjects } from './project-requests.ts';
import { goodOfRecorders } from './recorder-requests.ts';
import { NO_CONNECTION, NO_DELIVERY, NO_LOGIN, NO_NOTICE, NO_SYNC } from './unused-ids.ts';
import { goodOfWebhooks } from './webhook-requests.ts';

export type RouteId = keyof typeof routes;

/** A complete request. */
export interface RouteRequest {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client that sends it; by default a key of the scope that the route requires. */
  readonly api?: Api;
}

/** Parts of a valid request of a route. */
export interface TestServers {
  readonly workspace: Workspace;
  readonly people: People;
  /** Makes the token of a reset link, as the operator does. */
  resetTokenOf(email: string): Promise<string>;
  /** Makes an unverified account, as a fleet with a mail host does. @returns the token of its verification link */
  verifyTokenOf(): Promise<string>;
  readonly web: Web;
}

export type Good = Readonly<Record<number, (servers: TestServers) => RouteRequest | Promise<RouteRequest>>>;

const anyJob = async ({ workspace, web }: TestServers): Promise<string> =>
  (await workspace.writer.scrape({ url: web.url('/tiny') })).job.id;

const aPicture = async ({ workspace, web }: TestServers): Promise<string> =>
  (await workspace.writer.scrape({ url: web.url('/article'), config: { screenshot: 'viewport' } })).job.id;

const aSharedJob = oncePerWorkspace(anyJob);

const aPlayground = oncePerWorkspace(async ({ workspace, web }: TestServers): Promise<string> => {
  const requestBody = { url: web.url('/article'), config: { screenshot: 'viewport' } };
  const { id } = (await workspace.writer.post('/playground/extract', requestBody)).body as { id: string };
  await until('the page was looked at', async () => {
    const { body } = await workspace.writer.get(`/playground/${id}`);
    return (body as { status: string }).status === 'done';
  });
  return id;
});

/** Returns a finished crawl of one page. */
async function aCrawl({ workspace, web }: TestServers, config: object = {}): Promise<string> {
  const requestBody = { url: web.url('/article'), limit: 1, useSitemap: false, config };
  const { id } = (await workspace.writer.post('/crawl', requestBody)).body as { id: string };
  await until('the crawl has ended and its page can be read', async () => {
    const { status, data } = (await workspace.writer.get(`/crawl/${id}`)).body as { status: string; data: unknown[] };
    return status === 'done' && data.length === 1;
  });
  return id;
}

/** A crawl for the routes that only read it. */
const aSharedCrawl = oncePerWorkspace(aCrawl);

async function aCrawlPicture(servers: TestServers): Promise<RouteRequest> {
  const id = await aCrawl(servers, { screenshot: 'viewport' });
  const { data } = (await servers.workspace.writer.get(`/crawl/${id}`)).body as { data: { id: string }[] };
  return { path: `/crawl/${id}/screenshot?page=${data[0]?.id}` };
}

const aMap = oncePerWorkspace(
  async ({ workspace, web }: TestServers): Promise<string> =>
    ((await workspace.writer.post('/map', { url: web.url('/'), sitemapMode: 'skip' })).body as { id: string }).id,
);

const anyKey = async ({ workspace }: TestServers): Promise<string> => {
  const { body } = await workspace.admin.post('/me/keys', { name: 'soon gone' });
  return (body as { id: string }).id;
};

const VIEW = { name: 'Blocked pages', path: '/projects?health=failing' };

async function aSavedView(people: TestServers['people']): Promise<RouteRequest & { readonly api: Person }> {
  const api = await people.signUp();
  const { body } = await api.post('/auth/views', VIEW);
  return { api, path: `/auth/views/${(body as { id: string }).id}` };
}

const at = (path: string) => (): RouteRequest => ({ path });

/** Valid requests of every route, one for each success status. */
export const good: Readonly<Record<RouteId, Good>> = {
  startScrape: {
    200: ({ web }) => ({ path: '/scrape', body: { url: web.url('/article') } }),
    202: ({ web }) => ({
      path: '/scrape',
      body: { urls: [web.url('/article'), web.url('/tiny')], webhook_url: 'https://example.com/hook' },
    }),
  },
  streamScrape: { 200: async (servers) => ({ path: `/scrape/${await aSharedJob(servers)}/events` }) },
  getScreenshot: { 200: async (servers) => ({ path: `/scrape/${await aPicture(servers)}/screenshot` }) },
  listSavedViews: { 200: async ({ people }) => ({ api: await people.signUp(), path: '/auth/views' }) },
  createSavedView: { 201: async ({ people }) => ({ api: await people.signUp(), path: '/auth/views', body: VIEW }) },
  patchSavedView: {
    200: async ({ people }) => {
      const { api, path } = await aSavedView(people);
      return { api, path, body: { name: 'Refused pages' } };
    },
  },
  deleteSavedView: { 204: ({ people }) => aSavedView(people) },
  startCrawl: { 202: ({ web }) => ({ path: '/crawl', body: { url: web.url('/'), limit: 2 } }) },
  listCrawls: { 200: at('/crawl') },
  getCrawl: { 200: async (servers) => ({ path: `/crawl/${await aSharedCrawl(servers)}` }) },
  getCrawlPage: {
    200: async (servers) => ({
      path: `/crawl/${await aSharedCrawl(servers)}/page?url=${encodeURIComponent(servers.web.url('/article'))}`,
    }),
  },
  getCrawlScreenshot: { 200: aCrawlPicture },
  streamCrawl: { 200: async (servers) => ({ path: `/crawl/${await aSharedCrawl(servers)}/events` }) },
  listExports: { 200: at('/exports') },
  exportCrawl: { 200: async (servers) => ({ path: `/crawl/${await aSharedCrawl(servers)}/export?dataset=pages` }) },
  listCrawlLinks: { 200: async (servers) => ({ path: `/crawl/${await aSharedCrawl(servers)}/links?kind=dead_ends` }) },
  cancelCrawl: { 200: async (servers) => ({ path: `/crawl/${await aCrawl(servers)}` }) },
  pauseCrawl: { 200: async (servers) => ({ path: `/crawl/${await aCrawl(servers)}/pause` }) },
  resumeCrawl: { 200: async (servers) => ({ path: `/crawl/${await aCrawl(servers)}/resume` }) },
  keepCrawl: {
    201: async (servers) => ({
      path: `/crawl/${await aCrawl(servers, { notify_min_words: 5 })}/keep`,
      body: { name: 'Kept', schedule: 'weekly', retention: 30 },
    }),
  },
  ...goodOfProjects,
  ...goodOfRecorders,
  ...goodOfPages,
  ...goodOfLogins,
  ...goodOfChanges,
  ...goodOfWebhooks,
  ...goodOfConnections,
  ...goodOfDestinations,
  ...goodOfAccounts,
  ...goodOfChildren,
  ...goodOfPasskeys,
  ...goodOfOidc,
  ...goodOfPayments,
  // A key has no inbox, so it gets 404 for notices.
  dismissNotice: { 204: at(`/me/notifications/${NO_NOTICE}/seen`) },
  startPlayground: { 202: ({ web }) => ({ path: '/playground/extract', body: { url: web.url('/article') } }) },
  getPlayground: { 200: async (servers) => ({ path: `/playground/${await aPlayground(servers)}` }) },
  getPlaygroundScreenshot: {
    200: async (servers) => ({ path: `/playground/${await aPlayground(servers)}/screenshot` }),
  },
  listExits: { 200: at('/me/proxies') },
  startMap: {
    200: ({ web }) => ({ path: '/map', body: { url: web.url('/'), sitemapMode: 'skip' } }),
    202: ({ web }) => ({ path: '/map', body: { url: web.url('/gate/map-contract'), sitemapMode: 'skip', timeout: 1 } }),
  },
  getMap: { 200: async (servers) => ({ path: `/map/${await aMap(servers)}` }) },
  listScrapes: { 200: at('/scrape') },
  getScrape: { 200: async (servers) => ({ path: `/scrape/${await aSharedJob(servers)}` }) },
  cancelScrape: { 200: async (servers) => ({ path: `/scrape/${await anyJob(servers)}` }) },
  getMe: { 200: at('/me') },
  patchMe: { 200: () => ({ path: '/me', body: { max_rpm: null } }) },
  getUsage: { 200: at('/me/usage') },
  getBilling: { 200: at('/me/billing') },
  patchCap: { 200: () => ({ path: '/me/billing/cap', body: { cap: 2 } }) },
  getMonitor: { 200: at('/me/monitor') },
  listKeys: { 200: at('/me/keys') },
  createKey: {
    201: () => ({ path: '/me/keys', body: { name: 'reporting', scopes: ['read'], rpm: 5, expires_in_days: 7 } }),
  },
  revokeKey: { 204: async (servers) => ({ path: `/me/keys/${await anyKey(servers)}` }) },
  getMeta: { 200: at('/meta') },
};

/** An id that does not exist, for each route that takes one. */
export const unknownIds: Partial<Record<RouteId, string>> = {
  getInvoice: NO_INVOICE,
  getCreditNote: NO_CREDIT_NOTE,
  getMap: NO_JOB,
  getScrape: NO_JOB,
  cancelScrape: NO_JOB,
  streamScrape: NO_JOB,
  getScreenshot: NO_JOB,
  getPlayground: NO_JOB,
  getPlaygroundScreenshot: NO_JOB,
  getCrawl: NO_RUN,
  streamCrawl: NO_RUN,
  listCrawlLinks: NO_RUN,
  cancelCrawl: NO_RUN,
  pauseCrawl: NO_RUN,
  resumeCrawl: NO_RUN,
  revokeKey: NO_KEY,
  getChild: NO_WORKSPACE,
  listChildKeys: NO_WORKSPACE,
  revokeChildKey: NO_WORKSPACE,
  removeMember: NO_USER,
  revokeInvite: NO_INVITE,
  readInvite: NO_INVITE,
  getProject: NO_PROJECT,
  patchProject: NO_PROJECT,
  deleteProject: NO_PROJECT,
  openRecorder: NO_PROJECT,
  findRecorder: NO_PROJECT,
  streamRecorder: NO_PROJECT,
  closeRecorder: NO_PROJECT,
  listRuns: NO_PROJECT,
  startRun: NO_PROJECT,
  getRun: NO_PROJECT,
  cancelRun: NO_PROJECT,
  listRunLinks: NO_PROJECT,
  listPages: NO_PROJECT,
  keepCrawl: NO_RUN,
  dryRun: NO_PROJECT,
  getSources: NO_PROJECT,
  previewSources: NO_PROJECT,
  getDiscovery: NO_PROJECT,
  startDiscovery: NO_PROJECT,
  listDiscoveryEntries: NO_PROJECT,
  previewContent: NO_PROJECT,
  getChanges: NO_PROJECT,
  reviewChange: NO_PROJECT,
  reviewChanges: NO_PROJECT,
  previewAlert: NO_PROJECT,
  listIgnoredChanges: NO_PROJECT,
  overruleIgnoredChange: NO_PROJECT,
  changesFeed: NO_PROJECT,
  listConfigVersions: NO_PROJECT,
  restoreConfigVersion: NO_PROJECT,
  createFeedLink: NO_PROJECT,
  listFeedLinks: NO_PROJECT,
  revokeFeedLink: NO_PROJECT,
  patchLogin: NO_LOGIN,
  deleteLogin: NO_LOGIN,
  testLogin: NO_LOGIN,
  getWebhook: NO_PROJECT,
  testWebhook: NO_PROJECT,
  rotateSecret: NO_PROJECT,
  redeliver: NO_DELIVERY,
  getConnection: NO_CONNECTION,
  deleteConnection: NO_CONNECTION,
  testConnection: NO_CONNECTION,
  getDestination: NO_DESTINATION,
  deleteDestination: NO_DESTINATION,
  listSyncs: NO_DESTINATION,
  startSync: NO_DESTINATION,
  getSync: NO_SYNC,
  streamSync: NO_SYNC,
  listProjectDestinations: NO_PROJECT,
  deleteProjectDestination: NO_PROJECT,
  listProjectSyncs: NO_PROJECT,
  startProjectSync: NO_PROJECT,
};

/** Placeholder for the id in each path, for requests that find nothing. Some routes need more than an id. */
export const placeholders: Partial<Record<RouteId, string>> = {
  ...unknownIds,
  getCrawlPage: NO_RUN,
  getCrawlScreenshot: NO_RUN,
  exportCrawl: NO_RUN,
  exportProject: NO_PROJECT,
  exportPages: NO_PROJECT,
  applyConfig: NO_PROJECT,
  sendRecorderInput: NO_PROJECT,
  pickElement: NO_PROJECT,
  patchRecorder: NO_PROJECT,
  playRecorder: NO_PROJECT,
  patchMember: NO_USER,
  patchChild: NO_WORKSPACE,
  createChildKey: NO_WORKSPACE,
  patchSavedView: NO_VIEW,
  deleteSavedView: NO_VIEW,
  renamePasskey: NO_PASSKEY,
  removePasskey: NO_PASSKEY,
  recrawlPages: NO_PROJECT,
  searchPages: NO_PROJECT,
  getPageContent: NO_PROJECT,
  listPageVersions: NO_PROJECT,
  getPageBlame: NO_PROJECT,
  getPageScreenshot: NO_PROJECT,
  getRemoved: NO_PROJECT,
  matchSelectors: NO_PROJECT,
  comparePage: NO_PROJECT,
  compareMarkup: NO_PROJECT,
  compareScreenshots: NO_PROJECT,
  patchConnection: NO_CONNECTION,
  patchDestination: NO_DESTINATION,
  createProjectDestination: NO_PROJECT,
  patchProjectDestination: NO_PROJECT,
};

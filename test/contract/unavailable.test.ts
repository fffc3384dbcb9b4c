import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AnyRoute, routes } from '@tidemark/api';
import { type Answer, errorOf } from '../harness/api.ts';
import { type OwnFleet, serviceOf, startFleet } from '../harness/fleet.ts';
import { NO_PROJECT, pathOf } from '../harness/paths.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { makeResponseChecker, readDocument } from './document.ts';
import { bodies, NO_CONNECTION, NO_NOTICE, queryOf, unusedId } from './unused-ids.ts';

/**
 * The service that each route requires first, besides identity. A route that reads a project before it calls another
 * service requires projects: this suite sends ids that do not exist.
 */
const NEEDED_SERVICE = {
  startScrape: 'scrape',
  listScrapes: 'scrape',
  getScrape: 'scrape',
  cancelScrape: 'scrape',
  streamScrape: 'scrape',
  getScreenshot: 'scrape',
  startPlayground: 'scrape',
  getPlayground: 'scrape',
  getPlaygroundScreenshot: 'scrape',
  startCrawl: 'crawl',
  listCrawls: 'crawl',
  getCrawl: 'crawl',
  getCrawlPage: 'crawl',
  getCrawlScreenshot: 'crawl',
  streamCrawl: 'crawl',
  listCrawlLinks: 'crawl',
  cancelCrawl: 'crawl',
  pauseCrawl: 'crawl',
  resumeCrawl: 'crawl',
  keepCrawl: 'projects',
  exportCrawl: 'crawl',
  exportProject: 'projects',
  exportPages: 'projects',
  listExports: 'identity',
  startMap: 'map',
  getMap: 'map',
  listProjects: 'projects',
  createProject: 'projects',
  createProjects: 'projects',
  getProject: 'projects',
  patchProject: 'projects',
  deleteProject: 'projects',
  applyConfig: 'projects',
  startRuns: 'projects',
  listRuns: 'projects',
  startRun: 'projects',
  getRun: 'projects',
  cancelRun: 'projects',
  listRunLinks: 'projects',
  listPages: 'projects',
  recrawlPages: 'projects',
  searchPages: 'projects',
  getPageContent: 'projects',
  getPageScreenshot: 'projects',
  getRemoved: 'projects',
  matchSelectors: 'projects',
  previewContent: 'projects',
  getChanges: 'projects',
  reviewChange: 'projects',
  reviewChanges: 'projects',
  comparePage: 'projects',
  compareMarkup: 'projects',
  compareScreenshots: 'projects',
  changesFeed: 'projects',
  listConfigVersions: 'projects',
  restoreConfigVersion: 'projects',
  createFeedLink: 'projects',
  listFeedLinks: 'projects',
  revokeFeedLink: 'projects',
  dryRun: 'projects',
  getSources: 'projects',
  previewSources: 'projects',
  getDiscovery: 'projects',
  startDiscovery: 'projects',
  listDiscoveryEntries: 'projects',
  listLogins: 'scrape',
  importLogin: 'scrape',
  patchLogin: 'scrape',
  deleteLogin: 'scrape',
  testLogin: 'scrape',
  listWebhooks: 'delivery',
  getWebhook: 'delivery',
  testWebhook: 'delivery',
  rotateSecret: 'delivery',
  listDeliveries: 'delivery',
  redeliver: 'delivery',
  listNotices: 'delivery',
  dismissNotice: 'delivery',
  listProviders: 'export',
  listConnections: 'export',
  createConnection: 'export',
  getConnection: 'export',
  patchConnection: 'export',
  deleteConnection: 'export',
  testConnection: 'export',
  listExits: 'browser-pool',
  getMe: 'billing',
  patchMe: 'billing',
  getUsage: 'billing',
  getBilling: 'billing',
  patchCap: 'billing',
  subscribe: 'billing',
  confirmPayment: 'billing',
  changePlan: 'billing',
  keepPlan: 'billing',
  cancelPlan: 'billing',
  changeCard: 'billing',
  buyCredits: 'billing',
  listInvoices: 'billing',
  getInvoice: 'billing',
  listReceipts: 'billing',
  getCreditNote: 'billing',
  getMonitor: 'scrape',
  listKeys: 'identity',
  createKey: 'identity',
  revokeKey: 'identity',
  listMembers: 'identity',
  patchMember: 'identity',
  removeMember: 'identity',
  createInvite: 'identity',
  revokeInvite: 'identity',
  patchWorkspace: 'identity',
  createDestination: 'export',
  createProjectDestination: 'projects',
  deleteDestination: 'export',
  deleteProjectDestination: 'projects',
  getDestination: 'export',
  getSync: 'export',
  listDestinations: 'export',
  listProjectDestinations: 'projects',
  listProjectSyncs: 'projects',
  listShapeFunctions: 'export',
  listSyncs: 'export',
  patchDestination: 'export',
  patchProjectDestination: 'projects',
  previewShape: 'projects',
  startProjectSync: 'projects',
  startSync: 'export',
  streamSync: 'export',
  listChildren: 'identity',
  createChild: 'identity',
  getChild: 'identity',
  patchChild: 'identity',
  listChildKeys: 'identity',
  createChildKey: 'identity',
  revokeChildKey: 'identity',
  listAudit: 'identity',
  exportAudit: 'identity',
  deleteWorkspace: 'identity',
} as const;
/** Routes of people require identity alone; the suite's key gets 403 from them. */
const keyed = Object.entries(routes).filter(
  ([, route]: [string, AnyRoute]) => route.scope !== 'public' && route.session?.only !== true,
);

let fleet: OwnFleet;
let workspace: Workspace;
let checkResponse: ReturnType<typeof makeResponseChecker>;

beforeAll(async () => {
  fleet = await startFleet({ processPerService: true });
  workspace = await fleet.workspaces.make();
  checkResponse = makeResponseChecker(await readDocument(fleet));
}, 90_000);
afterAll(() => fleet?.close(), 30_000);

const BODIES: Readonly<Record<string, unknown>> = {
  startScrape: { url: 'http://127.0.0.2/' },
  startPlayground: { url: 'http://127.0.0.2/' },
  startMap: { url: 'http://127.0.0.2/' },
  startCrawl: { url: 'http://127.0.0.2/' },
  createProject: { seed: 'http://127.0.0.2/' },
  createProjects: { seeds: ['http://127.0.0.2/'] },
  importLogin: { site: '127.0.0.2', cookies: [{ name: 'a', value: 'b' }], terms_accepted: true },
  startRuns: { project_ids: [NO_PROJECT] },
  // The job may be stored although the response is 503, and this suite sends many requests.
  patchMe: { max_rpm: 100_000 },
  patchCap: { cap: 1 },
  subscribe: { plan: 'starter' },
  confirmPayment: { id: 'sub_1', payment_id: 'pay_1', signature: 'f' },
  changePlan: { plan: 'growth' },
  buyCredits: { pack: 'credits_10000' },
  createKey: { name: 'one' },
  createConnection: { provider: 'openai', name: 'one' },
  createDestination: { name: 'one', connection_id: NO_CONNECTION },
  previewShape: { project_id: NO_PROJECT },
};

const send = (id: string, { method, path }: { method: string; path: string }): Promise<Answer> => {
  const body = ['post', 'patch'].includes(method) ? (BODIES[id] ?? bodies[path]) : undefined;
  const at = pathOf({ path: path.replace('{notice_id}', NO_NOTICE) }, unusedId(path));
  return workspace.admin.request(method.toUpperCase(), `${at}${queryOf({ method, path })}`, {
    ...(body === undefined ? {} : { body }),
  });
};

async function expectUnavailable(id: string, route: { method: string; path: string }): Promise<void> {
  const startedAt = performance.now();
  const answer = await send(id, route);
  expect({ id, error: errorOf(answer) }).toMatchObject({ id, error: { status: 503, code: 'unavailable' } });
  expect(checkResponse(id, answer)).toEqual([]);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(performance.now() - startedAt).toBeLessThan(9_000);
}

describe.each([
  'scrape',
  'browser-pool',
  'billing',
  'map',
  'crawl',
  'projects',
  'export',
  'delivery',
  'identity',
] as const)('while %s is gone', (name) => {
  beforeAll(async () => {
    await serviceOf(fleet, name).kill('SIGKILL');
    if (name !== 'identity') return;
    // A cached key is valid for a few seconds.
    const isCacheExpired = async () => (await workspace.admin.get('/scrape')).status === 503;
    await until('the cache of the gateway to expire', isCacheExpired, { withinMs: 5_000 });
  });
  afterAll(async () => {
    await serviceOf(fleet, name).restart();
    const isBack = async () => {
      const { status } = await fetch(`${fleet.url}/readyz`);
      return status === 200 && (await workspace.admin.get('/me')).status === 200;
    };
    await until(`the gateway to see ${name} again`, isBack, { withinMs: 20_000 });
  }, 60_000);

  const affected = keyed.filter(
    ([id]) =>
      name === 'identity' || Object.entries(NEEDED_SERVICE).some(([known, needs]) => known === id && needs === name),
  );

  test.each(affected)('%s returns 503 with Retry-After at once', async (id, route) => {
    await expectUnavailable(id, route);
  });

  test('routes without dependencies respond normally, and readiness names the unavailable services', async () => {
    expect((await fleet.api('').get('/meta')).status).toBe(200);
    const isNamed = async () => {
      const ready = await fetch(`${fleet.url}/readyz`);
      return ready.status === 503 && (await ready.text()).includes(name);
    };
    await until(`readiness to name ${name}`, isNamed, { withinMs: 20_000 });
    expect((await fetch(`${fleet.url}/healthz`)).status).toBe(200);
  });
});

test('every authenticated route is in the table of required services', () => {
  expect(Object.keys(NEEDED_SERVICE).sort()).toEqual(keyed.map(([id]) => id).sort());
});

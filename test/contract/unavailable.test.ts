import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AnyRoute, routes } from '@tidemark/api';
import { type ApiResponse, apiOf, errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { type OwnGateway, startOwnGateway } from '../harness/own-gateway.ts';
import { NO_PROJECT, pathOf } from '../harness/paths.ts';
import { until } from '../harness/until.ts';
import { type Workspace, Workspaces } from '../harness/workspaces.ts';
import { makeResponseChecker, readDocument } from './document.ts';
import { NEEDED_SERVICE } from './needed-services.ts';
import { bodyOf, NO_CONNECTION, NO_NOTICE, queryOf, unusedId } from './unused-ids.ts';

/** Routes of people require identity alone; the suite's key gets 403 from them. */
const keyed = Object.entries(routes).filter(
  ([, route]: [string, AnyRoute]) => route.scope !== 'public' && route.session?.only !== true,
);

const fleet = sharedFleet();
const identity = fleet.dial('identity');
let gateway: OwnGateway;
let workspace: Workspace;
let checkResponse: ReturnType<typeof makeResponseChecker>;

beforeAll(async () => {
  gateway = await startOwnGateway(fleet);
  workspace = await new Workspaces(identity, gateway.url).make();
  checkResponse = makeResponseChecker(await readDocument(fleet));
});
afterAll(async () => {
  await gateway?.close();
  await identity.close();
  await fleet.close();
});

const BODIES: Readonly<Record<string, unknown>> = {
  startScrape: { url: 'http://127.0.0.2/' },
  startPlayground: { url: 'http://127.0.0.2/' },
  startMap: { url: 'http://127.0.0.2/' },
  startCrawl: { url: 'http://127.0.0.2/' },
  verifyCite: { quote: 'the tide' },
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

const send = (id: string, { method, path }: { method: string; path: string }): Promise<ApiResponse> => {
  const body = BODIES[id] ?? bodyOf({ method, path });
  const at = pathOf({ path: path.replace('{notice_id}', NO_NOTICE) }, unusedId(path));
  return workspace.admin.request(method.toUpperCase(), `${at}${queryOf({ method, path })}`, {
    ...(body === undefined ? {} : { body }),
  });
};

async function expectUnavailable(id: string, route: { method: string; path: string }): Promise<void> {
  const startedAt = performance.now();
  const response = await send(id, route);
  expect({ id, error: errorOf(response) }).toMatchObject({ id, error: { status: 503, code: 'unavailable' } });
  expect(checkResponse(id, response)).toEqual([]);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
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
    await gateway.relay(name).cut();
    if (name !== 'identity') return;
    // A cached key is valid for a few seconds.
    const isCacheExpired = async () => (await workspace.admin.get('/scrape')).status === 503;
    await until('the cache of the gateway to expire', isCacheExpired);
  });
  afterAll(async () => {
    await gateway.relay(name).open();
    const isBack = async () => {
      const { status } = await fetch(`${gateway.url}/readyz`);
      return status === 200 && (await workspace.admin.get('/me')).status === 200;
    };
    await until(`the gateway to see ${name} again`, isBack);
  });

  const affected = keyed.filter(
    ([id]) =>
      name === 'identity' || Object.entries(NEEDED_SERVICE).some(([known, needs]) => known === id && needs === name),
  );

  test.each(affected)('%s returns 503 with Retry-After at once', async (id, route) => {
    await expectUnavailable(id, route);
  });

  test('routes without dependencies respond normally, and readiness names the unavailable services', async () => {
    expect((await apiOf(gateway.url, '').get('/meta')).status).toBe(200);
    const isNamed = async () => {
      const ready = await fetch(`${gateway.url}/readyz`);
      return ready.status === 503 && (await ready.text()).includes(name);
    };
    await until(`readiness to name ${name}`, isNamed);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
  });
});

test('every authenticated route is in the table of required services', () => {
  expect(Object.keys(NEEDED_SERVICE).sort()).toEqual(keyed.map(([id]) => id).sort());
});

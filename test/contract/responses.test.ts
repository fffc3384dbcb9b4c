import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AnyRoute, routes } from '@tidemark/api';
import { SCOPES, type Scope, scopeIncludes } from '@tidemark/contracts';
import { AccountServiceService } from '@tidemark/contracts/identity/v1/accounts';
import type { Api, ApiResponse } from '../harness/api.ts';
import { errorOf } from '../harness/api.ts';
import { BARE_PLAN } from '../harness/catalogue.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { NO_RUN, pathOf } from '../harness/paths.ts';
import type { Person } from '../harness/people.ts';
import { makeProject, startRun } from '../harness/projects.ts';
import { parseCompletion, sendRaw } from '../harness/raw-http.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';
import { codesOf, makeResponseChecker, operationsOf, readDocument } from './document.ts';
import { conflictsOfRecorders } from './recorder-requests.ts';
import { good, placeholders, type RouteId, type RouteRequest, type TestServers, unknownIds } from './requests.ts';
import { bodyOf } from './unused-ids.ts';

const fleet = sharedFleet();
const web = await startWeb();
const document = await readDocument(fleet);
const checkResponse = makeResponseChecker(document);
const all = Object.entries(routes).map(([id, route]) => [id as RouteId, route as AnyRoute] as const);
const keyed = all.filter(([, route]) => route.scope !== 'public');
const withBody = all.filter(([, route]) => route.method === 'post' || route.method === 'patch');
let workspace: Workspace;
/** The owner of another workspace, and of one that requires a second factor, which they lack. */
let person: Person;
let factorless: Person;
/** A key with one request per minute. */
let limited: Api;
const identity = fleet.dial('identity');

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  limited = await fleet.workspaces.key(workspace.id, { scopes: ['admin'], rpm: 1 });
  person = await fleet.people.signUp();
  factorless = await fleet.people.signUp();
  await fleet.sql(
    `UPDATE identity.workspaces SET require_second_factor = true
     WHERE id = (SELECT workspace_id FROM identity.memberships WHERE user_id = $1)`,
    [factorless.id],
  );
});
afterAll(async () => {
  web.open('contract');
  await web.close();
  await identity.close();
  await fleet.close();
});

/** Routes whose success these requests do not have: a key has no inbox, without a mail host nothing is mailed, and the fleet has no provider. */
const OTHER_STATUS: Partial<Record<RouteId, number>> = {
  dismissNotice: 404,
  forgotPassword: 409,
  startOidc: 409,
  logInWithOidc: 409,
  // The fleet has no payment gateway, and so no documents: test/e2e/billing.test.ts.

  subscribe: 409,
  confirmPayment: 409,
  changePlan: 409,
  keepPlan: 409,
  cancelPlan: 409,
  changeCard: 409,

  buyCredits: 409,
  getInvoice: 404,
  getCreditNote: 404,
};

/** The statuses that each route has returned in this file. */
const seen = new Map<RouteId, Set<number>>();

async function send(id: RouteId, api: Api, { path, body, headers = {} }: RouteRequest): Promise<ApiResponse> {
  return check(id, api, await api.request(routes[id].method.toUpperCase(), path, { body, headers }));
}

/** Compares a response with the document. Every response to a valid key states its rate window. */
function check(id: RouteId, api: Api, response: ApiResponse): ApiResponse {
  const { status } = response;
  seen.set(id, (seen.get(id) ?? new Set()).add(status));
  expect({ id, status, wrong: checkResponse(id, response) }).toEqual({ id, status, wrong: [] });
  // A client with a cookie jar is a person.
  const isKeyed = (api.key !== '' || 'jar' in api) && status !== 401;
  // The token of a feed URL has a rate window of its own.
  const isCounted = isKeyed || (id === 'openFeed' && status === 200);
  expect([id, status, response.headers.has('x-ratelimit-remaining')]).toEqual([id, status, isCounted]);
  return response;
}

/** Requests that were refused before they had an effect, by route: the tests of their success send them again. */
const unsent = new Map<RouteId, RouteRequest>();

/** Returns the simplest valid request of a route. */
async function simplest(id: RouteId): Promise<RouteRequest> {
  const [make] = Object.values(good[id]);
  if (make === undefined) throw new Error(`requests.ts has no good request for ${id}`);
  return make(servers());
}

/** Returns a request without side effects: nothing is fetched, created or revoked. */
const idle = (id: RouteId): RouteRequest => ({
  path: pathOf(routes[id], placeholders[id] ?? ''),
  ...(withBody.some(([name]) => name === id) ? { body: {} } : {}),
});

const servers = (): TestServers => ({
  workspace,
  web,
  people: fleet.people,
  resetTokenOf: async (email) =>
    (await identity.call(AccountServiceService.makeResetToken, { email }, { requestId: 'contract' })).token ?? '',
  verifyTokenOf,
});

/** The shared fleet has no mail host; a token of an unverified account is made in the database. */
async function verifyTokenOf(): Promise<string> {
  const { id, email } = await fleet.people.signUp();
  const token = randomBytes(32).toString('base64url');
  await fleet.sql("UPDATE identity.users SET email_verified_at = NULL, address_state = 'pending' WHERE id = $1", [id]);
  await fleet.sql(
    `INSERT INTO identity.one_time_tokens (hash, kind, user_id, email, expires_at)
     VALUES (sha256($1::bytea), 'verify', $2, $3, now() + interval '1 hour')`,
    [token, id, email],
  );
  return token;
}

/** Returns a key of exactly one scope. */
const keyOf = (scope: Scope): Api =>
  ({ read: workspace.reader, write: workspace.writer, admin: workspace.admin })[scope];

/** Returns a key of exactly the scope that a route requires, or a person where it requires one. */
const weakest = (route: AnyRoute): Api =>
  route.session?.only === true ? person : route.scope === 'public' ? fleet.api('') : keyOf(route.scope);

describe.each(all)('%s', (id, route) => {
  test('rejects a request that is not HTTP with 400', async () => {
    const head = `${route.method.toUpperCase()} /v1${idle(id).path} HTTP/1.1\r\nHost: x\r\nno header\r\n\r\n`;
    check(id, fleet.api(''), parseCompletion(await sendRaw(fleet.url, head, { silentAfterMs: 10_000 })));
    expect(seen.get(id)).toContain(400);
  });

  test('rejects an unknown query parameter with 422 and names it', async () => {
    const request = await simplest(id);
    unsent.set(id, request);
    const { path, ...rest } = request;
    const error = errorOf(
      await send(id, rest.api ?? weakest(route), {
        ...rest,
        path: `${path}${path.includes('?') ? '&' : '?'}colour=blue`,
      }),
    );
    expect(error).toMatchObject({ status: 422, code: 'validation' });
    expect(error.error).toContain('colour');
  });

  test('returns every documented success', async () => {
    const statuses = Object.keys(route.responses).map(Number);
    expect(Object.keys(good[id] ?? {}).map(Number)).toEqual(statuses);
    for (const [at, status] of statuses.entries()) {
      const before = at === 0 ? unsent.get(id) : undefined;
      const request = before ?? (await good[id][status]?.(servers())) ?? { path: '' };
      const response = await send(id, request.api ?? weakest(route), request);
      expect(response.status).toBe(OTHER_STATUS[id] ?? status);
    }
  });
});

/** One route of each scope, for a key and for a person: the key is read in the same way for all routes. */
const oneOfEachScope = [
  ...new Map(keyed.map(([id, route]) => [`${route.scope} ${route.session?.only === true}`, id] as const)).values(),
];

describe.each([
  ['another scheme', fleet.api(''), { authorization: 'Basic c2VydmljZV94Og==' }],
  ['a malformed key', fleet.api('service_short'), {}],
  ['an unknown key', fleet.api(`service_${'0'.repeat(38)}`), {}],
])('%s', (_, api, headers) => {
  test.each(oneOfEachScope)('gets 401 of %s', async (id) => {
    expectUnauthorized(await send(id, api, { ...idle(id), headers }));
  });
});

function expectUnauthorized(response: ApiResponse): void {
  expect(errorOf(response)).toMatchObject({ status: 401, code: 'unauthorized' });
  expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
}

describe.each(keyed)('%s', (id, route) => {
  test('returns 401 for no key', async () => {
    expectUnauthorized(await send(id, fleet.api(''), idle(id)));
  });

  test('returns 403 for a key without the required scope', async () => {
    for (const scope of SCOPES.filter((name) => route.scope !== 'public' && !scopeIncludes(name, route.scope))) {
      const error = errorOf(await send(id, keyOf(scope), idle(id)));
      expect(error).toMatchObject({ status: 403, code: 'scopes' });
      expect(error.error).toContain(route.scope);
    }
  });

  if (route.session?.allows?.includes('no_factor') !== true)
    test('returns 403 for a person without the second factor that the workspace requires', async () => {
      const error = errorOf(await send(id, factorless, idle(id)));
      expect(error).toMatchObject({ status: 403, code: 'mfa_required' });
    });

  if (route.session?.only === true)
    test('returns 403 for a key, which is no person', async () => {
      const error = errorOf(await send(id, workspace.admin, idle(id)));
      expect(error).toMatchObject({ status: 403, code: 'forbidden' });
    });

  test('returns 404 if the caller names another workspace', async () => {
    const other = { 'x-service-tenant': 'ws_01j5xq2w8se6fa7t0a6q1n3k2m' };
    expect(errorOf(await send(id, weakest(route), { ...idle(id), headers: other }))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });
});

describe.each(all)('%s', (id) => {
  test('returns 429 with Retry-After for a key over its rate', async () => {
    await limited.get('/me');
    const response = await send(id, limited, idle(id));
    expect(errorOf(response)).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });
});

describe.each(Object.entries(unknownIds))('%s', (name, unknown) => {
  const id = all.find(([known]) => known === name)?.[0] ?? 'getMe';
  test.each([unknown, 'nonsense', `${unknown}0`, 'ws_01j5xq2w8se6fa7t0a6q1n3k2m', '%00', '..%2F..%2Fetc%2Fpasswd'])(
    'answers 404 to the id %s',
    async (wrong) => {
      const body = bodyOf(routes[id]);
      const sent = body === undefined ? {} : { body };
      const response = await send(id, workspace.admin, { path: pathOf(routes[id], wrong), ...sent });
      expect(errorOf(response)).toMatchObject({ status: 404, code: 'not_found' });
    },
  );
});

describe.each(withBody)('%s', (id, route) => {
  const path = route.path;

  test('returns 400 for a body that is not JSON', async () => {
    expect(errorOf(await send(id, weakest(route), { path, body: '{"url": ' }))).toMatchObject({
      status: 400,
      code: 'validation',
    });
  });

  test('returns 413 for a body larger than a megabyte', async () => {
    const large = JSON.stringify({ name: 'x'.repeat(1_100_000) });
    expect(errorOf(await send(id, weakest(route), { path, body: large }))).toMatchObject({
      status: 413,
      code: 'too_large',
    });
  });

  test('returns 422 for an unknown field and names it', async () => {
    const error = errorOf(await send(id, weakest(route), { path, body: { colour: 'blue' } }));
    expect(error).toMatchObject({ status: 422, code: 'validation' });
    expect(error.fields).toContain('colour');
  });
});

const spending = all.filter(([, { spends }]) => spends);
const idempotent = all.filter(([, route]) => route.idempotent);
const withParameters = all.filter(([, { path }]) => path.includes('{'));

describe.each(spending)('%s', (id, route) => {
  test('returns 402 if the credits are spent', async () => {
    const poor = await fleet.workspaces.make();
    const [make] = Object.values(good[id]);
    const request = await make?.({ ...servers(), workspace: poor });
    await poor.reader.credits();
    await fleet.sql('UPDATE billing.accounts SET welcome_left = 0 WHERE workspace_id = $1', [poor.id]);
    const body = id === 'startMap' ? { url: web.url('/') } : request?.body;
    const sent = { ...(request ?? { path: route.path }), ...(body === undefined ? {} : { body }) };
    expect(errorOf(await send(id, poor.writer, sent))).toMatchObject({ status: 402, code: 'credits_exhausted' });
  });
});

describe('a route that requires a feature of the plan', () => {
  test.each(all.filter(([, { feature }]) => feature !== undefined))('%s returns 402 without it', async (id) => {
    const { admin } = await fleet.workspaces.make(BARE_PLAN);
    expect(errorOf(await send(id, admin, await simplest(id)))).toMatchObject({ status: 402, code: 'plan_limit' });
  });
});

describe.each(idempotent)('%s', (id, route) => {
  test('returns 409 for an Idempotency-Key that was used with another body', async () => {
    const headers = { 'idempotency-key': `contract-${id}` };
    await send(id, workspace.admin, { ...(await simplest(id)), headers });
    const address = id === 'createProject' ? 'seed' : 'url';
    const bodies: Partial<Record<RouteId, object>> = {
      createChild: { name: 'Another' },
      buyCredits: { pack: 'credits_10000', quantity: 2 },
    };
    const body = bodies[id] ?? { [address]: web.url('/tiny?other') };
    const other = { ...(await simplest(id)), body, headers };
    expect(errorOf(await send(id, workspace.admin, { ...other, path: route.path }))).toMatchObject({
      status: 409,
      code: 'conflict',
    });
  });
});

describe.each(withParameters)('%s', (id, route) => {
  test('returns 400 for an invalid percent escape in the path', async () => {
    const response = await send(id, weakest(route), { path: route.path.replace(/\{\w+\}/, '%zz') });
    expect(errorOf(response)).toMatchObject({ status: 400, code: 'validation' });
  });
});

describe('startScrape', () => {
  test('returns 402 if the credits are spent, before anything is queued', async () => {
    const poor = await fleet.workspaces.make();
    await poor.reader.credits();
    await fleet.sql('UPDATE billing.accounts SET welcome_left = 0 WHERE workspace_id = $1', [poor.id]);
    const url = web.url('/article?poor');
    expect(errorOf(await send('startScrape', poor.writer, { path: '/scrape', body: { url } }))).toMatchObject({
      status: 402,
      code: 'credits_exhausted',
    });
    expect((await poor.reader.get('/scrape')).body).toMatchObject({ data: [] });
  });

  test('returns 409 for an Idempotency-Key used with another body', async () => {
    const headers = { 'idempotency-key': 'contract' };
    await send('startScrape', workspace.writer, { path: '/scrape', body: { url: web.url('/tiny') }, headers });
    const other = { path: '/scrape', body: { url: web.url('/article') }, headers };
    expect(errorOf(await send('startScrape', workspace.writer, other))).toMatchObject({
      status: 409,
      code: 'conflict',
    });
  });
});

describe('startRun', () => {
  test('returns 409 while a run of the project is queued or running, and keepCrawl for that run', async () => {
    const { id } = await makeProject(workspace.writer, { seed: web.url('/gate/contract'), config: { max_pages: 1 } });
    const run = await startRun(workspace.writer, id);
    const keep = { path: `/crawl/${run.id}/keep`, body: {} };
    expect(errorOf(await send('keepCrawl', workspace.writer, keep))).toMatchObject({ status: 409, code: 'conflict' });
    expect(errorOf(await send('startRun', workspace.writer, { path: `/projects/${id}/runs` }))).toMatchObject({
      status: 409,
      code: 'conflict',
    });
  });
});

describe('patchProject', () => {
  test('returns 409 for a reference that another project has', async () => {
    const seed = web.url('/tiny');
    await makeProject(workspace.writer, { seed, reference: 'contract/patch' });
    const { id } = await makeProject(workspace.writer, { seed });
    const request = { path: `/projects/${id}`, body: { reference: 'contract/patch' } };
    expect(errorOf(await send('patchProject', workspace.writer, request))).toMatchObject({
      status: 409,
      code: 'conflict',
    });
  });
});

describe('createSavedView', () => {
  test('returns 409 to a person with 100 saved views', async () => {
    const api = await fleet.people.signUp();
    const body = { name: 'Failing', path: '/projects?health=failing' };
    const request = { path: '/auth/views', body };
    for (let made = 0; made < 100; made += 1) expect((await api.post('/auth/views', body)).status).toBe(201);
    expect(errorOf(await send('createSavedView', api, request))).toMatchObject({ status: 409, code: 'conflict' });
  });
});

describe('recorders of actions', () => {
  test.each(['openRecorder', 'sendRecorderInput'] as const)(
    '%s returns 409 to a member with an open recorder, or with as many actions as it can have',
    async (id) => {
      const { api = workspace.writer, ...request } = await conflictsOfRecorders[id](servers());
      expect(errorOf(await send(id, api, request))).toMatchObject({ status: 409, code: 'conflict' });
    },
  );
});

describe('recrawlPages', () => {
  test('returns 409 while a run of the project is queued or running', async () => {
    const url = web.url('/gate/contract');
    const { id } = await makeProject(workspace.writer, { seed: url, config: { max_pages: 1 } });
    await startRun(workspace.writer, id);
    const request = { path: `/projects/${id}/pages/recrawl`, body: { urls: [url] } };
    expect(errorOf(await send('recrawlPages', workspace.writer, request))).toMatchObject({
      status: 409,
      code: 'conflict',
    });
  });
});

describe('getRun', () => {
  test.each([NO_RUN, 'nonsense', '%00'])('returns 404 for the run %s of an existing project', async (run) => {
    const { id } = await makeProject(workspace.writer, { seed: web.url('/tiny') });
    const response = await send('getRun', workspace.reader, { path: `/projects/${id}/runs/${run}` });
    expect(errorOf(response)).toMatchObject({ status: 404, code: 'not_found' });
  });
});

describe('paths', () => {
  test.each([...new Set(all.map(([, { path }]) => path))])(
    '%s answers 405 with Allow to every method it does not take',
    async (path) => {
      const takes = all.filter(([, route]) => route.path === path).map(([, route]) => route.method.toUpperCase());
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((name) => !takes.includes(name))) {
        const response = await workspace.admin.request(method, pathOf({ path }, 'x'));
        for (const [id] of all.filter(([, route]) => route.path === path)) check(id, workspace.admin, response);
        expect(errorOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
        expect(response.headers.get('allow')?.split(', ').sort()).toEqual(takes.sort());
      }
    },
  );

  test('outside the contract return 404 in the error envelope', async () => {
    for (const path of ['/nothing', '/scrape/a/b', '/me/keys/a/b']) {
      const response = await workspace.admin.get(path);
      expect(errorOf(response)).toMatchObject({ status: 404, code: 'not_found' });
      expect(Number(response.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0);
      expect((await fleet.api('').get(path)).headers.has('x-ratelimit-remaining')).toBe(false);
    }
  });
});

/** Refusals at limits that a test cannot reach in a short time; the tests of their services reach them. */
const AT_LIMITS: readonly string[] = ['plan_limit'];

/** Refusals that the tests of a service reach: a delivery that is being sent, and a workspace with 1,000 keys. */
const ELSEWHERE: Partial<Record<RouteId, readonly number[]>> = {
  redeliver: [409],
  createKey: [409],
  createChildKey: [409],
  // services/identity/test and test/isolation/people.test.ts.

  signUp: [403, 404, 409],
  logIn: [401],
  verifyEmail: [404, 409],
  resetPassword: [404],
  verifyCode: [409],

  patchProfile: [409],
  patchMember: [409],
  removeMember: [403, 409],
  createInvite: [409],
  patchMe: [409],
  patchCap: [409],
  confirmPayment: [404],

  acceptInvite: [401, 403, 404, 409],
  // services/identity/test/passkeys.test.ts, test/accounts: passkeys, and a sign-in provider.

  startPasskeyLogIn: [409],
  logInWithPasskey: [401, 409],
  startPasskeyCheck: [409],

  startPasskey: [409],
  addPasskey: [409],
  logInWithOidc: [401, 403],
  // test/e2e/changes.test.ts, services/projects/test/feed-links.test.ts, services/archive/test/page-order.test.ts.

  changesFeed: [304],
  openFeed: [304, 404],
  createFeedLink: [409],
  listPages: [409],
  // services/export/test/sync-ends.test.ts.

  previewShape: [409],
  startSync: [409],
  startProjectSync: [409],
};

/**
 * The statuses that each route must have returned above: all that the document lists. 500 never occurs, and 503 is tested in
 * unavailable.test.ts.
 */
function required(id: RouteId): number[] {
  const operation = operationsOf(document).find(({ operation: { operationId } }) => operationId === id)?.operation;
  const statuses = Object.keys(operation?.responses ?? {}).map(Number);
  const isReachable = (status: number): boolean =>
    status !== 402 || codesOf(document, id, status).some((code) => !AT_LIMITS.includes(code));
  const successes = OTHER_STATUS[id] === undefined ? [] : Object.keys(routes[id].responses).map(Number);
  const never = [...successes, ...(ELSEWHERE[id] ?? [])];
  return statuses.filter((status) => status < 500 && !never.includes(status) && isReachable(status));
}

test('every documented response of every route has occurred above', () => {
  const missing = all.map(([id]) => [id, required(id).filter((status) => !seen.get(id)?.has(status))] as const);
  expect(missing.filter(([, statuses]) => statuses.length > 0)).toEqual([]);
});

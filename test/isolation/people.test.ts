import { once } from 'node:events';
import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AnyRoute, routes } from '@tidemark/api';
import { newId, type Role, scopeIncludes, scopeOfRole } from '@tidemark/contracts';
import { AccountServiceService as Accounts } from '@tidemark/contracts/identity/v1/accounts';
import { type Api, type ApiResponse, errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { pathOf } from '../harness/paths.ts';
import { codeOf, enrol, newEmail, PASSWORD, type Person } from '../harness/people.ts';
import { REVOKED, until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const identity = fleet.dial('identity');
const all: readonly AnyRoute[] = Object.values(routes);
const keyed = all.filter(({ scope }) => scope !== 'public');
const unsafe = keyed.filter(({ method }) => method !== 'get');
let workspace: Workspace;
let people: Readonly<Record<Role, Person>>;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
  const owner = await fleet.people.join(workspace, 'admin');
  await fleet.sql("UPDATE identity.memberships SET role = 'owner' WHERE user_id = $1", [owner.id]);
  people = {
    owner,
    admin: await fleet.people.join(workspace, 'admin'),
    member: await fleet.people.join(workspace, 'member'),
    viewer: await fleet.people.join(workspace, 'viewer'),
  };
});
afterAll(async () => {
  await identity.close();
  await fleet.close();
});

/** Sends a request without effect: the id does not exist, and the body is invalid. */
const idle = (api: Api, { method, path }: AnyRoute, headers: Record<string, string> = {}): Promise<ApiResponse> =>
  api.request(method.toUpperCase(), pathOf({ path }, 'nothing'), {
    headers,
    ...(['post', 'patch'].includes(method) ? { body: { nothing: true } } : {}),
  });
/** Routes that end sessions, which these tests need. */
const harmless = (route: AnyRoute): boolean => !['endSessions', 'requestVerification'].includes(route.id);
const stale = (person: Person) =>
  fleet.sql("UPDATE identity.sessions SET code_shown_at = now() - interval '11 minutes' WHERE user_id = $1", [
    person.id,
  ]);
/** A change in the database is visible when the cache of the gateway has expired. */
const untilCode = (person: Api, code: string, route: AnyRoute) =>
  until(`the response ${code}`, async () => (await idle(person, route)).text.includes(`"${code}"`), REVOKED);

describe('the session of each role', () => {
  const matrix = keyed.filter(harmless).flatMap((route) =>
    (['viewer', 'member', 'admin', 'owner'] as const).map((role) => ({
      route,
      role,
      name: `${route.method} ${route.path}`,
    })),
  );

  test.each(matrix)('$role reaches $name if the role has its scope', async ({ route, role }) => {
    const { status, text } = await idle(people[role], route);
    const allowed = route.scope !== 'public' && scopeIncludes(scopeOfRole(role), route.scope);
    expect({ refused: status === 403, text }).toEqual({ refused: !allowed, text });
    expect(status).not.toBe(401);
  });

  test('is shown by /me with the person and without a key, and to the list of members', async () => {
    const { body } = await people.member.get('/me');
    expect(body).toMatchObject({
      id: workspace.id,
      key: null,
      member: { id: people.member.id, role: 'member', can: ['read', 'write'] },
    });
    const members = (await people.admin.get('/auth/members')).body as { data: { id: string; role: string }[] };
    expect(members.data.find(({ id }) => id === people.viewer.id)?.role).toBe('viewer');
  });

  test('reads and dismisses the notifications of its person, and those of others are not found', async () => {
    expect((await people.viewer.get('/me/notifications')).body).toMatchObject({ data: [] });
    const response = await people.member.post('/me/notifications/ntc_01j5xq2w8se6fa7t0a6q1n3k2m/seen', {});
    expect(errorOf(response)).toMatchObject({ status: 404 });
  });

  test('dismisses a notification in every role, for itself alone', async () => {
    const id = newId('ntc');
    await fleet.sql(
      `INSERT INTO delivery.notices (id, key, workspace_id, project_id, run_id, kind, title, text, created_at)
       VALUES ($1, $1, $2, '', '', 'credits', 'Few credits left', '', now())`,
      [id, workspace.id],
    );
    const hasIt = async (person: Person) =>
      ((await person.get('/me/notifications')).body as { data: { id: string }[] }).data.some((each) => each.id === id);
    const all = Object.values(people);
    expect(await Promise.all(all.map(hasIt))).toEqual([true, true, true, true]);
    for (const person of [people.viewer, people.member, people.admin, people.owner]) {
      expect((await person.post(`/me/notifications/${id}/seen`, {})).status).toBe(204);
      expect(await hasIt(person)).toBe(false);
      if (person !== people.owner) expect(await hasIt(people.owner)).toBe(true);
    }
  });

  test('renames and removes no passkey of another person', async () => {
    const id = 'psk_01j5xq2w8se6fa7t0a6q1n3k2m';
    await fleet.sql(
      `INSERT INTO identity.passkeys (id, user_id, credential_id, public_key, counter, rp_id, name, transports, is_synced)
       VALUES ($1, $2, '\\x01', '\\x02', 0, 'localhost', 'Laptop', '{}', false)`,
      [id, people.viewer.id],
    );
    for (const role of ['member', 'admin', 'owner'] as const) {
      expect((await people[role].get('/auth/passkeys')).body).toMatchObject({ data: [] });
      for (const response of [
        await people[role].patch(`/auth/passkeys/${id}`, { name: 'Mine' }),
        await people[role].delete(`/auth/passkeys/${id}`),
      ])
        expect(errorOf(response)).toMatchObject({ status: 404, code: 'not_found' });
    }
    await fleet.sql('DELETE FROM identity.passkeys WHERE id = $1', [id]);
  });

  test('reads, renames and deletes no saved view of another person, nor its own of another workspace', async () => {
    const made = await people.viewer.post('/auth/views', { name: 'Mine', path: '/projects?health=failing' });
    expect(made.status).toBe(201);
    const { id } = made.body as { id: string };
    const stranger = await fleet.people.signUp();
    for (const other of [people.member, people.admin, people.owner, stranger]) {
      expect((await other.get('/auth/views')).body).toMatchObject({ data: [] });
      for (const response of [
        await other.patch(`/auth/views/${id}`, { name: 'Theirs' }),
        await other.delete(`/auth/views/${id}`),
      ])
        expect(errorOf(response)).toMatchObject({ status: 404, code: 'not_found' });
    }
    expect(errorOf(await workspace.reader.get('/auth/views'))).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await people.viewer.get('/auth/views')).body).toMatchObject({ data: [{ id, name: 'Mine' }] });
    expect((await people.viewer.delete(`/auth/views/${id}`)).status).toBe(204);
  });

  test('can not name a workspace of others, and reads nothing of it', async () => {
    const stranger = await fleet.people.signUp();
    const named = await stranger.get('/me', { 'x-service-tenant': workspace.id });
    expect(errorOf(named)).toMatchObject({ status: 404, code: 'not_found' });
    expect(errorOf(await stranger.post('/auth/switch', { workspace_id: workspace.id }))).toMatchObject({ status: 404 });
    expect((await stranger.get('/auth/members')).text).not.toContain(people.owner.email);
    expect(errorOf(await stranger.delete(`/auth/members/${people.viewer.id}`))).toMatchObject({ status: 404 });
  });
});

describe('a request that another site causes', () => {
  const cases: readonly (readonly [string, Record<string, string>])[] = [
    ['cross-site by Fetch Metadata', { 'sec-fetch-site': 'cross-site' }],
    ['of another port or subdomain', { 'sec-fetch-site': 'same-site' }],
    ['with a foreign Origin', { origin: 'https://evil.example' }],
    ['with the Origin null', { origin: 'null' }],
  ];
  test.each(cases)('%s is refused with the cookie on every route that changes something', async (_, headers) => {
    for (const route of unsafe)
      expect(errorOf(await idle(people.owner, route, headers))).toMatchObject({ status: 403, code: 'forbidden' });
  });

  test.each(cases)(
    '%s is refused without a cookie on the public routes of sessions (login CSRF)',
    async (_, headers) => {
      for (const route of all.filter(
        ({ path, method, scope }) => path.startsWith('/auth/') && method === 'post' && scope === 'public',
      ))
        expect(errorOf(await idle(fleet.people.visitor(), route, headers))).toMatchObject({
          status: 403,
          code: 'forbidden',
        });
    },
  );

  test('reads nothing with the cookie, except a navigation', async () => {
    expect((await people.owner.get('/me', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' })).status).toBe(
      403,
    );
    // fetch sets Sec-Fetch-Mode itself.
    const headers = { cookie: people.owner.jar.cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const [response] = await once(get(`${fleet.url}/v1/me`, { headers }), 'response');
    response.resume();
    expect(response.statusCode).toBe(200);
  });

  test('is allowed with a key, which no browser adds, and the key counts where both are sent', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://app.example', cookie: people.owner.jar.cookie };
    expect((await workspace.reader.get('/me', headers)).body).toMatchObject({ member: null, key: { can: ['read'] } });
    expect(errorOf(await workspace.reader.post('/me/keys', { name: 'x' }, headers))).toMatchObject({ code: 'scopes' });
  });

  test('of its own origin is accepted, by Fetch Metadata and by Origin', async () => {
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: new URL(fleet.url).origin }])
      expect((await people.owner.post('/auth/verify/request', {}, headers)).status).toBe(202);
  });

  test('is not accepted as another content type than JSON', async () => {
    const headers = { 'content-type': 'text/plain', cookie: people.owner.jar.cookie };
    const response = await fetch(`${fleet.url}/v1/auth/switch`, {
      method: 'POST',
      headers,
      body: '{"workspace_id":"x"}',
    });
    expect(response.status).toBe(400);
  });
});

describe('the session cookie', () => {
  test('is bound to the host, and readable by no script', async () => {
    const response = await fleet.people
      .visitor()
      .post('/auth/signup', { email: newEmail(), password: PASSWORD, name: 'Ann' });
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-tidemark_\d+=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    expect(response.text).not.toContain(cookie.split(/[=;]/)[1] ?? '');
  });

  test('is replaced by sign-in and switch, so that a known one is refused', async () => {
    const person = await fleet.people.signUp();
    const known = person.jar.cookie;
    await person.post('/auth/login', { email: person.email, password: PASSWORD });
    expect(person.jar.cookie).not.toBe(known);
    const before = person.jar.cookie;
    const { workspace: own } = (await person.get('/auth/session')).body as { workspace: { id: string } };
    await person.post('/auth/switch', { workspace_id: own.id });
    expect((await fleet.api('').get('/auth/session', { cookie: before })).status).toBe(401);
    expect((await person.get('/auth/session')).status).toBe(200);
  });

  test('is removed by a sign-out, and its token is refused', async () => {
    const person = await fleet.people.signUp();
    const { cookie } = person.jar;
    expect((await person.post('/auth/logout', {})).status).toBe(204);
    expect(person.jar.cookie).toBe('');
    expect((await fleet.api('').get('/auth/session', { cookie })).status).toBe(401);
  });

  test('ends its event streams within five seconds after its session ended elsewhere, with an event that states the reason', async () => {
    const web = await startWeb();
    try {
      const person = await fleet.people.signUp();
      const started = await person.post('/scrape', { url: web.url('/gate/session'), timeout: 1 });
      const { id } = started.body as { id: string };
      const stream = person.get(`/scrape/${id}/events`);
      await person.get('/me');
      const { token = '' } = await identity.call(
        Accounts.makeResetToken,
        { email: person.email },
        { requestId: 'elsewhere' },
      );
      const reset = { token, password: 'another long passphrase', client: undefined };
      await identity.call(Accounts.resetPassword, reset, { requestId: 'elsewhere' });
      const endedAt = performance.now();
      expect((await stream).text).toMatch(/event: closed\ndata: \{"code":"unauthorized"/);
      // Five seconds, and three for a machine under load.
      expect(performance.now() - endedAt).toBeLessThan(REVOKED.withinMs);
      web.open('session');
    } finally {
      await web.close();
    }
  });

  test('is refused within five seconds after its session ended elsewhere', async () => {
    const person = await fleet.people.signUp();
    expect((await person.get('/me')).status).toBe(200);
    const { token = '' } = await identity.call(
      Accounts.makeResetToken,
      { email: person.email },
      { requestId: 'elsewhere' },
    );
    const reset = { token, password: 'another long passphrase', client: undefined };
    await identity.call(Accounts.resetPassword, reset, { requestId: 'elsewhere' });
    await until('the refusal', async () => (await person.get('/me')).status === 401, REVOKED);
  });
});

describe('a person with a second factor', () => {
  test('has half a session until the code is shown, which reaches four routes only', async () => {
    const person = await fleet.people.signUp();
    const { recoveryCodes } = await enrol(person);
    const half = await fleet.people.logIn(person.email);
    expect((await half.get('/auth/session')).body).toMatchObject({
      state: 'code_needed',
      workspace: null,
      workspaces: [],
    });
    const open = ['getSession', 'startPasskeyCheck', 'verifyCode', 'logOut'];
    for (const route of keyed.filter(({ id }) => !open.includes(id)))
      expect(errorOf(await idle(half, route))).toMatchObject({ status: 401, code: 'unauthorized' });
    const done = await half.post('/auth/2fa/verify', { recovery_code: recoveryCodes[0] });
    expect(done.body).toMatchObject({ state: 'signed_in', user: { twoFactor: { on: true, recoveryCodesLeft: 9 } } });
  });

  test('gets mfa_stale from the routes in /meta ten minutes after the last code, and no key does', async () => {
    const person = await fleet.people.signUp();
    const { secret } = await enrol(person);
    await stale(person);
    const { freshCodeRoutes } = (await person.get('/meta')).body as {
      freshCodeRoutes: { method: string; path: string; always: boolean }[];
    };
    await untilCode(person, 'mfa_stale', routes.createKey);
    for (const { method, path } of freshCodeRoutes.filter(({ always }) => always)) {
      const route = all.find((one) => one.path === path && one.method.toUpperCase() === method) ?? routes.createKey;
      expect(errorOf(await idle(person, route))).toMatchObject({ status: 403, code: 'mfa_stale' });
    }
    const renew = { two_factor: 'renew_codes', password: PASSWORD };
    expect(errorOf(await person.patch('/auth/profile', renew))).toMatchObject({ code: 'mfa_stale' });
    expect((await person.patch('/auth/profile', { name: 'Anna' })).status).toBe(200);
    expect((await person.post('/auth/invites', { email: newEmail(), role: 'viewer' })).status).toBe(201);
    expect(errorOf(await person.post('/auth/invites', { email: newEmail(), role: 'admin' }))).toMatchObject({
      code: 'mfa_stale',
    });
    expect((await person.post('/auth/2fa/verify', { code: codeOf(secret, Date.now() + 30_000) })).status).toBe(200);
    expect((await person.post('/me/keys', { name: 'fresh' })).status).toBe(201);
  });
});

describe('a workspace that requires a second factor', () => {
  test('refuses its members without one on all routes but those to set one up, and no key', async () => {
    const own = await fleet.workspaces.make();
    const member = await fleet.people.join(own, 'member');
    const owner = await fleet.people.join(own, 'admin');
    await fleet.sql("UPDATE identity.memberships SET role = 'owner' WHERE user_id = $1", [owner.id]);
    expect(errorOf(await own.admin.patch('/me', { require_second_factor: true }))).toMatchObject({ status: 403 });
    expect(errorOf(await owner.patch('/me', { require_second_factor: true }))).toMatchObject({ status: 409 });
    await enrol(owner);
    expect((await owner.patch('/me', { require_second_factor: true })).body).toMatchObject({
      settings: { require_second_factor: true },
    });
    for (const route of keyed.filter(harmless)) {
      const { text } = await idle(member, route);
      expect([route.id, text.includes('"code":"mfa_required"')]).toEqual([
        route.id,
        route.session?.allows?.includes('no_factor') !== true,
      ]);
    }
    expect((await own.reader.get('/me')).status).toBe(200);
    await enrol(member);
    expect((await member.get('/me')).status).toBe(200);
  });
});

describe('a person whose address is not verified', () => {
  test('reads, and is refused with email_unverified by routes that change something', async () => {
    const person = await fleet.people.signUp();
    await fleet.sql("UPDATE identity.users SET email_verified_at = NULL, address_state = 'pending' WHERE id = $1", [
      person.id,
    ]);
    await untilCode(person, 'email_unverified', routes.createProject);
    for (const route of unsafe.filter(({ session }) => session?.allows?.includes('unverified') !== true))
      expect(errorOf(await idle(person, route))).toMatchObject({ status: 403, code: 'email_unverified' });
    for (const path of ['/me', '/projects', '/scrape']) expect((await person.get(path)).status).toBe(200);
    expect((await person.get('/auth/session')).body).toMatchObject({ blocked: 'email_unverified' });
  });
});

describe('a member', () => {
  test('that was removed has no access to the workspace at once, and keeps the own one', async () => {
    const own = await fleet.workspaces.make();
    const person = await fleet.people.join(own, 'member');
    expect((await person.get('/me')).status).toBe(200);
    expect((await own.admin.delete(`/auth/members/${person.id}`)).status).toBe(204);
    expect(errorOf(await person.get('/me'))).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await person.get('/auth/session')).body).toMatchObject({
      state: 'signed_in',
      workspace: null,
      workspaces: [],
    });
  });

  test('whose role was lowered has the rights of the new role at once', async () => {
    const own = await fleet.workspaces.make();
    const person = await fleet.people.join(own, 'admin');
    expect((await person.get('/me/keys')).status).toBe(200);
    await own.admin.patch(`/auth/members/${person.id}`, { role: 'viewer' });
    expect(errorOf(await person.get('/me/keys'))).toMatchObject({ status: 403, code: 'scopes' });
  });
});

describe('the pages of accounts', () => {
  test.each(['login', 'signup', 'setup', 'code', 'verify', 'forgot', 'reset', 'invite', 'oidc', 'account'])(
    '/auth/%s can not be framed, and runs no inline script',
    async (name) => {
      const response = await fetch(`${fleet.url}/auth/${name}`);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect([response.status, response.headers.get('x-frame-options')]).toEqual([200, 'DENY']);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toContain('unsafe');
      const html = await response.text();
      expect(html).not.toMatch(/<script(?![^>]* src=)|\son\w+=|style=/);
    },
  );
});

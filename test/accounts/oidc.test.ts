import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Session } from '@tidemark/api';
import { newId } from '@tidemark/contracts';
import { enrol, newEmail, PASSWORD } from '../harness/people.ts';
import { type AccountSite, startAccountSite } from './account-site.ts';
import { openBrowser, type TestBrowser, untilPath, untilText } from './browser.ts';
import { CLIENT_ID, CLIENT_SECRET, type FakeProvider, type Statement, startFakeProvider } from './fake-provider.ts';

let provider: FakeProvider;
let site: AccountSite;
let chromium: TestBrowser;
const settings = (more: Readonly<Record<string, string>> = {}) => ({
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: CLIENT_ID,
  OIDC_CLIENT_SECRET: CLIENT_SECRET,
  OIDC_NAME: 'Acme',

  OIDC_ALLOWED_DOMAINS: 'example.com',
  TIDEMARK_EGRESS_ALLOW: provider.authority,
  SIGN_UP: 'invite',
  ...more,
});

beforeAll(async () => {
  provider = await startFakeProvider();
  site = await startAccountSite({ identity: { ...settings(), SIGN_UP: 'open' } });
  chromium = await openBrowser();
}, 120_000);
afterAll(async () => {
  await chromium?.close();
  await site?.close();
  await provider?.close();
});

const person = (more: object = {}) => ({
  sub: crypto.randomUUID(),
  email: newEmail(),
  email_verified: true,
  name: 'Ann',
  ...more,
});

/** Opens the provider as a browser does. @returns the secret of the browser, and the query that the provider adds */
async function visit(at = site) {
  const started = await at.people.visitor().post('/auth/oidc/start', {});
  const { url, binding } = started.body as { url: string; binding: string };
  const { headers } = await fetch(url, { redirect: 'manual' });
  return { url: new URL(url), binding, query: new URL(headers.get('location') ?? '').search };
}

async function signIn(statement: Statement, at = site) {
  provider.state(statement);
  const { binding, query } = await visit(at);
  return at.people.visitor().post('/auth/oidc/login', { binding, query });
}
const userOf = ({ body }: { readonly body: unknown }) => (body as Session).user;

/** Signs up, and marks the address as proven, as a link of a mail does. */
async function provenPerson() {
  const known = await site.people.signUp();
  await site.sql("UPDATE identity.users SET address_state = 'proven', email_verified_at = now() WHERE id = $1", [
    known.id,
  ]);
  return known;
}

describe('a sign-in through an OpenID Connect provider', () => {
  it('uses the authorization code with PKCE, state and nonce, and the page of this installation', async () => {
    const { url } = await visit();
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: CLIENT_ID,
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid email profile',
      redirect_uri: `${site.url}/auth/oidc`,
    });
    const secrets = ['state', 'nonce', 'code_challenge'].map((name) => url.searchParams.get(name) ?? '');
    expect(secrets.every((secret) => secret.length === 43)).toBe(true);
    expect(new Set(secrets).size).toBe(3);
  });

  it.each(['RS256', 'ES256'] as const)(
    'creates an account of the verified address with an id token signed with %s',
    async (algorithm) => {
      const claims = person();
      const response = await signIn({ claims, algorithm });
      expect(response).toMatchObject({ status: 200, body: { state: 'signed_in', workspace: { role: 'owner' } } });
      expect(userOf(response)).toMatchObject({
        email: claims.email,
        name: 'Ann',
        emailVerified: true,
        hasPassword: false,
      });
    },
  );

  it('is bound to issuer and subject: another address of the person opens the same account, another person with the address none', async () => {
    const claims = person();
    const first = userOf(await signIn({ claims }));
    expect(userOf(await signIn({ claims: { ...claims, email: newEmail() } })).id).toBe(first.id);
    expect(await signIn({ claims: person({ email: claims.email }) })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
  });

  it('binds the account that has proven the same address if the provider has verified it, and its second factor is still required', async () => {
    const known = await provenPerson();
    const claims = person({ email: known.email.toUpperCase() });
    for (const email_verified of [false, undefined, 'false'])
      expect((await signIn({ claims: { ...claims, email_verified } })).status).toBe(403);
    expect(userOf(await signIn({ claims })).id).toBe(known.id);
    await enrol(known);
    expect((await signIn({ claims })).body).toMatchObject({ state: 'code_needed', workspace: null });
  });

  it('records the first binding of an account to the provider, once, and each sign-in', async () => {
    const actionsOf = async (userId: string) =>
      (
        await site.sql<{ action: string }>(
          `SELECT action FROM identity.audit WHERE actor_id = $1 AND action IN ('provider.linked', 'session.created') ORDER BY id`,
          [userId],
        )
      ).map(({ action }) => action);
    const known = await provenPerson();
    const claims = person({ email: known.email });
    await signIn({ claims });
    await signIn({ claims });
    expect(await actionsOf(known.id)).toEqual([
      'session.created',
      'provider.linked',
      'session.created',
      'session.created',
    ]);
    const fresh = userOf(await signIn({ claims: person() }));
    expect(await actionsOf(fresh?.id ?? '')).toEqual(['provider.linked', 'session.created']);
  });

  it('gives the owner of an address an account of its own where another person claimed the address in a profile, and that person keeps the workspace of the sign-up alone', async () => {
    const attacker = await site.people.signUp();
    const claims = person();
    expect((await attacker.patch('/auth/profile', { email: claims.email, password: PASSWORD })).status).toBe(200);
    const owner = await signIn({ claims });
    expect(owner).toMatchObject({ status: 200, body: { state: 'signed_in' } });
    expect(userOf(owner)).toMatchObject({ email: claims.email, emailVerified: true, hasPassword: false });
    expect(userOf(owner).id).not.toBe(attacker.id);
    expect((await attacker.get('/auth/session')).body).toMatchObject({
      user: { id: attacker.id, emailVerified: false },
      workspaces: [{ role: 'owner' }],
    });
    const { workspaces } = owner.body as Session;
    const { workspaces: others } = (await attacker.get('/auth/session')).body as Session;
    const ids = new Set(workspaces.map(({ id }) => id));
    expect(others.filter(({ id }) => ids.has(id))).toEqual([]);
  });

  it('gives the owner of an address an account of its own where another person accepted a handed invitation of the address', async () => {
    const attacker = await site.people.signUp();
    const claims = person();
    const invited = await attacker.post('/auth/invites', { email: claims.email, role: 'admin' });
    const puppet = await site.people.accept((invited.body as { link: string }).link);
    const owner = await signIn({ claims });
    expect(userOf(owner)).toMatchObject({ email: claims.email, emailVerified: true });
    expect(userOf(owner).id).not.toBe(puppet.id);
    expect((owner.body as Session).workspaces).toHaveLength(1);
    expect((owner.body as Session).workspace?.role).toBe('owner');
  });

  it.each([
    ['of another key', { isForged: true }],
    ['without a signature', { algorithm: 'none' }],
    ['signed with the client secret', { algorithm: 'HS256' }],
    ['of another nonce', { claims: { nonce: 'A'.repeat(43) } }],
    ['for another client', { claims: { aud: 'another' } }],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['that has expired', { claims: { exp: 1_700_000_000 } }],
  ] as const)('is refused with an id token %s', async (_, statement: Statement) => {
    const response = await signIn({ ...statement, claims: { ...person(), ...statement.claims } });
    expect(response).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  });

  it('is refused with the secret of another browser, a second time, with another state, and with an error of the provider', async () => {
    provider.state({ claims: person() });
    const [own, other] = [await visit(), await visit()];
    const post = (binding: string, query: string) => site.people.visitor().post('/auth/oidc/login', { binding, query });
    expect((await post(other.binding, own.query)).status).toBe(401);
    expect((await post('A'.repeat(43), own.query)).status).toBe(401);
    const changed = await visit();
    expect((await post(changed.binding, changed.query.replace(/state=[^&]+/, 'state=x'))).status).toBe(401);
    const denied = await visit();
    expect((await post(denied.binding, denied.query.replace(/code=[^&]+/, 'error=access_denied'))).status).toBe(401);
    expect((await post(own.binding, own.query)).status).toBe(200);
    expect((await post(own.binding, own.query)).status).toBe(401);
  });

  it('is refused for an address of another domain', async () => {
    const response = await signIn({ claims: person({ email: 'ann@evil.example' }) });
    expect(response).toMatchObject({ status: 403, body: { error: expect.stringContaining('example.com') } });
  });

  it('lets a person without a password set up a second factor within ten minutes of the sign-in only', async () => {
    provider.state({ claims: person() });
    const visitor = site.people.visitor();
    const { binding, query } = await visit();
    const { user } = (await visitor.post('/auth/oidc/login', { binding, query })).body as Session;
    expect((await visitor.patch('/auth/profile', { two_factor: 'start' })).status).toBe(200);
    await site.sql("UPDATE identity.sessions SET created_at = now() - interval '11 minutes' WHERE user_id = $1", [
      user.id,
    ]);
    expect(await visitor.patch('/auth/profile', { two_factor: 'start' })).toMatchObject({ status: 400 });
    expect((await site.people.visitor().post('/auth/login', { email: user.email, password: PASSWORD })).status).toBe(
      401,
    );
  });

  it('is one press of a button in Chromium, and a sign-in that another site started is refused', async () => {
    const claims = person();
    provider.state({ claims });
    const { page, context, problems } = await chromium.open();
    await page.goto(`${site.url}/auth/login`);
    await page.locator('::-p-text(Sign in with Acme)').click();
    await untilPath(page, '/auth/account');
    await untilText(page, claims.email);
    expect(problems).toEqual([]);
    const victim = await chromium.open();
    const { query } = await visit();
    await victim.page.goto(`${site.url}/auth/oidc${query}`);
    await untilText(victim.page, 'This sign-in was not started in this tab.');
    await Promise.all([context.close(), victim.context.close()]);
  });
});

describe('groups of the provider', () => {
  const [HARBOUR, QUAY] = [newId('ws'), newId('ws')];
  let own: AccountSite;
  beforeAll(async () => {
    const groupRoles = JSON.stringify([
      { group: 'eng', workspace: HARBOUR, role: 'member' },
      { group: 'leads', workspace: HARBOUR, role: 'admin' },
      { group: 'eng', workspace: QUAY, role: 'viewer' },
    ]);
    own = await startAccountSite({ identity: settings({ OIDC_GROUP_ROLES: groupRoles }) });
    await own.sql(
      `INSERT INTO identity.workspaces (id, name, plan) VALUES ('${HARBOUR}', 'Harbour', 'free'), ('${QUAY}', 'Quay', 'free')`,
    );
  }, 60_000);
  afterAll(() => own?.close());

  const rolesOf = async (userId: string) => {
    const rows = await own.sql<{ workspace_id: string; role: string }>(
      'SELECT workspace_id, role FROM identity.memberships WHERE user_id = $1',
      [userId],
    );
    return Object.fromEntries(rows.map(({ workspace_id: id, role }) => [id === HARBOUR ? 'harbour' : 'quay', role]));
  };
  const userIn = async (claims: object) => userOf(await signIn({ claims: { ...claims } }, own)).id;

  it('give a person without an invitation an account with the roles of the groups, and change them at the next sign-in', async () => {
    const claims = person();
    const id = await userIn({ ...claims, groups: ['eng'] });
    expect(await rolesOf(id)).toEqual({ harbour: 'member', quay: 'viewer' });
    await userIn({ ...claims, groups: ['eng', 'leads'] });
    expect(await rolesOf(id)).toEqual({ harbour: 'admin', quay: 'viewer' });
    await userIn({ ...claims, groups: [] });
    expect(await rolesOf(id)).toEqual({});
    expect((await signIn({ claims: person({ groups: ['sales'] }) }, own)).status).toBe(403);
  });

  it('leave a role that a person gave as it is, and are named in the audit log', async () => {
    const claims = person();
    const id = await userIn({ ...claims, groups: ['eng'] });
    await own.sql(
      `UPDATE identity.memberships SET role = 'admin', from_group = NULL WHERE user_id = $1 AND workspace_id = $2`,
      [id, HARBOUR],
    );
    await userIn({ ...claims, groups: [] });
    expect(await rolesOf(id)).toEqual({ harbour: 'admin' });
    const entries = await own.sql<{ action: string; detail: object }>(
      'SELECT action, detail FROM identity.audit WHERE subject_id = $1 AND workspace_id = $2 ORDER BY id',
      [id, QUAY],
    );
    expect(entries).toMatchObject([
      { action: 'member.joined', detail: { role: 'viewer', group: 'eng' } },
      { action: 'member.removed', detail: { role: 'viewer', group: 'eng' } },
    ]);
  });

  it('end what a person made where their role ends: an open invitation', async () => {
    const claims = person();
    const id = await userIn({ ...claims, groups: ['leads'] });
    await own.sql(
      `INSERT INTO identity.invites (id, workspace_id, email, role, invited_by, token_hash, expires_at)
       VALUES ($1, $2, 'guest@example.com', 'member', $3, decode(md5($1), 'hex'), now() + interval '1 day')`,
      [newId('ivt'), HARBOUR, id],
    );
    await userIn({ ...claims, groups: [] });
    const open = await own.sql('SELECT id FROM identity.invites WHERE invited_by = $1 AND revoked_at IS NULL', [id]);
    expect(open).toEqual([]);
  });
});

describe('an installation with invitations', () => {
  it('creates an account through the provider for an invited address only, with the role of the invitation', async () => {
    const own = await startAccountSite({ identity: settings() });
    try {
      const claims = person();
      expect((await signIn({ claims }, own)).status).toBe(403);
      await own.sql(`INSERT INTO identity.workspaces (id, name, plan) VALUES ('ws_1', 'Harbour', 'free')`);
      await own.sql(
        `INSERT INTO identity.invites (id, workspace_id, email, role, invited_by, token_hash, expires_at)
         VALUES ('ivt_1', 'ws_1', $1, 'member', 'usr_1', '\\x01', now() + interval '1 day')`,
        [claims.email],
      );
      expect((await signIn({ claims }, own)).body).toMatchObject({ workspace: { name: 'Harbour', role: 'member' } });
    } finally {
      await own.close();
    }
  });

  it('reaches no provider that the egress guard refuses', async () => {
    const own = await startAccountSite({ identity: settings({ TIDEMARK_EGRESS_ALLOW: '' }) });
    try {
      const response = await own.people.visitor().post('/auth/oidc/start', {});
      expect(response).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    } finally {
      await own.close();
    }
  });
});

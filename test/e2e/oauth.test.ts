import { createHash, randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { sharedFleet } from '../harness/fleet.ts';
import type { Person } from '../harness/people.ts';
import { REVOKED, until } from '../harness/until.ts';

const fleet = sharedFleet();
afterAll(() => fleet.close());

const REDIRECT = 'http://127.0.0.1:7777/callback';
type Fields = Readonly<Record<string, unknown>>;
type Decision = 'read' | 'write' | 'deny';

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
const read = async (response: Response): Promise<Fields> => fieldsOf(await response.json());
const metadata = async (): Promise<Fields> => read(await fetch(`${fleet.url}/.well-known/oauth-authorization-server`));

async function endpoint(): Promise<URL> {
  const { protected_resources } = await metadata();
  return new URL(String(Array.isArray(protected_resources) ? protected_resources[0] : ''));
}

/** The part of an agent in OAuth, as the client library of the protocol calls it. */
class AgentAccess implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = { client_name: 'Agent', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };
  page: URL | undefined;
  saved: StoredOAuthTokens | undefined;
  #client: StoredOAuthClientInformation | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = '';

  clientInformation = () => this.#client;
  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
  }
  tokens = () => this.saved;
  saveTokens(tokens: StoredOAuthTokens): void {
    this.saved = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.page = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier = () => this.#verifier;
  saveDiscoveryState(discovered: OAuthDiscoveryState): void {
    this.#discovered = discovered;
  }
  discoveryState = () => this.#discovered;
}

/** Sends the decision of a person, as the consent page does. */
const decide = ({ jar }: Person, request: URLSearchParams, grant: Decision): Promise<Response> =>
  fetch(`${fleet.url}/oauth/consent`, {
    method: 'POST',
    headers: { cookie: jar.cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ ...Object.fromEntries(request), grant }),
  });

/** Registers a client and returns the parameters of its authorization request, with the verifier of its challenge. */
async function register(redirectUri = REDIRECT): Promise<{ request: URLSearchParams; verifier: string }> {
  const response = await fetch(`${fleet.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Agent', redirect_uris: [redirectUri] }),
  });
  const { client_id } = await read(response);
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: String(client_id),
    redirect_uri: redirectUri,
    state: 's1',

    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  return { request, verifier };
}

const form = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(`${fleet.url}${path}`, { method: 'POST', body: new URLSearchParams(fields) });

const exchange = (request: URLSearchParams, code: string, verifier: string): Promise<Response> =>
  form('/oauth/token', {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,

    client_id: request.get('client_id') ?? '',
    redirect_uri: request.get('redirect_uri') ?? '',
  });

/** Sends a call of a tool to the MCP endpoint with a token. */
const callTool = async (token: string): Promise<Response> =>
  fetch(await endpoint(), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',

      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects' } }),
  });

const statusAtEndpoint = async (token: string): Promise<number> => (await callTool(token)).status;

/** Returns the parameters with which the browser returns to the client. */
async function returned(response: Promise<Response>): Promise<URLSearchParams> {
  const { redirectTo } = await read(await response);
  return new URL(String(redirectTo)).searchParams;
}

describe('OAuth for agents', () => {
  test('lets a person grant an agent read access with the protocol’s client library, and revoke it like a key', async () => {
    const person = await fleet.people.signUp();
    const access = new AgentAccess();
    const url = await endpoint();
    const transport = new StreamableHTTPClientTransport(url, { authProvider: access });
    const first = new Client({ name: 'agent', version: '1.0.0' });
    await expect(first.connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
    const page = access.page ?? new URL(fleet.url);

    const headers = { cookie: person.jar.cookie };
    expect(await (await fetch(page, { headers })).text()).toContain('data-page="consent"');
    expect(await read(await fetch(`${fleet.url}/oauth/request${page.search}`, { headers }))).toEqual({
      client: 'Agent',
      returnsTo: '127.0.0.1:7777',
      person: person.email,
      grants: ['read', 'write'],
    });
    await transport.finishAuth(await returned(decide(person, page.searchParams, 'read')));

    const client = new Client({ name: 'agent', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: access }));
    expect(await client.callTool({ name: 'list_projects', arguments: {} })).toMatchObject({
      structuredContent: { projects: [] },
    });
    expect(await client.callTool({ name: 'map_site', arguments: { url: 'https://a.example/' } })).toMatchObject({
      isError: true,
      structuredContent: { code: 'read_only' },
    });

    const { data } = fieldsOf((await person.get('/me/keys')).body);
    const [key] = Array.isArray(data) ? data.map(fieldsOf) : [];
    expect(key).toMatchObject({ name: 'OAuth: Agent', scopes: ['read'] });
    expect((await person.delete(`/me/keys/${key?.['id']}`)).status).toBe(204);
    const token = access.saved?.access_token ?? '';
    await until('the revoked token is refused', async () => (await statusAtEndpoint(token)) === 401, REVOKED);
    await client.close();
  });

  test('exchanges a code once, and only for the client with the verifier', async () => {
    const person = await fleet.people.signUp();
    const { request, verifier } = await register();
    const code = async () => (await returned(decide(person, request, 'write'))).get('code') ?? '';
    const wrong = await exchange(request, await code(), randomBytes(32).toString('base64url'));
    expect([wrong.status, (await read(wrong))['error']]).toEqual([400, 'invalid_grant']);
    const one = await code();
    const granted = await exchange(request, one, verifier);
    expect(await read(granted)).toMatchObject({ token_type: 'Bearer', scope: 'read write' });
    const again = await exchange(request, one, verifier);
    expect([again.status, (await read(again))['error']]).toEqual([400, 'invalid_grant']);
  });

  test('issues tokens for the MCP endpoint only: they are no API keys of the REST interface or of Firecrawl’s', async () => {
    const person = await fleet.people.signUp();
    const { request, verifier } = await register();
    const code = (await returned(decide(person, request, 'write'))).get('code') ?? '';
    const token = String((await read(await exchange(request, code, verifier)))['access_token']);
    const called = await callTool(token);
    expect([called.status, await called.text()]).toEqual([200, expect.stringContaining('projects')]);
    const forged = { 'x-service-credential': 'a.b.c', authorization: `Bearer ${token}` };
    const responses = [
      await fleet.api(token).get('/me'),
      await fleet.api(token).post('/scrape', { url: 'https://a.example/' }),
      await fetch(`${fleet.url}/v1/me`, { headers: forged }),
      await fetch(`${fleet.url}/firecrawl/v2/team/credit-usage`, { headers: { authorization: `Bearer ${token}` } }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(responses[0]?.body).toMatchObject({ code: 'unauthorized', error: expect.stringContaining('MCP endpoint') });
  });

  test('revokes the token of a code that is used again', async () => {
    const person = await fleet.people.signUp();
    const { request, verifier } = await register();
    const code = (await returned(decide(person, request, 'read'))).get('code') ?? '';
    const token = String((await read(await exchange(request, code, verifier)))['access_token']);
    expect(await statusAtEndpoint(token)).toBe(200);
    expect((await exchange(request, code, randomBytes(32).toString('base64url'))).status).toBe(400);
    await until('the revoked token is refused', async () => (await statusAtEndpoint(token)) === 401, REVOKED);
  });

  test('accepts PKCE with S256 only, at the authorization request and at the exchange', async () => {
    const person = await fleet.people.signUp();
    const { request } = await register();
    for (const [name, value] of [
      ['code_challenge_method', 'plain'],
      ['code_challenge_method', ''],
      ['code_challenge', ''],
      ['response_type', 'token'],
    ] as const) {
      const weaker = new URLSearchParams(request);
      if (value === '') weaker.delete(name);
      else weaker.set(name, value);
      expect([name, value, (await decide(person, weaker, 'read')).status]).toEqual([name, value, 400]);
    }
    const code = (await returned(decide(person, request, 'read'))).get('code') ?? '';
    const without = await form('/oauth/token', {
      grant_type: 'authorization_code',
      code,
      client_id: request.get('client_id') ?? '',
    });
    expect([without.status, (await read(without))['error']]).toEqual([400, 'invalid_request']);
  });

  test('registers no address that a browser would run, and redirects to no foreign address without a decision', async () => {
    for (const uri of [
      'javascript://a/%0aalert(1)',
      'data:text/html,x',
      'http://evil.example/',
      'https://u@evil.example/',
    ]) {
      const response = await fetch(`${fleet.url}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [uri] }),
      });
      expect([uri, response.status, (await read(response))['error']]).toEqual([uri, 400, 'invalid_redirect_uri']);
    }
    const { request } = await register('https://evil.example/landing');
    request.set('code_challenge_method', 'plain');
    const page = await fetch(`${fleet.url}/oauth/authorize?${request}`, { redirect: 'manual' });
    expect([page.status, page.headers.get('location')]).toEqual([400, null]);
    expect(await page.text()).toContain('Invalid request');
  });

  test('returns a denial, and errors of the request, to the client only where its address is registered', async () => {
    const person = await fleet.people.signUp();
    const { request } = await register();
    const denied = await returned(decide(person, request, 'deny'));
    expect(Object.fromEntries(denied)).toEqual({ error: 'access_denied', state: 's1', iss: fleet.url });

    const plain = new URLSearchParams(request);
    plain.set('code_challenge_method', 'plain');
    const refused = await fetch(`${fleet.url}/oauth/authorize?${plain}`, { redirect: 'manual' });
    expect(refused.status).toBe(302);
    expect(new URL(refused.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request');

    const foreign = new URLSearchParams(request);
    foreign.set('redirect_uri', 'https://evil.example/');
    const unknown = await fetch(`${fleet.url}/oauth/authorize?${foreign}`, { redirect: 'manual' });
    expect([unknown.status, unknown.headers.get('location')]).toEqual([400, null]);
    expect((await decide(person, foreign, 'read')).status).toBe(400);
  });

  test('lets a viewer grant read access only, and requires a session', async () => {
    const workspace = await fleet.workspaces.make();
    const viewer = await fleet.people.join(workspace, 'viewer');
    const { request } = await register();
    const details = await fetch(`${fleet.url}/oauth/request?${request}`, { headers: { cookie: viewer.jar.cookie } });
    expect(await read(details)).toMatchObject({ grants: ['read'] });
    const response = await decide(viewer, request, 'write');
    expect([response.status, (await read(response))['code']]).toEqual([403, 'scopes']);
    expect((await returned(decide(viewer, request, 'read'))).get('code')).not.toBeNull();
    expect((await fetch(`${fleet.url}/oauth/request?${request}`)).status).toBe(401);
  });

  test('revokes a token at the revocation endpoint, and accepts unknown tokens there', async () => {
    const person = await fleet.people.signUp();
    const { request, verifier } = await register();
    const code = (await returned(decide(person, request, 'read'))).get('code') ?? '';
    const token = String((await read(await exchange(request, code, verifier)))['access_token']);
    expect(await statusAtEndpoint(token)).toBe(200);
    expect((await form('/oauth/revoke', { token })).status).toBe(200);
    await until('the revoked token is refused', async () => (await statusAtEndpoint(token)) === 401, REVOKED);
    expect((await form('/oauth/revoke', { token: 'service_unknown' })).status).toBe(200);
  });
});

import { afterEach, describe, expect, it } from '@jest/globals';
import { KEY, startGateway } from './start-gateway.ts';

let gateway: Awaited<ReturnType<typeof startGateway>> | undefined;
afterEach(() => gateway?.close());

const REGISTRATION = JSON.stringify({ redirect_uris: ['https://agent.example/callback'] });
const AS_JSON = { method: 'POST', headers: { 'content-type': 'application/json' } };

/** Requests of the authorization server that need neither a key nor a session. */
const REQUESTS: readonly (readonly [string, string, RequestInit])[] = [
  ['registrations', '/oauth/register', { ...AS_JSON, body: REGISTRATION }],
  ['authorization requests', '/oauth/authorize?client_id=x', {}],
  ['token requests', '/oauth/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'x' }) }],
  ['revocations', '/oauth/revoke', { method: 'POST', body: new URLSearchParams({ token: 'service_unknown' }) }],
];

describe('the authorization server', () => {
  it.each(REQUESTS)(
    'refuses further %s of an address that sent as many as it may in a minute',
    async (_, path, init) => {
      gateway = await startGateway({ failures: 3, mcpUrl: 'https://tidemark.example/mcp' });
      const statuses: number[] = [];
      for (let n = 0; n < 5; n += 1) {
        const response = await fetch(`${gateway.url}${path}`, init);
        statuses.push(response.status);
        if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect(statuses.slice(0, 3)).not.toContain(429);
      expect(statuses.slice(3)).toEqual([429, 429]);
    },
  );

  it('is not there in an installation without an MCP endpoint', async () => {
    gateway = await startGateway();
    for (const [, path, init] of [...REQUESTS, ['', '/.well-known/oauth-authorization-server', {}] as const])
      expect([path, (await fetch(`${gateway.url}${path}`, init)).status]).toEqual([path, 404]);
  });

  it('refuses a consent of an API key', async () => {
    gateway = await startGateway({ mcpUrl: 'https://tidemark.example/mcp' });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` };
    const response = await fetch(`${gateway.url}/oauth/consent`, {
      method: 'POST',
      headers,
      body: '{"grant":"write"}',
    });
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'forbidden' }]);
  });

  it('answers 503 to a token request while Redis is not available', async () => {
    gateway = await startGateway({ mcpUrl: 'https://tidemark.example/mcp' });
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'c',
      client_id: 'x',
      code_verifier: 'v'.repeat(43),
    });
    expect((await fetch(`${gateway.url}/oauth/token`, { method: 'POST', body })).status).toBe(503);
  });
});

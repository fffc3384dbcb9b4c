import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@tidemark/service';
import { until } from '@tidemark/testkit';
import { createEndpoint } from '../src/http/create-endpoint.ts';
import { protectedResource } from '../src/http/protected-resource.ts';
import { serveHttp } from '../src/http/serve-http.ts';
import { type FakeApi, fillIn, startFakeApi } from './fake-api.ts';

const PUBLIC_URL = 'https://tidemark.example/mcp';
const RESOURCE = protectedResource(PUBLIC_URL, 'https://tidemark.example/v1');

let api: FakeApi;
let server: Server;
let endpoint: URL;

beforeAll(async () => {
  api = await startFakeApi();
  fillIn(api.responses);
  const log = createLogger('mcp', 'silent');
  const options = { apiUrl: api.url, publicUrl: PUBLIC_URL, resource: RESOURCE, version: '1.0.0', log };
  server = await serveHttp('127.0.0.1:0', { endpoint: createEndpoint(options), resource: RESOURCE, log });
  const bound = server.address();
  endpoint = new URL(`http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/mcp`);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await api.close();
});

/** Sends a request of the revision 2025-11-25. */
const listTools = (key: string): Promise<Response> =>
  fetch(endpoint, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',

      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });

describe('the access to the MCP endpoint', () => {
  it('refuses a request without a valid key with 401, and a request of a foreign browser page with 403', async () => {
    const post = (headers: Record<string, string>) =>
      fetch(endpoint, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' });
    const without = await post({});
    const wrong = await post({ authorization: 'Bearer wrong' });
    const foreign = await post({ authorization: 'Bearer read', origin: 'https://evil.example' });
    expect([without.status, wrong.status, foreign.status]).toEqual([401, 401, 403]);
    expect(wrong.headers.get('www-authenticate')).toContain('Bearer');
  });

  it('forwards the address of the client with the calls of its key, so that the gateway limits failures per client', async () => {
    api.seen.length = 0;
    const headers = {
      authorization: 'Bearer wrong',
      'content-type': 'application/json',
      'x-forwarded-for': '203.0.113.9',
    };
    expect((await fetch(endpoint, { method: 'POST', headers, body: '{}' })).status).toBe(401);
    expect(api.seen).toMatchObject([
      { route: 'GET /me', forwardedFor: expect.stringMatching(/^203\.0\.113\.9, .*127/) },
    ]);
  });

  it('publishes its metadata as a protected resource and names them with each 401', async () => {
    const response = await fetch(endpoint, { method: 'POST', body: '{}' });
    const challenge = response.headers.get('www-authenticate') ?? '';
    expect(challenge).toContain(
      'resource_metadata="https://tidemark.example/.well-known/oauth-protected-resource/mcp"',
    );
    for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']) {
      const metadata = await fetch(new URL(path, endpoint));
      expect(await metadata.json()).toMatchObject({
        resource: PUBLIC_URL,
        authorization_servers: ['https://tidemark.example'],
        scopes_supported: ['read', 'write'],
      });
    }
  });

  it('ends within five seconds after the key was revoked, and begins again with a valid one', async () => {
    expect((await listTools('write')).status).toBe(200);
    api.revoked.add('write');
    try {
      await until('the refusal', async () => (await listTools('write')).status === 401, { withinMs: 15_000 });
    } finally {
      api.revoked.delete('write');
    }
    expect((await listTools('write')).status).toBe(200);
  });
});

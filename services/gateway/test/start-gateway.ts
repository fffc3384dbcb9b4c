import { createSecretKey, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { buildOpenApi, routes } from '@tidemark/api';
import { ALL_PROJECTS, accessToWire } from '@tidemark/contracts';
import { IdentityServiceService as Rpc } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import { createLogger, defineService, handle } from '@tidemark/service';
import { startService, withUnimplemented } from '@tidemark/testkit';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { createApp } from '../src/app.ts';
import { type Endpoint, endpoint } from '../src/http/mount.ts';
import { type HttpLimits, serveHttp } from '../src/http/serve-http.ts';
import { StreamSlots } from '../src/http/stream-access.ts';
import { parseTrustedProxies } from '../src/http/trusted-proxies.ts';
import { AuthFailures } from '../src/middleware/auth-failures.ts';
import { Authenticator } from '../src/middleware/authenticate.ts';
import { RateLimiter } from '../src/middleware/rate-limit.ts';
import { SessionCookie } from '../src/middleware/session-cookie.ts';
import { AuthorizationCodes } from '../src/oauth/authorization-codes.ts';
import { OAuthClients } from '../src/oauth/oauth-clients.ts';

export const KEY = 'service_valid';
export const MAX_BODY_BYTES = 100_000;

/** Starts an identity that accepts `KEY`, and counts its calls. */
async function startIdentity() {
  const calls = { count: 0 };
  const definition = defineService({
    name: 'identity',
    config: {},
    async start(app) {
      const authenticate = handle(Rpc.authenticate, async ({ secret }) => {
        calls.count += 1;
        if (secret !== KEY) throw new AppError('unauthorized', 'this API key is not valid');
        const key = {
          id: 'key_1',
          name: 'test',
          scopes: ['admin'],
          access: accessToWire(ALL_PROJECTS),
          lastFour: '',
          createdAt: new Date(),
          createdBy: '',
          isGrant: false,
        };
        const workspace = {
          id: 'ws_1',
          name: '',
          plan: 'free',
          createdAt: new Date(),
          requireSecondFactor: false,
          parentId: '',
        };
        return { workspace, key };
      });
      app.serve(Rpc, withUnimplemented(Rpc, [authenticate]));
    },
  });
  return Object.assign(calls, await startService(definition, {}));
}

export interface GatewayOptions extends Partial<Omit<HttpLimits, 'isTrustedProxy'>> {
  readonly failures?: number;
  readonly trustedProxies?: string;
  readonly publicUrl?: string;
  /** Public URL of an MCP endpoint, which turns on the authorization server. */
  readonly mcpUrl?: string;
}

/** Starts the gateway's HTTP server with three endpoints: GET /me and POST /me/keys answer with `body`, DELETE /me/keys/{id} with 204. */
export async function startGateway({
  failures = 1_000,
  trustedProxies = '',
  publicUrl,
  mcpUrl,
  ...limits
}: GatewayOptions = {}) {
  const identity = await startIdentity();
  const state: { body: unknown; openApiCalls: number; readyChecks: number } = {
    body: {},
    openApiCalls: 0,
    readyChecks: 0,
  };
  const showsState = { ...routes.getMe, responses: { 200: z.unknown() } };
  const endpoints: Endpoint[] = [
    endpoint(showsState, async ({ baseUrl }) => ({ status: 200, body: state.body, headers: { location: baseUrl } })),
    endpoint(routes.createKey, async ({ body }) => ({ status: 201, body: { ...body, ...Object(state.body) } })),
    endpoint(routes.revokeKey, async () => ({ status: 204 })),
  ];
  const checkIdentity = async () => {
    state.readyChecks += 1;
  };
  const isTrustedProxy = parseTrustedProxies(trustedProxies);
  const redis = new Redis({ lazyConnect: true, enableOfflineQueue: false });
  const failed = new AuthFailures(failures);
  const oauth = {
    clients: new OAuthClients([createSecretKey(randomBytes(32))]),
    codes: new AuthorizationCodes(redis),

    identity: identity.peer,
    failures: failed,
  };
  const http = createApp({
    billing: undefined,
    endpoints,
    oauth: mcpUrl === undefined ? undefined : { ...oauth, resource: mcpUrl },
    cookie: new SessionCookie({ installation: '', isInsecure: false, publicUrl }),
    authenticator: new Authenticator(identity.peer, {}, failed),
    limiter: new RateLimiter(redis),
    streams: new StreamSlots(),
    publicUrl,
    docsUrl: publicUrl ?? 'http://localhost:8787/v1',
    isTrustedProxy,
    openApi: (serverUrl) => {
      state.openApiCalls += 1;
      return buildOpenApi(Object.values(routes), serverUrl);
    },
    ready: new Map([['identity', checkIdentity]]),
    maxBodyBytes: MAX_BODY_BYTES,
    log: createLogger('gateway', 'silent'),
  });
  const server = await serveHttp(http, '127.0.0.1:0', { maxConnectionsPerAddress: 100, ...limits, isTrustedProxy });
  const { port } = server.address() as AddressInfo;
  return {
    identity,
    state,
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      redis.disconnect();
      await identity.close();
    },
  };
}

import {
  type AuthInfo,
  createMcpHandler,
  hostHeaderValidationResponse,
  type McpHandlerRequestOptions,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { type Access, accessOf, createToolServer } from '@tidemark/mcp-tools';
import { Tidemark, TidemarkError } from '@tidemark/sdk';
import type { Logger } from '@tidemark/service';
import { AccessCache } from './access-cache.ts';
import type { ProtectedResource } from './protected-resource.ts';

/** Longest body of a request, bytes: as the REST interface. */
export const MAX_BODY_BYTES = 1_048_576;
const NO_KEY = 'this endpoint requires an API key: send `Authorization: Bearer service_…`';
const AUTH_DEADLINE_MS = 5_000;
/** Calls of tools end before the clients give up at 60 s. */
const CALL_DEADLINE_MS = 58_000;

export interface EndpointOptions {
  /** Base URL of the REST interface with its version prefix. */
  readonly apiUrl: string;
  /** Public URL of this endpoint; the accepted Host and Origin follow from it. Undefined: only requests for this machine are accepted. */
  readonly publicUrl: string | undefined;
  /** Undefined: there is no authorization server, and clients need an API key. */
  readonly resource: ProtectedResource | undefined;
  readonly version: string;
  /** Returns the header that proves to the gateway that this endpoint sent a request: its access tokens are valid in such requests only. */
  readonly credential?: () => Readonly<Record<string, string>>;
  /** Creates the server of a request; by default one with the 17 tools. */
  readonly createServer?: typeof createToolServer;
  readonly log: Logger;
}

/** The MCP endpoint. */
export interface McpEndpoint {
  /** Checks host, origin and key, before the body is read. `address`: of the peer. Returns a refusal, or what the key may do. */
  admit(request: Request, address: string): Promise<Response | AuthInfo>;
  /** Answers an admitted request. */
  fetch(request: Request, options?: McpHandlerRequestOptions): Promise<Response>;
}

const bearerOf = (request: Request): string | undefined =>
  /^Bearer +([!-~]+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];

/** Refuses a request without a valid key (RFC 6750), with the URL of the metadata by which clients find the authorization server. */
function unauthorized(message: string, resource: ProtectedResource | undefined): Response {
  const metadata = resource === undefined ? '' : `, resource_metadata="${resource.metadataUrl}", scope="read write"`;
  const body = { jsonrpc: '2.0', id: null, error: { code: -32_001, message, data: { code: 'unauthorized' } } };
  return Response.json(body, {
    status: 401,
    headers: { 'www-authenticate': `Bearer error="invalid_token"${metadata}`, 'cache-control': 'no-store' },
  });
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Refuses requests for other hosts and of pages of other origins (DNS rebinding): those of the public URL and of this machine are accepted. */
function refuseForeign(request: Request, publicUrl: string | undefined): Response | undefined {
  const hosts = publicUrl === undefined ? LOOPBACK : [...LOOPBACK, new URL(publicUrl).hostname];
  return hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, hosts);
}

/** Creates the MCP endpoint, which serves the tools with the key of each request. */
export function createEndpoint(options: EndpointOptions): McpEndpoint {
  const { apiUrl, publicUrl, resource, version, createServer = createToolServer, credential, log } = options;
  // Without retries: a wait for Retry-After could exceed the timeout of the client; the agent gets the code and the time.
  const clientOf = (apiKey: string, forwardedFor: string): Tidemark =>
    new Tidemark({
      apiKey,
      baseUrl: apiUrl,
      timeoutMs: CALL_DEADLINE_MS,
      maxRetries: 0,
      // The gateway counts failed authentications per client address, for which this service must be one of its trusted proxies.
      headers: { 'x-forwarded-for': forwardedFor, ...credential?.() },
    });
  const accesses = new AccessCache((key, forwardedFor) =>
    accessOf(clientOf(key, forwardedFor), AbortSignal.timeout(AUTH_DEADLINE_MS)),
  );
  const onError = (error: unknown, tool: string): void => log.error({ err: error, tool }, 'tool failed');
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const access: Access = authInfo?.scopes.includes('write') === true ? 'write' : 'read';
      const client = clientOf(authInfo?.token ?? '', String(authInfo?.extra?.['forwardedFor'] ?? ''));
      return createServer({ client, version, access: async () => access, onError });
    },
    { maxRequestBodySize: MAX_BODY_BYTES, onerror: (error) => log.warn({ err: error }, 'request was not answered') },
  );
  return {
    async admit(request, address) {
      const foreign = refuseForeign(request, publicUrl);
      if (foreign !== undefined) return foreign;
      const token = bearerOf(request);
      if (token === undefined) return unauthorized(NO_KEY, resource);
      const forwardedFor = [request.headers.get('x-forwarded-for') ?? '', address].filter(Boolean).join(', ');
      try {
        const access = await accesses.of(token, forwardedFor);
        const scopes = access === 'write' ? ['read', 'write'] : ['read'];
        return { token, clientId: 'key', scopes, extra: { forwardedFor } };
      } catch (error) {
        return refusalOf(error, { resource, log });
      }
    },
    fetch: (request, options) => handler.fetch(request, options),
  };
}

/** Maps a refusal of the REST interface to a response. */
function refusalOf(error: unknown, { resource, log }: Pick<EndpointOptions, 'resource' | 'log'>): Response {
  const known = error instanceof TidemarkError ? error : undefined;
  if (known?.code === 'unauthorized') return unauthorized(known.message, resource);
  if (known === undefined) log.error({ err: error }, 'request failed');
  const status = known?.status === 429 ? 429 : known?.status === 403 ? 403 : 503;
  const message = known?.message ?? 'the key could not be checked; try again';
  const retryAfter = Math.ceil((known?.retryAfterMs ?? 1_000) / 1_000);
  const body = {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_000, message, data: { code: known?.code ?? 'unavailable' } },
  };
  return Response.json(body, { status, headers: status === 403 ? {} : { 'retry-after': String(retryAfter) } });
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { type Logger, parseListen } from '@tidemark/service';
import { MAX_BODY_BYTES, type McpEndpoint } from './create-endpoint.ts';
import type { ProtectedResource } from './protected-resource.ts';

const LIMITS = {
  maxHeaderSize: 16 * 1_024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  noDelay: true,
};
/** A connection without any progress is closed after this time, ms: longer than any call waits. */
const STALLED_MS = 150_000;
const NOT_FOUND = { error: 'there is no such route; the endpoint is /mcp', code: 'not_found' };

interface HttpOptions {
  readonly endpoint: McpEndpoint;
  readonly resource: ProtectedResource | undefined;
  readonly log: Logger;
}

/** Metadata are public; browsers of any origin may read them. */
function sendJson(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
    .end(JSON.stringify(body));
}

/** Returns the headers of a request. */
function headersOf({ headers }: IncomingMessage): Headers {
  const copy = new Headers();
  for (const [name, values] of Object.entries(headers))
    for (const value of [values ?? []].flat()) copy.append(name, value);
  return copy;
}

/** Answers a request of the endpoint. The body is read only if the request is admitted. */
function respondWith(endpoint: McpEndpoint) {
  const respond = toNodeHandler(endpoint, { maxRequestBodySize: MAX_BODY_BYTES });
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/' } = request;
    const head = new Request('http://localhost/mcp', { headers: headersOf(request) });
    const admitted = await endpoint.admit(head, request.socket.remoteAddress ?? '');
    if (!(admitted instanceof Response))
      return await respond(Object.assign(request, { method, url, auth: admitted }), response);
    const headers = { ...Object.fromEntries(admitted.headers), connection: 'close' };
    response.writeHead(admitted.status, headers).end(await admitted.text());
  };
}

/** Listens for requests of the endpoint and of its metadata, with limits on header and request time. */
export async function serveHttp(address: string, { endpoint, resource, log }: HttpOptions): Promise<Server> {
  const handle = respondWith(endpoint);
  const server = createServer(LIMITS, (request, response) => {
    const [path = ''] = (request.url ?? '/').split('?');
    if (resource?.paths.includes(path) === true) return sendJson(response, 200, resource.metadata);
    if (path !== '/mcp') return sendJson(response, 404, NOT_FOUND);
    handle(request, response).catch((error: unknown) => {
      log.error({ err: error }, 'request failed unexpectedly');
      response.destroy();
    });
  });
  server.setTimeout(STALLED_MS);
  const { host, port } = parseListen(address);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

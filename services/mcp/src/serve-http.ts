import { createServer, type Server, type ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { parseListen } from '@tidemark/service';
import type { RequestHandler } from './handle-request.ts';
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
  readonly handle: RequestHandler;
  readonly resource: ProtectedResource | undefined;
}

/** Metadata are public; browsers of any origin may read them. */
function sendJson(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'access-control-allow-origin': '*' })
    .end(JSON.stringify(body));
}

/** Listens for requests of the endpoint and of its metadata, with limits on header and request time. */
export async function serveHttp(address: string, { handle, resource }: HttpOptions): Promise<Server> {
  const respond = toNodeHandler({ fetch: handle });
  const server = createServer(LIMITS, (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const [path = ''] = url.split('?');
    if (path === '/mcp') void respond(Object.assign(request, { method, url }), response);
    else if (resource?.paths.includes(path) === true) sendJson(response, 200, resource.metadata);
    else sendJson(response, 404, NOT_FOUND);
  });
  server.setTimeout(STALLED_MS);
  const { host, port } = parseListen(address);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

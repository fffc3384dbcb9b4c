import { createServer, type Server } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { parseListen } from '@tidemark/service';
import type { RequestHandler } from './handle-request.ts';

/** Listens for requests of the endpoint, with limits on header and request time. */
export async function serveHttp(handle: RequestHandler, address: string): Promise<Server> {
  const respond = toNodeHandler({ fetch: handle });
  const server = createServer(
    {
      maxHeaderSize: 16 * 1_024,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
      noDelay: true,
    },
    (request, response) => {
      const path = request.url?.split('?')[0];
      if (path !== '/mcp') {
        response.writeHead(404, { 'content-type': 'application/json' });
        response.end('{"error":"no route; the endpoint is /mcp","code":"not_found"}');
        return;
      }
      const { method = 'GET', url = '/' } = request;
      void respond(Object.assign(request, { method, url }), response);
    },
  );
  const { host, port } = parseListen(address);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

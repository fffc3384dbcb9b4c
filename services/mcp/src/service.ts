import {
  defineService,
  parseListen,
  parseSharedKeys,
  REST_CREDENTIAL_HEADER,
  restCredentialFor,
} from '@tidemark/service';
import { config } from './config.ts';
import { createEndpoint } from './http/create-endpoint.ts';
import { protectedResource } from './http/protected-resource.ts';
import { serveHttp } from './http/serve-http.ts';

const VERSION = '1.0.0';

/** Returns the base URL of the REST interface, at another port of the host of an address. */
function apiUrlOf(address: string, port: number): string {
  const { host } = parseListen(address);
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/v1`;
}

/** The MCP endpoint: the tools over streamable HTTP, as a client of the REST interface with the key of each request. */
export const mcp = defineService({
  name: 'mcp',
  config,
  async start(app) {
    const { GATEWAY_ADDR, GATEWAY_PORT, PUBLIC_URL: publicUrl, AUTHORIZATION_SERVER, LISTEN } = app.config;
    const apiUrl = apiUrlOf(GATEWAY_ADDR, GATEWAY_PORT);
    const resource = protectedResource(publicUrl, AUTHORIZATION_SERVER);
    const { log } = app;
    const keys = parseSharedKeys(app.config.FLEET_KEYS);
    const credential = () => ({ [REST_CREDENTIAL_HEADER]: restCredentialFor('mcp', keys) });
    const endpoint = createEndpoint({ apiUrl, publicUrl, resource, version: VERSION, credential, log });
    const server = await serveHttp(LISTEN, { endpoint, resource, log });
    app.own({
      close: () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeIdleConnections();
          setTimeout(() => server.closeAllConnections(), 4_000).unref();
        }),
    });
  },
});

import { createToolServer } from '@tidemark/mcp-tools';
import { createLogger } from '@tidemark/service';
import { createEndpoint, type McpEndpoint } from '../src/http/create-endpoint.ts';
import { serveHttp } from '../src/http/serve-http.ts';
import { fillIn, startFakeApi } from './fake-api.ts';
import { withSuiteFixtures } from './suite-fixtures.ts';

export interface ConformanceServer {
  readonly url: string;
  /** URL of the fake REST interface. */
  readonly apiUrl: string;
  close(): Promise<void>;
}

/**
 * Starts the endpoint for programs that send no credentials: every request has a key of the scope write, the REST interface is a
 * fake, and the tools, prompts and resources of the conformance suite exist.
 */
export async function startConformanceServer(): Promise<ConformanceServer> {
  const api = await startFakeApi();
  fillIn(api.responses);
  const log = createLogger('mcp', 'silent');
  const own = createEndpoint({
    apiUrl: api.url,
    publicUrl: undefined,
    resource: undefined,
    version: '1.0.0',
    log,
    createServer: (options) => withSuiteFixtures(createToolServer(options)),
  });
  const admit: McpEndpoint['admit'] = (request, address) => {
    request.headers.set('authorization', 'Bearer write');
    return own.admit(request, address);
  };
  const server = await serveHttp('127.0.0.1:0', { endpoint: { ...own, admit }, resource: undefined, log });
  const bound = server.address();
  return {
    url: `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/mcp`,
    apiUrl: api.url,
    async close() {
      server.closeAllConnections();
      server.close();
      await api.close();
    },
  };
}

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface FakeServer {
  readonly baseUrl: string;
  readonly seen: readonly SeenRequest[];
  close(): Promise<void>;
}

/** Starts a server whose responses a test writes. */
export async function startFakeServer(
  respond: (request: SeenRequest, response: ServerResponse, count: number) => void,
): Promise<FakeServer> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    const { method = '', url = '', headers } = incoming;
    const request = { method, url, headers, body: Buffer.concat(pieces).toString('utf8') };
    seen.push(request);
    respond(request, response, seen.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  return {
    baseUrl: `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/v1`,
    seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
    .end(JSON.stringify(body));
}

export const failure = (code: string) => ({ error: `refused: ${code}`, code, request_id: 'req_1' });

/** A job envelope. */
export const envelope = (given: Readonly<Record<string, unknown>> = {}) => ({
  id: 'run_1',
  kind: 'crawl',
  status: 'done',
  progress: { done: 1, total: 1, queued: 0 },
  creditsUsed: 1,
  counts: {},
  stop: null,
  error: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  finishedAt: null,
  data: [],
  next: null,
  cursor: null,
  request_id: 'req_1',
  ...given,
});

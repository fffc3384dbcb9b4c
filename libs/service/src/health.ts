import { createServer, type Server } from 'node:http';
import { within } from '@tidemark/deadline';
import { messageOf } from '@tidemark/errors';
import { parseListen } from './config.ts';
import { serveMetrics } from './telemetry.ts';

export type ReadyCheck = () => Promise<unknown>;

const CHECK_DEADLINE_MS = 2_000;

function withDeadline(name: string, check: ReadyCheck): Promise<string | undefined> {
  const failure = check().then(
    () => undefined,
    (error: unknown) => `${name}: ${messageOf(error)}`,
  );
  return within(failure, CHECK_DEADLINE_MS, () => `${name}: no response in ${CHECK_DEADLINE_MS} ms`);
}

/** Returns the failed checks as `name: reason`; empty if all pass. */
export async function failedChecks(checks: ReadonlyMap<string, ReadyCheck>): Promise<string[]> {
  const results = await Promise.all([...checks].map(([name, check]) => withDeadline(name, check)));
  return results.filter((result) => result !== undefined);
}

/** Serves the operator endpoints: /healthz (the process runs), /readyz (the dependencies respond) and /metrics (Prometheus). */
export async function serveHealth(address: string, checks: ReadonlyMap<string, ReadyCheck>): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.url === '/metrics') return serveMetrics(request, response);
    if (request.url === '/healthz') return response.writeHead(200).end('ok\n');
    if (request.url !== '/readyz') return response.writeHead(404).end();
    const failed = await failedChecks(checks);
    return response
      .writeHead(failed.length === 0 ? 200 : 503)
      .end(failed.length === 0 ? 'ready\n' : `${failed.join('\n')}\n`);
  });
  const { host, port } = parseListen(address);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

/** Returns the port a server listens on. */
export function portOf(server: Server): number {
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buildOpenApi, routes } from '@tidemark/api';
import { createLogger } from '@tidemark/service';
import { dialAsOperator } from '@tidemark/testkit';
import { Redis } from 'ioredis';
import { createApp } from '../../services/gateway/src/app.ts';
import { endpoint } from '../../services/gateway/src/http/mount.ts';
import { serveHttp } from '../../services/gateway/src/http/serve-http.ts';
import { StreamSlots } from '../../services/gateway/src/http/stream-access.ts';
import { AuthFailures } from '../../services/gateway/src/middleware/auth-failures.ts';
import { Authenticator } from '../../services/gateway/src/middleware/authenticate.ts';
import { RateLimiter } from '../../services/gateway/src/middleware/rate-limit.ts';
import { SessionCookie } from '../../services/gateway/src/middleware/session-cookie.ts';

/**
 * Measures the CPU of the gateway's HTTP server per request, for requests that need no key and for JSON with and without compression:
 * `npm run bench -- rest`. The client is another process.
 */
const REQUESTS = 300;
const ROWS = Array.from({ length: 100 }, (_, at) => ({
  id: `cap_${at}`,
  url: `https://example.com/articles/${at * 7_919}`,
  verdict: 'ok' as const,
  words: at,
  title: `Article number ${at} of the archive`,
  markdown: 'The quick brown fox jumps over the lazy dog. '.repeat(at % 17),
}));

/** Sends requests on four connections and prints the mean number of body bytes. */
const CLIENT = `
const http = require('node:http');
const [port, path, count, encoding, random] = process.argv.slice(1);
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
let sent = 0, bytes = 0;
const one = () => new Promise((resolve, reject) => {
  const host = random === 'random' ? { host: 'h' + Math.random().toString(36).slice(2) + '.example' } : {};
  const headers = { ...host, ...(encoding === '' ? {} : { 'accept-encoding': encoding }) };
  http.get({ port, host: '127.0.0.1', path, agent, headers }, (response) => {
    response.on('data', (chunk) => { bytes += chunk.length; });
    response.on('end', resolve);
  }).on('error', reject);
});
const repeat = async () => { while (sent++ < Number(count)) await one(); };
Promise.all([repeat(), repeat(), repeat(), repeat()]).then(() => { console.log(Math.round(bytes / Number(count))); process.exit(0); });
`;

/** A route without a key that responds with rows. */
const listRoute = { ...routes.getMeta, responses: { 200: routes.listPages.responses[200].pick({ data: true }) } };

const server = await serveHttp(
  createApp({
    billing: undefined,
    endpoints: [
      endpoint(listRoute, async () => ({
        status: 200,
        body: { data: ROWS },
      })),
    ],
    cookie: new SessionCookie({ installation: '', isInsecure: false, publicUrl: undefined }),
    authenticator: new Authenticator(dialAsOperator('identity', '127.0.0.1:9'), {}, new AuthFailures(1)),
    limiter: new RateLimiter(new Redis({ lazyConnect: true })),
    streams: new StreamSlots(),
    publicUrl: undefined,
    docsUrl: 'http://localhost:8787/v1',
    isTrustedProxy: () => false,
    openApi: (serverUrl) => buildOpenApi(Object.values(routes), serverUrl),
    ready: new Map(),
    maxBodyBytes: 1_048_576,
    log: createLogger('gateway', 'fatal'),
  }),
  '127.0.0.1:0',
  { maxConnectionsPerAddress: 100, isTrustedProxy: () => false },
);
const address = server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;

async function load(path: string, count: number, encoding: string, host: string): Promise<string> {
  const args = ['-e', CLIENT, String(port), path, String(count), encoding, host];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await once(child, 'exit');
  return printed.trim();
}

async function measure(name: string, path: string, encoding: string, host = 'same'): Promise<void> {
  await load(path, 20, encoding, host);
  const before = process.cpuUsage();
  const bytes = await load(path, REQUESTS, encoding, host);
  const { user, system } = process.cpuUsage(before);
  const perRequestMs = (user + system) / 1_000 / REQUESTS;
  console.log(`${name.padEnd(36)} ${perRequestMs.toFixed(2).padStart(8)} ms CPU ${bytes.padStart(8)} bytes`);
}

await measure('docs, uncompressed', '/v1/docs', '');
await measure('docs, br', '/v1/docs', 'gzip, br');
await measure('docs, br, random Host', '/v1/docs', 'gzip, br', 'random');
await measure('openapi.json, br', '/v1/openapi.json', 'gzip, br');
await measure('openapi.json, br, random Host', '/v1/openapi.json', 'gzip, br', 'random');
await measure('JSON, uncompressed', '/v1/meta', '');
await measure('JSON, gzip', '/v1/meta', 'gzip');
process.exit(0);

// Fetches two pages with each client through the proxy of the environment, and prints the responses and failures: proxied-clients.ts HTTP_URL HTTPS_URL.
import { once } from 'node:events';
import {
  createGot,
  createGuard,
  createHttpClient,
  makeDialTcp,
  outboundProxyOf,
  parseAllowList,
  toFetchFailed,
} from '../src/index.ts';
import { fakeResolver, SITE_ADDRESS } from './loopback-site.ts';

const [httpUrl = '', httpsUrl = ''] = process.argv.slice(2);
const { HTTPS_PROXY = '', NO_PROXY = '', TIDEMARK_PROXY_TARGET } = process.env;
const guard = createGuard({
  allow: parseAllowList(`${process.env['ALLOW']}`),
  resolve: fakeResolver({ 'site.example': [SITE_ADDRESS], 'inner.example': ['10.0.0.1'] }).resolve,
  proxy: outboundProxyOf({
    HTTPS_PROXY,
    NO_PROXY,
    TIDEMARK_PROXY_TARGET: TIDEMARK_PROXY_TARGET === 'name' ? 'name' : 'address',
  }),
});
const client = createHttpClient(guard);
const got = createGot(guard);

const attempt = async (read: () => Promise<string>): Promise<string> => {
  try {
    return await read();
  } catch (error) {
    const { message, kind } = toFetchFailed(error) as Error & { kind?: string };
    return `${kind}: ${message}`;
  }
};
const readFirst = async (): Promise<string> => {
  const { hostname: host, port } = new URL(httpUrl);
  const socket = await makeDialTcp(guard)({ host, port: Number(port) });
  socket.write('GET /raw HTTP/1.0\r\n\r\n');
  const [chunk] = await once(socket, 'data');
  socket.destroy();
  return String(chunk).split('\r\n')[0] ?? '';
};

const result = {
  http: await attempt(async () => String((await client.fetch(httpUrl)).body)),
  https: await attempt(async () => String((await client.fetch(httpsUrl)).body)),
  gotHttp: await attempt(async () => (await got.get(httpUrl)).body),
  gotHttps: await attempt(async () => (await got.get(httpsUrl)).body),
  tcp: await attempt(readFirst),
  inner: await attempt(async () => String((await client.fetch('http://inner.example/')).status)),
};
process.stdout.write(JSON.stringify(result));
await client.close();
process.exit(0);

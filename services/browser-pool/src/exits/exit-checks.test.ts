import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { createGuard, createHttpClient, parseAllowList } from '@tidemark/egress';
import { Server as ProxyServer } from 'proxy-chain';
import { checkParity, probe } from './exit-checks.ts';

const ADDRESS = '127.0.0.2';
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, () => resolve()));
  opened.push(server);
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server has no port');
  return bound.port;
}

const site = async (listener: RequestListener) => `http://${ADDRESS}:${await portOf(createServer(listener))}/`;

/** An exit that tunnels faithfully. */
async function honest(): Promise<string> {
  const proxy = new ProxyServer({ host: ADDRESS, port: 0 });
  await proxy.listen();
  opened.push({ close: () => proxy.close(true) });
  return `http://${ADDRESS}:${proxy.port}`;
}

/** An exit that answers every page itself. */
async function meddling(): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nad'));
    });
  });
  return `http://${ADDRESS}:${await portOf(server)}`;
}

function client() {
  const made = createHttpClient(createGuard({ allow: parseAllowList(ADDRESS) }));
  opened.push(made);
  return made;
}

const exit = (url: string) => ({ name: 'one', url, country: '', kind: 'residential' as const });
const GONE = `http://user:secret@${ADDRESS}:9`;

it('a page that is the same directly and through the exit has parity, one the exit changed has not', async () => {
  const url = await site((_request, response) => response.end('steady'));
  const [good, bad, fetching] = [await honest(), await meddling(), client()];
  expect(await checkParity(fetching, url, exit(good))).toMatchObject({ parity: 'ok', exitFailed: false });
  expect(await checkParity(fetching, url, exit(bad))).toMatchObject({ parity: 'differs', exitFailed: false });
});

it('a page that changes by itself, or cannot be fetched, gives no parity', async () => {
  let count = 0;
  const restless = await site((_request, response) => {
    count += 1;
    response.end(String(count));
  });
  const [good, fetching] = [await honest(), client()];
  expect(await checkParity(fetching, restless, exit(good))).toMatchObject({ parity: 'unknown', exitFailed: false });
  expect(await checkParity(fetching, 'http://10.0.0.1/', exit(good))).toMatchObject({
    parity: 'unknown',
    exitFailed: false,
  });
  expect(await checkParity(fetching, restless, exit(GONE))).toMatchObject({ parity: 'unknown', exitFailed: true });
});

it('a probe finds whether an exit is back, and is unknown without a page to fetch', async () => {
  const url = await site((_request, response) => response.end('here'));
  const fetching = client();
  expect(await probe(fetching, url, exit(await honest()))).toMatchObject({ outcome: 'ok' });
  expect(await probe(fetching, url, exit(GONE))).toMatchObject({ outcome: 'failed' });
  expect(await probe(fetching, undefined, exit(GONE))).toMatchObject({ outcome: 'unknown' });
});

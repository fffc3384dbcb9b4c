import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
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

/** An exit that tunnels unchanged. */
async function unmodifiedExit(): Promise<string> {
  const proxy = new ProxyServer({ host: ADDRESS, port: 0 });
  await proxy.listen();
  opened.push({ close: () => proxy.close(true) });
  return `http://${ADDRESS}:${proxy.port}`;
}

/** An exit that responds to every request itself. */
async function tamperingExit(): Promise<string> {
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
const CLOSED_EXIT = `http://user:secret@${ADDRESS}:9`;

describe('checkParity', () => {
  it('returns ok for a page that is equal through the exit, and differs for a page that the exit changes', async () => {
    const url = await site((_request, response) => response.end('steady'));
    const [good, bad, fetching] = [await unmodifiedExit(), await tamperingExit(), client()];
    expect(await checkParity(fetching, url, exit(good))).toMatchObject({ parity: 'ok', exitFailed: false });
    expect(await checkParity(fetching, url, exit(bad))).toMatchObject({ parity: 'differs', exitFailed: false });
  });

  it('returns unknown for a page that changes by itself or cannot be fetched', async () => {
    let count = 0;
    const changing = await site((_request, response) => {
      count += 1;
      response.end(String(count));
    });
    const [good, fetching] = [await unmodifiedExit(), client()];
    expect(await checkParity(fetching, changing, exit(good))).toMatchObject({ parity: 'unknown', exitFailed: false });
    expect(await checkParity(fetching, 'http://10.0.0.1/', exit(good))).toMatchObject({
      parity: 'unknown',
      exitFailed: false,
    });
    expect(await checkParity(fetching, changing, exit(CLOSED_EXIT))).toMatchObject({
      parity: 'unknown',
      exitFailed: true,
    });
  });
});

describe('probe', () => {
  it('returns whether the exit works, and unknown without a page to fetch', async () => {
    const url = await site((_request, response) => response.end('here'));
    const fetching = client();
    expect(await probe(fetching, url, exit(await unmodifiedExit()))).toMatchObject({ outcome: 'ok' });
    expect(await probe(fetching, url, exit(CLOSED_EXIT))).toMatchObject({ outcome: 'failed' });
    expect(await probe(fetching, undefined, exit(CLOSED_EXIT))).toMatchObject({ outcome: 'unknown' });
  });
});

import { createServer, type Server as HttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { Resolve } from '../src/index.ts';

/** Address of test sites, allowed by an explicit allow-list entry. 127.0.0.1 is internal in every test. */
export const SITE_ADDRESS = '127.0.0.2';

export interface LoopbackSite {
  readonly port: number;
  readonly origin: string;
  /** Requests received so far. */
  readonly requests: IncomingMessage[];
  close(): Promise<void>;
}

export async function startSite(listener: RequestListener, address = SITE_ADDRESS): Promise<LoopbackSite> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  const port = await listen(server, address);
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  return { port, origin: `http://${address}:${port}`, requests, close };
}

export interface RawSite {
  readonly port: number;
  readonly origin: string;
  close(): Promise<void>;
}

/** Starts a TCP server whose connections are handled by the test. */
export async function startRawSite(onSocket: (socket: Socket) => void): Promise<RawSite> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    onSocket(socket);
  });
  const port = await listen(server, SITE_ADDRESS);
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port, origin: `http://${SITE_ADDRESS}:${port}`, close };
}

export async function listen(server: Server | HttpServer, address: string): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, address, () => resolve()));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server has no port');
  return bound.port;
}

/** A resolver with fixed answers that fails for any other name as DNS does. `queried` lists the resolved names. */
export function fakeResolver(table: Readonly<Record<string, readonly string[]>>): {
  resolve: Resolve;
  queried: string[];
} {
  const queried: string[] = [];
  const resolve: Resolve = async (name) => {
    queried.push(name);
    const answers = table[name] ?? table['*'];
    if (answers === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    return answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { resolve, queried };
}

/** Returns the rejection reason of a promise. @throws Error if the promise resolves */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure, got a result');
}

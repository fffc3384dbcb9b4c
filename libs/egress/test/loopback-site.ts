import { createServer, type Server as HttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { Resolve } from '../src/index.ts';

/** 127.0.0.1 stays internal in every test; fixture sites live here, opened by an explicit allow-list entry. */
export const SITE_ADDRESS = '127.0.0.2';

export interface LoopbackSite {
  readonly port: number;
  readonly origin: string;
  /** Requests seen so far. */
  readonly seen: IncomingMessage[];
  close(): Promise<void>;
}

export async function startSite(listener: RequestListener, address = SITE_ADDRESS): Promise<LoopbackSite> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    listener(request, response);
  });
  const port = await listen(server, address);
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  return { port, origin: `http://${address}:${port}`, seen, close };
}

export interface RawSite {
  readonly port: number;
  readonly origin: string;
  close(): Promise<void>;
}

/** A TCP server that speaks whatever the test writes. */
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

/** A resolver with fixed answers; asking for any other name fails as the DNS would. */
export function fakeResolver(table: Readonly<Record<string, readonly string[]>>): {
  resolve: Resolve;
  asked: string[];
} {
  const asked: string[] = [];
  const resolve: Resolve = async (name) => {
    asked.push(name);
    const answers = table[name] ?? table['*'];
    if (answers === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    return answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { resolve, asked };
}

/** A dialer that opens nothing and notes where it was sent. */
export function recordingDialer(): { dial: buildConnector.connector; dialled: string[] } {
  const dialled: string[] = [];
  const dial: buildConnector.connector = (target, callback) => {
    dialled.push(`${target.hostname} ${target.port}`);
    callback(Object.assign(new Error('recorded, not dialled'), { code: 'ECONNREFUSED' }), null);
  };
  return { dial, dialled };
}

/** The failure of a promise that must fail. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure, got an answer');
}

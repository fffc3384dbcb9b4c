import { connect, createServer, type Socket } from 'node:net';
import { type PrepareRequestFunction, Server as ProxyServer } from 'proxy-chain';
import { listen, SITE_ADDRESS } from './loopback-site.ts';

/** Behaviour of a SOCKS5 test server. */
export interface SocksScript {
  /** Required if set (RFC 1929). */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** The reply code to CONNECT; 0 connects, undefined never replies. */
  readonly reply?: number | undefined;
  readonly closeAfterHandshake?: boolean;
}

export interface TestExit {
  readonly port: number;
  /** Requested targets, as `address:port`. */
  readonly requested: string[];
  close(): Promise<void>;
}

/** Starts a SOCKS5 server (RFC 1928, RFC 1929) that supports CONNECT to IPv4 and IPv6 addresses. */
export async function startSocks(script: SocksScript = { reply: 0 }): Promise<TestExit> {
  const sockets = new Set<Socket>();
  const requested: string[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    serveSocks(socket, script, requested, sockets).catch(() => socket.destroy());
  });
  const port = await listen(server, SITE_ADDRESS);
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port, requested, close };
}

async function serveSocks(socket: Socket, script: SocksScript, requested: string[], all: Set<Socket>): Promise<void> {
  const [, methods = 0] = await take(socket, 2);
  await take(socket, methods);
  socket.write(Buffer.from([5, script.credentials === undefined ? 0 : 2]));
  if (script.credentials !== undefined) {
    const [, userLength = 0] = await take(socket, 2);
    const username = String(await take(socket, userLength));
    const [passwordLength = 0] = await take(socket, 1);
    const password = String(await take(socket, passwordLength));
    const isRight = username === script.credentials.username && password === script.credentials.password;
    socket.write(Buffer.from([1, isRight ? 0 : 1]));
    if (!isRight) return;
  }
  const [, , , type] = await take(socket, 4);
  const raw = await take(socket, type === 4 ? 16 : 4);
  const targetPort = (await take(socket, 2)).readUInt16BE();
  const address = type === 4 ? raw.toString('hex') : raw.join('.');
  requested.push(`${address}:${targetPort}`);
  if (script.closeAfterHandshake === true) return void socket.end();
  if (script.reply === undefined) return;
  const reply = (code: number) => socket.write(Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]));
  if (script.reply !== 0) return void reply(script.reply);
  const upstream = connect({ host: address, port: targetPort });
  all.add(upstream);
  upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  socket.on('close', () => upstream.destroy());
  upstream.once('connect', () => {
    reply(0);
    socket.pipe(upstream);
    upstream.pipe(socket);
  });
}

async function take(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const bytes: unknown = socket.read(length);
    if (bytes instanceof Buffer || length === 0) return bytes instanceof Buffer ? bytes : Buffer.alloc(0);
    await new Promise<void>((resolve, reject) => {
      socket.once('readable', resolve).once('close', () => reject(new Error('closed')));
    });
  }
}

/** Starts an HTTP proxy that responds 407 to all but these credentials, if any are given. */
export async function startProxy(
  credentials?: { username: string; password: string },
  httpsOptions?: { key: string; cert: string },
): Promise<TestExit> {
  const requested: string[] = [];
  const prepareRequestFunction: PrepareRequestFunction = ({ username, password, hostname, port, isHttp }) => {
    requested.push(`${isHttp ? 'absolute-form ' : ''}${hostname}:${port}`);
    const isKnown =
      credentials === undefined || (username === credentials.username && password === credentials.password);
    return { requestAuthentication: !isKnown };
  };
  const options = { host: SITE_ADDRESS, port: 0, prepareRequestFunction };
  const server = new ProxyServer(
    httpsOptions === undefined ? options : { ...options, serverType: 'https', httpsOptions },
  );
  await server.listen();
  return { port: server.port, requested, close: () => server.close(true) };
}

/** Starts a TCP relay to a test port that counts the relayed bytes, both directions. */
export async function startCountingRelay(to: number): Promise<TestExit & { bytes(): number }> {
  let bytes = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect({ host: SITE_ADDRESS, port: to });
    for (const [from, into] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      from.on('error', () => {}).on('close', () => into.destroy());
      from.pipe(into);
    }
  });
  const port = await listen(server, SITE_ADDRESS);
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port, requested: [], bytes: () => bytes, close };
}

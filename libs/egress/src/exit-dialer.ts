import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { codeOf, FetchFailed } from './errors.ts';
import { tunnelByConnect, tunnelBySocks } from './exit-tunnel.ts';
import { type ExitUrl, parseExitUrl } from './exit-url.ts';

/** Where the exit is to connect: the address the guard admitted, never a name, so that the exit resolves nothing. */
export interface ExitTarget {
  readonly address: string;
  readonly port: number;
}

export interface ExitDialOptions {
  /** For everything: reaching the exit, its TLS, its answer. */
  readonly timeoutMs: number;
  /** Gives the dialling up. */
  readonly signal?: AbortSignal;
  /** PEM certificates an https:// exit may show beside those node trusts. */
  readonly ca?: string;
}

/**
 * Opens a connection to the target through an exit of the operator's: http:// and https:// (CONNECT) or socks5://. The
 * exit itself is configured and not judged; the target must have passed the guard. Rejects with FetchFailed: kind 'exit'
 * where the exit cannot be reached or used, else the kind a direct connection would have failed with. No message or
 * cause carries the exit's credentials. The socket comes paused: pipe it, put TLS on it, or resume it once listened to.
 */
export async function dialThroughExit(exitUrl: string, target: ExitTarget, options: ExitDialOptions): Promise<Socket> {
  return (await openTunnel(exitUrl, target, options)).socket;
}

/** A connection to the target, and the one to the proxy that carries it. */
export interface Tunnel {
  readonly socket: Socket;
  readonly wire: Socket;
  /** Bytes the exit bills beside those counted on `wire`; negative where `wire` counts bytes the exit never saw. */
  readonly uncounted: number;
}

/** As `dialThroughExit`, for a caller that counts the bytes on the wire. */
export async function openTunnel(exitUrl: string, target: ExitTarget, options: ExitDialOptions): Promise<Tunnel> {
  const exit = parseExitUrl(exitUrl);
  if (isIP(target.address) === 0) throw new FetchFailed('egress');
  const ask = exit.protocol === 'socks5:' ? tunnelBySocks : tunnelByConnect;
  const tunnel = await dialProxy(exit, (socket) => ask(socket, exit, target, options.timeoutMs), options);
  return { ...tunnel, uncounted: 0 };
}

/** Connects to a proxy and performs the handshake, within the time given. Rejects as `dialThroughExit` does. */
export async function dialProxy(
  exit: ExitUrl,
  handshake: (socket: Socket) => Promise<void>,
  options: ExitDialOptions,
): Promise<Pick<Tunnel, 'socket' | 'wire'>> {
  options.signal?.throwIfAborted();
  const dialling = new Dialling(exit, options);
  const onAbort = () => dialling.fail(options.signal?.reason);
  options.signal?.addEventListener('abort', onAbort);
  const timer = setTimeout(() => dialling.fail(dialling.lateness()), options.timeoutMs);
  try {
    return await Promise.race([dialling.run(handshake), dialling.failed]);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
  }
}

/** One attempt; knows how far it has come, which tells the exit's failures from the target's. */
class Dialling {
  readonly #exit: ExitUrl;
  readonly #options: ExitDialOptions;
  readonly #failure = Promise.withResolvers<never>();
  #socket: Socket | undefined;
  #isExitReached = false;
  #isOver = false;

  constructor(exit: ExitUrl, options: ExitDialOptions) {
    this.#exit = exit;
    this.#options = options;
    this.#failure.promise.catch(() => {});
  }

  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** An exit that takes connections and then says nothing waits for the target. */
  lateness(): FetchFailed {
    return this.#isExitReached ? new FetchFailed('timeout') : exitFailed('did not answer in time');
  }

  fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket?.destroy();
    this.#failure.reject(reason);
  }

  async run(handshake: (socket: Socket) => Promise<void>): Promise<Pick<Tunnel, 'socket' | 'wire'>> {
    const wire = connect({ host: this.#exit.hostname, port: this.#exit.port });
    const socket = await this.#reachExit(wire);
    this.#isExitReached = true;
    try {
      await handshake(socket);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    this.#isOver = true;
    return { socket, wire };
  }

  #reachExit(wire: Socket): Promise<Socket> {
    const { hostname, protocol } = this.#exit;
    const { ca } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const socket =
      protocol === 'https:'
        ? connectTls({
            socket: wire,
            // What the certificate must be for.
            host: hostname,
            ALPNProtocols: ['http/1.1'],
            ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
            ...(ca === undefined ? {} : { ca }),
          })
        : wire;
    this.#socket = socket;
    for (const one of new Set([wire, socket])) {
      // Stays on the socket: an error nobody listens for would end the process.
      one.on('error', (error) => reject(exitFailed(`could not be reached${withCode(error)}`)));
      one.once('close', () => reject(exitFailed('closed the connection')));
    }
    socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => resolve(socket));
    wire.setNoDelay(true);
    return promise;
  }
}

function exitFailed(what: string): FetchFailed {
  return new FetchFailed('exit', { detail: `the exit ${what}` });
}

const withCode = (error: unknown): string => {
  const code = codeOf(error);
  return code === undefined ? '' : ` (${code})`;
};

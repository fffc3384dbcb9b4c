import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { codeOf, FetchFailed } from '../errors/errors.ts';
import type { ExitUrl } from '../policy/exit-url.ts';
import type { ExitDialOptions, Tunnel } from './tunnel.ts';

/** Connects to a proxy and performs the handshake within the timeout. Rejects like `dialThroughExit`. */
export async function dialProxy(
  exit: ExitUrl,
  handshake: (socket: Socket) => Promise<void>,
  options: ExitDialOptions,
): Promise<Pick<Tunnel, 'socket' | 'wire'>> {
  options.signal?.throwIfAborted();
  const dial = new ProxyDial(exit, options);
  const onAbort = () => dial.fail(options.signal?.reason);
  options.signal?.addEventListener('abort', onAbort);
  const timer = setTimeout(() => dial.fail(dial.timeoutError()), options.timeoutMs);
  try {
    return await Promise.race([dial.run(handshake), dial.failed]);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
  }
}

/** One attempt to dial a proxy. Its progress decides whether a failure is the exit's or the target's. */
class ProxyDial {
  readonly #exit: ExitUrl;
  readonly #options: ExitDialOptions;
  readonly #failure = Promise.withResolvers<never>();
  #socket: Socket | undefined;
  #isExitReached = false;
  #isDone = false;

  constructor(exit: ExitUrl, options: ExitDialOptions) {
    this.#exit = exit;
    this.#options = options;
    this.#failure.promise.catch(() => {});
  }

  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** Once the exit is connected, a missing reply means that the target did not respond. */
  timeoutError(): FetchFailed {
    return this.#isExitReached ? new FetchFailed('timeout') : exitFailed('did not respond in time');
  }

  fail(reason: unknown): void {
    if (this.#isDone) return;
    this.#isDone = true;
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
    this.#isDone = true;
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
            host: hostname,
            ALPNProtocols: ['http/1.1'],
            ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
            ...(ca === undefined ? {} : { ca }),
          })
        : wire;
    this.#socket = socket;
    for (const connection of new Set([wire, socket])) {
      // Never removed: an unhandled error event ends the process.
      connection.on('error', (error) => reject(exitFailed(`could not be reached${withCode(error)}`)));
      connection.once('close', () => reject(exitFailed('closed the connection')));
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

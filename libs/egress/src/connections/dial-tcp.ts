import { connect, type Socket } from 'node:net';
import { EgressRefused, FetchFailed, toFetchFailed } from '../errors/errors.ts';
import { openProxied } from '../exits/open-proxied.ts';
import type { EgressGuard } from '../policy/guard.ts';

export interface TcpTarget {
  readonly host: string;
  readonly port: number;
}

export interface DialTcpOptions {
  /** Time to resolve, check and connect, ms; default 10,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Opens a TCP connection to a user-supplied address: resolves the name once, checks it, and connects to that address only, through the
 * outbound proxy where there is one. The socket is connected and has no delay (Nagle) set. @throws EgressRefused, FetchFailed dns, connect, timeout
 */
export type DialTcp = (target: TcpTarget, options?: DialTcpOptions) => Promise<Socket>;

const CONNECT_TIMEOUT_MS = 10_000;

/** Makes the dialler of protocols other than HTTP. `alsoPorts`: ports that web clients may not use but this protocol does, such as 22. */
export function makeDialTcp(guard: EgressGuard, alsoPorts: readonly number[] = []): DialTcp {
  return async ({ host, port }, { timeoutMs = CONNECT_TIMEOUT_MS, signal } = {}) => {
    signal?.throwIfAborted();
    const deadline = AbortSignal.timeout(timeoutMs);
    const stop = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    const admitted = await Promise.race([guard.admit(host, port, alsoPorts), rejectedAt(stop)]).catch(
      (error: unknown) => {
        throw failureOf(error, deadline);
      },
    );
    const { address, proxy } = admitted;
    const connecting =
      proxy === undefined
        ? connectTo({ host: address, port }, stop)
        : openProxied(proxy, port, { timeoutMs, signal: stop });
    return connecting.catch((error: unknown) => {
      throw failureOf(error, deadline);
    });
  };
}

function connectTo(target: TcpTarget, stop: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ ...target, noDelay: true, autoSelectFamily: false });
  const onAbort = (): void => {
    reject(stop.reason);
    socket.destroy();
  };
  stop.addEventListener('abort', onAbort, { once: true });
  socket.once('error', reject);
  socket.once('connect', () => {
    stop.removeEventListener('abort', onAbort);
    socket.off('error', reject);
    resolve(socket);
  });
  if (stop.aborted) onAbort();
  return promise;
}

function rejectedAt(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  promise.catch(() => undefined);
  return promise;
}

function failureOf(error: unknown, deadline: AbortSignal): unknown {
  if (error instanceof EgressRefused || error instanceof FetchFailed) return error;
  if (deadline.aborted && error === deadline.reason) return new FetchFailed('timeout');
  return toFetchFailed(error);
}

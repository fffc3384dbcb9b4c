import type { Socket } from 'node:net';
import { FetchFailed } from '../errors/errors.ts';
import { readHead, statusOf } from './connect-handshake.ts';
import { dialProxy } from './dial-proxy.ts';
import { parseProxyStatus } from './proxy-status.ts';
import type { ExitDialOptions, Tunnel } from './tunnel.ts';

/** Response header of a guarded proxy: bytes it exchanged with the exit before the tunnel was open. */
export const EXIT_BYTES_HEADER = 'tidemark-exit-bytes';

/**
 * A CONNECT proxy of Tidemark that applies the egress guard itself: it accepts host names, resolves and checks them, and
 * connects through an exit.
 */
export interface GuardedProxy {
  /** Fetches with equal keys share keep-alive connections, so a key must identify one exit and one workspace. */
  readonly key: string;
  readonly host: string;
  readonly port: number;
  /** Credentials for the proxy, not for the exit. */
  readonly username: string;
  readonly password: string;
}

export interface GuardedTarget {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The proxy itself cannot be reached. The state of its exit is unknown. */
export class GuardedProxyUnreachable extends FetchFailed {
  override readonly name = 'GuardedProxyUnreachable';

  constructor() {
    super('exit', { detail: 'the exit could not be reached: its proxy did not respond' });
  }
}

/**
 * Opens a tunnel to the target through a guarded proxy. Rejects with GuardedProxyUnreachable, or with the FetchFailed that
 * the proxy reports: kind 'exit' if the exit or the credentials cannot be used.
 */
export async function openGuardedTunnel(
  proxy: GuardedProxy,
  target: GuardedTarget,
  options: ExitDialOptions,
): Promise<Tunnel> {
  const { host: hostname, port, username, password } = proxy;
  let hasResponded = false;
  let uncounted = 0;
  const handshake = async (socket: Socket): Promise<void> => {
    const request = connectRequest(target, `${username}:${password}`);
    socket.write(request);
    const head = await readHead(socket);
    hasResponded = true;
    const exitBytes = readResponse(head.toString('latin1'), statusOf(head));
    uncounted = exitBytes - request.length - head.length - HEAD_END_BYTES;
  };
  try {
    const address = { protocol: 'http:', hostname, port, credentials: undefined } as const;
    const tunnel = await dialProxy(address, handshake, options);
    return { ...tunnel, uncounted };
  } catch (error) {
    const isProxyFailure = error instanceof FetchFailed && (error.kind === 'exit' || error.kind === 'reset');
    throw isProxyFailure && !hasResponded ? new GuardedProxyUnreachable() : error;
  }
}

const HEAD_END_BYTES = 4;

function connectRequest({ host, port }: GuardedTarget, credentials: string): string {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const pair = Buffer.from(credentials).toString('base64');
  return `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: Basic ${pair}\r\n\r\n`;
}

/** Returns the bytes exchanged with the exit so far. @throws FetchFailed if the proxy opened no tunnel */
function readResponse(head: string, status: number | undefined): number {
  const headers = new Map(
    head.split('\r\n').flatMap((line) => {
      const colon = line.indexOf(':');
      return colon < 1 ? [] : [[line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const];
    }),
  );
  if (status !== undefined && status >= 200 && status < 300) return Number(headers.get(EXIT_BYTES_HEADER) ?? '0') || 0;
  throw parseProxyStatus(headers.get('proxy-status') ?? '') ?? new FetchFailed('exit');
}

import type { Socket } from 'node:net';
import type { ExitUrl } from '../policy/exit-url.ts';

/** Destination of an exit: the address that the guard admitted, never a name, so that the exit resolves nothing. */
export interface ExitTarget {
  readonly address: string;
  readonly port: number;
}

export interface ExitDialOptions {
  /** Deadline for connecting to the exit, its TLS and its handshake together. */
  readonly timeoutMs: number;
  /** Aborts the dial. */
  readonly signal?: AbortSignal;
  /** PEM certificates trusted for an https:// exit, in addition to node's list. */
  readonly ca?: string;
}

/** A connection to the target, and the connection to the proxy that carries it. */
export interface Tunnel {
  readonly socket: Socket;
  readonly wire: Socket;
  /** Bytes billed by the exit in addition to those counted on `wire`; negative if `wire` counts bytes that the exit did not carry. */
  readonly uncounted: number;
}

/** Requests a tunnel from the proxy at the other end of the socket. The caller enforces the deadline. */
export type TunnelHandshake = (socket: Socket, exit: ExitUrl, target: ExitTarget, timeoutMs: number) => Promise<void>;

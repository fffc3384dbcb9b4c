import { isIP, type Socket } from 'node:net';
import { FetchFailed } from '../errors/errors.ts';
import { parseExitUrl } from '../policy/exit-url.ts';
import { connectHandshake } from './connect-handshake.ts';
import { dialProxy } from './dial-proxy.ts';
import { socksHandshake } from './socks-handshake.ts';
import type { ExitDialOptions, ExitTarget, Tunnel } from './tunnel.ts';

/**
 * Opens a connection to the target through an exit of the operator: http:// and https:// (CONNECT) or socks5://. The exit is
 * operator configuration and not checked; the target must have passed the guard. Rejects with FetchFailed: kind 'exit' if
 * the exit cannot be reached or used, else the kind of the equivalent direct failure. No message or cause contains the
 * exit's credentials. The socket is returned paused.
 */
export async function dialThroughExit(exitUrl: string, target: ExitTarget, options: ExitDialOptions): Promise<Socket> {
  return (await openTunnel(exitUrl, target, options)).socket;
}

/** Opens the same connection as `dialThroughExit`, for a caller that counts the bytes on the wire. */
export async function openTunnel(exitUrl: string, target: ExitTarget, options: ExitDialOptions): Promise<Tunnel> {
  const exit = parseExitUrl(exitUrl);
  if (isIP(target.address) === 0) throw new FetchFailed('egress');
  const handshake = exit.protocol === 'socks5:' ? socksHandshake : connectHandshake;
  const tunnel = await dialProxy(exit, (socket) => handshake(socket, exit, target, options.timeoutMs), options);
  return { ...tunnel, uncounted: 0 };
}

import { setImmediate as nextTick } from 'node:timers/promises';
import { SocksClient } from 'socks';
import { type FailureKind, FetchFailed } from '../errors/errors.ts';
import type { TunnelHandshake } from './tunnel.ts';

/** Replies of RFC 1928 section 6 that report a failure of the target, in the wording of the socks library. */
const TARGET_REPLIES: readonly (readonly [RegExp, FailureKind])[] = [
  [/ - (NotAllowed|NetworkUnreachable|HostUnreachable|ConnectionRefused|AddressNotSupported)$/, 'refused'],
  [/ - TTLExpired$/, 'timeout'],
];

/** Requests a tunnel from a SOCKS5 proxy (RFC 1928, credentials by RFC 1929). */
export const socksHandshake: TunnelHandshake = async (socket, exit, target, timeoutMs) => {
  const { credentials } = exit;
  const handshakeBytes = credentials === undefined ? 2 : 4;
  try {
    await SocksClient.createConnection({
      command: 'connect',
      proxy: {
        host: exit.hostname,
        port: exit.port,
        type: 5,
        ...(credentials === undefined ? {} : { userId: credentials.username, password: credentials.password }),
      },
      destination: { host: target.address, port: target.port },
      existing_socket: socket,
      // The library never clears this timer, which retains the socket: keep it short.
      timeout: timeoutMs,
    });
    // The library resumes the socket in the next tick; pause it after that so that no data is lost.
    await nextTick();
    socket.pause();
  } catch (error) {
    // The library's errors contain the options, credentials included: only their message is evaluated.
    throw socksFailure(error, socket.bytesRead >= handshakeBytes);
  }
};

function socksFailure(error: unknown, isHandshakeDone: boolean): FetchFailed {
  const message = error instanceof Error ? error.message : '';
  const kind = TARGET_REPLIES.find(([pattern]) => pattern.test(message))?.[1];
  if (kind !== undefined) return failed(kind, 'could not connect to the site');
  if (/authentication/i.test(message)) return failed('exit', 'refused the credentials');
  if (message === 'Socket closed' && isHandshakeDone)
    return failed('reset', 'closed the connection before the site was reached');
  return failed('exit', 'sent an invalid response');
}

const failed = (kind: FailureKind, what: string): FetchFailed => new FetchFailed(kind, { detail: `the exit ${what}` });

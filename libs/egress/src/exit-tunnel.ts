import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SocksClient } from 'socks';
import { type FailureKind, FetchFailed } from './errors.ts';
import type { ExitTarget } from './exit-dialer.ts';
import type { ExitUrl } from './exit-url.ts';

/** An answer to CONNECT is a status line and few headers; a longer one is not from a proxy. */
const MAX_HEAD_BYTES = 16 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Statuses that are about the target (RFC 9110 section 15.6), with those of the 59x range that residential networks use.
 * 403 and 451 are the operator of the exit not wanting to connect there.
 */
const TARGET_STATUSES: Readonly<Record<number, FailureKind>> = {
  403: 'refused',
  404: 'refused',
  451: 'refused',
  502: 'refused',
  503: 'refused',
  504: 'timeout',
  590: 'refused',
  593: 'refused',
  594: 'refused',
  595: 'reset',
  596: 'reset',
  599: 'refused',
};

/** The replies of RFC 1928 section 6 that are about the target, as the socks library words them. */
const TARGET_REPLIES: readonly (readonly [RegExp, FailureKind])[] = [
  [/ - (NotAllowed|NetworkUnreachable|HostUnreachable|ConnectionRefused|AddressNotSupported)$/, 'refused'],
  [/ - TTLExpired$/, 'timeout'],
];

/** Asks the proxy on the other end of the socket for a tunnel; the caller holds the deadline. */
export type AskForTunnel = (socket: Socket, exit: ExitUrl, target: ExitTarget, timeoutMs: number) => Promise<void>;

/** Asks an HTTP proxy on the other end of the socket for a tunnel (RFC 9110 section 9.3.6). */
export const tunnelByConnect: AskForTunnel = async (socket, exit, target) => {
  const authority = `${target.address.includes(':') ? `[${target.address}]` : target.address}:${target.port}`;
  const { credentials } = exit;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  if (credentials !== undefined) {
    const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
    lines.push(`Proxy-Authorization: Basic ${pair}`);
  }
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const status = statusOf(await readHead(socket));
  if (status === undefined) throw failed('exit', 'answered nonsense');
  if (status >= 200 && status < 300) return;
  if (status === 407) throw failed('exit', 'refused the credentials (http 407)');
  const kind = TARGET_STATUSES[status];
  if (kind === undefined) throw failed('exit', `refused the connection (http ${status})`);
  throw failed(kind, `could not connect to the site (http ${status})`);
};

/** Reads up to the end of the head; what came after it goes back to the socket, which is left paused. */
export function readHead(socket: Socket): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let head = Buffer.alloc(0);
  const onData = (chunk: Buffer) => {
    const from = Math.max(0, head.length - HEAD_END.length);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(HEAD_END, from);
    if (end < 0 && head.length <= MAX_HEAD_BYTES) return;
    socket.off('data', onData).pause();
    if (end < 0) return reject(failed('exit', 'answered nonsense'));
    const rest = head.subarray(end + HEAD_END.length);
    if (rest.length > 0) socket.unshift(rest);
    resolve(head.subarray(0, end));
  };
  // Some proxies close without a word when the target refuses them; words cut short are the exit's own failure.
  const onGone = () => {
    reject(
      head.length === 0
        ? failed('reset', 'closed the connection before the site was reached')
        : failed('exit', 'answered nonsense'),
    );
  };
  socket.on('data', onData).once('end', onGone).once('close', onGone);
  return promise.finally(() => socket.off('end', onGone).off('close', onGone));
}

export function statusOf(head: Buffer): number | undefined {
  const match = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |\r|$)/.exec(head.toString('latin1'));
  return match === null ? undefined : Number(match[1]);
}

/** Asks a SOCKS5 proxy on the other end of the socket for a tunnel (RFC 1928, credentials by RFC 1929). */
export const tunnelBySocks: AskForTunnel = async (socket, exit, target, timeoutMs) => {
  const { credentials } = exit;
  const bytesOfHandshake = credentials === undefined ? 2 : 4;
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
      // The library never clears this timer, which holds on to the socket: no longer than needed.
      timeout: timeoutMs,
    });
    // The library sets the socket flowing one turn later; whoever takes it over shall miss nothing.
    await nextTurn();
    socket.pause();
  } catch (error) {
    // The library's errors carry the options, credentials included: their words are read and nothing is passed on.
    throw socksFailure(error, socket.bytesRead >= bytesOfHandshake);
  }
};

function socksFailure(error: unknown, isHandshakeDone: boolean): FetchFailed {
  const message = error instanceof Error ? error.message : '';
  const kind = TARGET_REPLIES.find(([pattern]) => pattern.test(message))?.[1];
  if (kind !== undefined) return failed(kind, 'could not connect to the site');
  if (/authentication/i.test(message)) return failed('exit', 'refused the credentials');
  if (message === 'Socket closed' && isHandshakeDone)
    return failed('reset', 'closed the connection before the site was reached');
  return failed('exit', 'answered nonsense');
}

const failed = (kind: FailureKind, what: string): FetchFailed => new FetchFailed(kind, { detail: `the exit ${what}` });

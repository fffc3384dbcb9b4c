import type { Socket } from 'node:net';
import { type FailureKind, FetchFailed } from '../errors/errors.ts';
import type { TunnelHandshake } from './tunnel.ts';

/** Maximum size of the response to CONNECT: a status line and few headers. */
const MAX_HEAD_BYTES = 16 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Statuses that report a failure of the target (RFC 9110 section 15.6), including the 59x codes of residential networks. With
 * 403 and 451 the operator of the exit refuses the target.
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

/** Requests a tunnel from an HTTP proxy (RFC 9110 section 9.3.6). */
export const connectHandshake: TunnelHandshake = async (socket, exit, target) => {
  const authority = `${target.address.includes(':') ? `[${target.address}]` : target.address}:${target.port}`;
  const { credentials } = exit;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  if (credentials !== undefined) {
    const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
    lines.push(`Proxy-Authorization: Basic ${pair}`);
  }
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const status = statusOf(await readHead(socket));
  if (status === undefined) throw failed('exit', 'sent an invalid response');
  if (status >= 200 && status < 300) return;
  if (status === 407) throw failed('exit', 'refused the credentials (http 407)');
  const kind = TARGET_STATUSES[status];
  if (kind === undefined) throw failed('exit', `refused the connection (http ${status})`);
  throw failed(kind, `could not connect to the site (http ${status})`);
};

/** Reads the head of a response. Returns later bytes to the socket and leaves it paused. */
export function readHead(socket: Socket): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let head = Buffer.alloc(0);
  const onData = (chunk: Buffer) => {
    const from = Math.max(0, head.length - HEAD_END.length);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(HEAD_END, from);
    if (end < 0 && head.length <= MAX_HEAD_BYTES) return;
    socket.off('data', onData).pause();
    if (end < 0) return reject(failed('exit', 'sent an invalid response'));
    const rest = head.subarray(end + HEAD_END.length);
    if (rest.length > 0) socket.unshift(rest);
    resolve(head.subarray(0, end));
  };
  // Some proxies close without a response if the target refuses; a truncated response is the exit's own failure.
  const onClosed = () => {
    reject(
      head.length === 0
        ? failed('reset', 'closed the connection before the site was reached')
        : failed('exit', 'sent an invalid response'),
    );
  };
  socket.on('data', onData).once('end', onClosed).once('close', onClosed);
  return promise.finally(() => socket.off('end', onClosed).off('close', onClosed));
}

export function statusOf(head: Buffer): number | undefined {
  const match = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |\r|$)/.exec(head.toString('latin1'));
  return match === null ? undefined : Number(match[1]);
}

const failed = (kind: FailureKind, what: string): FetchFailed => new FetchFailed(kind, { detail: `the exit ${what}` });

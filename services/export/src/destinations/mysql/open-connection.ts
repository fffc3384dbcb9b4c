import { isIP, type Socket } from 'node:net';
import type { DialTcp } from '@tidemark/egress';
import { EgressRefused, FetchFailed, tlsFailureMessage } from '@tidemark/egress';
import mysql, { type Connection } from 'mysql2/promise';
import { DestinationError } from '../driver.ts';

export interface MysqlSettings {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** `verify`: TLS with a valid certificate. `off`: no TLS, for allow-listed hosts only. */
  readonly tls: 'verify' | 'off';
  /** PEM certificates to trust beside the system's; empty: none. */
  readonly ca: string;
}

const CONNECT_MS = 10_000;
const LOCK_SECONDS = 5;

/** Statements that fix what the user's server may have set otherwise. Strict mode: a value that does not fit is an error. */
const SESSION = [
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO'",
  "SET SESSION time_zone = '+00:00'",
  `SET SESSION innodb_lock_wait_timeout = ${LOCK_SECONDS}, SESSION lock_wait_timeout = ${LOCK_SECONDS}`,
];

/** Connects to the server through the egress guard. @throws EgressRefused, FetchFailed */
export function dialServer({ host, port }: MysqlSettings, dialTcp: DialTcp, signal: AbortSignal): Promise<Socket> {
  return dialTcp({ host, port }, { timeoutMs: CONNECT_MS, signal });
}

/** Signs in over a connected socket. The driver never resolves a name. @throws DestinationError */
export async function signIn(settings: MysqlSettings, socket: Socket, signal: AbortSignal): Promise<Connection> {
  const { host, port, database, user, password, tls, ca } = settings;
  try {
    const connection = await mysql.createConnection({
      host: verifiedName(host),
      port,
      database,
      user,
      password,
      stream: () => socket,
      ...(tls === 'off' ? {} : { ssl: { verifyIdentity: true, ...(ca === '' ? {} : { ca }) } }),

      connectTimeout: CONNECT_MS,
      charset: 'utf8mb4_bin',
      timezone: 'Z',
      supportBigNumbers: true,
    });
    // `connection.destroy` only ends the socket, and leaves the statement in progress without a response.
    signal.addEventListener('abort', () => socket.destroy(new Error('the connection was aborted')), { once: true });
    // A connection that breaks between two statements emits an error; the next statement reports it.
    connection.on('error', () => undefined);
    for (const statement of SESSION) await connection.query(statement);
    return connection;
  } catch (error) {
    socket.destroy();
    throw asDestinationError(error);
  }
}

/**
 * Returns the name that the driver compares with the certificate; it opens no connection by it. Without the dot the driver verifies an IP
 * address as `localhost`; node removes the dot and compares the address.
 */
const verifiedName = (host: string): string => (isIP(host) === 0 ? host : `${host}.`);

/** Server error numbers (MariaDB and MySQL error reference): sign-in, rights, an unknown database. */
const REFUSED = new Set([1044, 1045, 1049, 1130, 1142, 1143, 1227, 1251, 1396, 1698]);
/** Lock timeouts, deadlocks, interrupted statements, and a full disk or memory, which have SQLSTATE HY000 or 40001. */
const TEMPORARY = new Set([1021, 1026, 1030, 1037, 1038, 1040, 1041, 1114, 1205, 1206, 1213, 1317, 1969, 3024]);
const INVALID_STATE = /^(21|22|23|42|HY)/;

/** Returns why TLS is refused. The driver replaces the code of a failed handshake by its own and keeps the message of OpenSSL. */
function tlsFailureOf(error: Error): string | undefined {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT')
    return 'the server does not support TLS; expected TLS, or tls off in the connection';
  if (code !== 'HANDSHAKE_SSL_ERROR') return tlsFailureMessage(code);
  if (/altnames/.test(error.message)) return tlsFailureMessage('ERR_TLS_CERT_ALTNAME_INVALID');
  if (/unable to|unknown ca/i.test(error.message)) return tlsFailureMessage('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  const isRefused = /certificate|SSL routines/i.test(error.message);
  return isRefused ? `no secure connection could be made: ${error.message}` : undefined;
}

/** Converts an error of the driver. Messages of the server contain no password. */
export function asDestinationError(error: unknown): unknown {
  if (error instanceof DestinationError || error instanceof EgressRefused || error instanceof FetchFailed) return error;
  if (!(error instanceof Error)) return new DestinationError('temporary', String(error));
  const tlsFailure = tlsFailureOf(error);
  if (tlsFailure !== undefined) return new DestinationError('refused', tlsFailure, error);
  const errno = 'errno' in error && typeof error.errno === 'number' ? error.errno : 0;
  const state = 'sqlState' in error && typeof error.sqlState === 'string' ? error.sqlState : '';
  if (REFUSED.has(errno)) return new DestinationError('refused', error.message, error);
  const isInvalid = errno >= 1_000 && !TEMPORARY.has(errno) && INVALID_STATE.test(state);
  return new DestinationError(isInvalid ? 'invalid' : 'temporary', error.message, error);
}

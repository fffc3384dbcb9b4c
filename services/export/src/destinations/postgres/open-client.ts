import type { Socket } from 'node:net';
import type { DialTcp } from '@tidemark/egress';
import { EgressRefused, FetchFailed, tlsFailureMessage } from '@tidemark/egress';
import pg from 'pg';
import { DestinationError } from '../driver.ts';

export interface PostgresSettings {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** Schema of the tables. */
  readonly schema: string;
  readonly user: string;
  readonly password: string;
  /** `verify`: TLS with a valid certificate. `off`: no TLS, for allow-listed hosts only. */
  readonly tls: 'verify' | 'off';
  /** PEM certificates to trust beside the system's; empty: none. */
  readonly ca: string;
  /** Time limit of the connection and of the sign-in, ms each; default 10,000. */
  readonly connectMs?: number;
}

const CONNECT_MS = 10_000;
const STATEMENT_MS = 600_000;
const LOCK_MS = 5_000;

/** Opens a connection through the egress guard. The driver never resolves a name. @throws DestinationError, EgressRefused, FetchFailed */
export async function openClient(
  settings: PostgresSettings,
  dialTcp: DialTcp,
  signal: AbortSignal,
): Promise<pg.Client> {
  return signIn(settings, await dialServer(settings, dialTcp, signal));
}

/** Connects to the server. @throws EgressRefused, FetchFailed */
export function dialServer(
  { host, port, connectMs = CONNECT_MS }: Pick<PostgresSettings, 'host' | 'port' | 'connectMs'>,
  dialTcp: DialTcp,
  signal: AbortSignal,
): Promise<Socket> {
  return dialTcp({ host, port }, { timeoutMs: connectMs, signal });
}

/** Signs in over a connected socket. @throws DestinationError */
export async function signIn(settings: PostgresSettings, socket: Socket): Promise<pg.Client> {
  const { host, port, database, user, password, tls, ca } = settings;
  const client = new pg.Client({
    host,
    port,
    database,
    user,
    password,
    stream: () => alreadyConnected(socket),
    ssl: tls === 'off' ? false : { servername: host, ...(ca === '' ? {} : { ca }) },
    connectionTimeoutMillis: settings.connectMs ?? CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    application_name: 'tidemark',
  });
  // A connection that breaks between two statements emits an error; the next statement reports it.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    socket.destroy();
    throw asDestinationError(error);
  }
  return client;
}

/** pg calls `connect` on the stream that it is given; this one is connected already. */
function alreadyConnected(socket: Socket): Socket {
  return Object.assign(socket, {
    connect: () => {
      queueMicrotask(() => socket.emit('connect'));
      return socket;
    },
  });
}

/** SQLSTATE classes and codes (PostgreSQL documentation, appendix A). */
const REFUSED = /^(28|42501|3D000)/;
const INVALID = /^(22|23|42|0A|2BP01)/;

/** Message of pg where the server declines TLS. */
const NO_TLS = 'The server does not support SSL connections';

/** Converts an error of the driver. Messages of the server contain no password. */
export function asDestinationError(error: unknown): unknown {
  if (error instanceof DestinationError || error instanceof EgressRefused || error instanceof FetchFailed) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  if (message === NO_TLS)
    return new DestinationError(
      'refused',
      'the server does not support TLS; expected TLS, or tls off in the connection',
    );
  const tlsFailure = tlsFailureMessage(code);
  if (tlsFailure !== undefined) return new DestinationError('refused', tlsFailure, error);
  const where = error instanceof pg.DatabaseError && error.where !== undefined ? ` (${error.where.slice(0, 300)})` : '';
  const kind = REFUSED.test(code) ? 'refused' : INVALID.test(code) ? 'invalid' : 'temporary';
  return new DestinationError(kind, `${message}${where}`, error);
}

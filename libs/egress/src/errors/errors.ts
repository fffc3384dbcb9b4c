import { isNativeError } from 'node:util/types';
import { tlsFailureMessage } from './tls-failure-messages.ts';

/** Why a fetch got no response. The values are stable: stored with the page and shown to customers. */
export type FailureKind =
  | 'timeout'
  | 'dns'
  | 'refused'
  | 'reset'
  | 'tls'
  | 'protocol'
  | 'too_large'
  | 'too_many_redirects'
  | 'redirect_loop'
  | 'egress'
  | 'exit';

// Fixed messages: texts of sockets and resolvers would disclose which internal ports are open (threat S1).
const MESSAGES: Readonly<Record<FailureKind, string>> = {
  timeout: 'the site did not respond in time',
  dns: 'the host name could not be resolved',
  refused: 'the site could not be reached',
  reset: 'the connection was closed before the response was complete',
  tls: 'no secure connection could be made: the certificate or the TLS handshake is not acceptable',
  protocol: 'the exchange did not follow HTTP',
  too_large: 'the body is larger than the limit',
  too_many_redirects: 'too many redirects',
  redirect_loop: 'the redirects lead back to an address already visited',
  egress: 'the address is not on the public web and is not fetched',
  exit: 'the exit could not be used',
};

/**
 * The egress guard refused the destination. `reason` names the rule, for logs and validation errors; it does not depend on
 * whether a server listens at the address.
 */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
  readonly code = 'ERR_EGRESS_REFUSED';
  readonly reason: string;

  constructor(reason: string) {
    super(`egress refused: ${reason}`);
    this.reason = reason;
  }
}

/** A fetch without a response. `message` may be shown to customers; `cause` is for the log. */
export class FetchFailed extends Error {
  override readonly name: string = 'FetchFailed';
  readonly code = 'ERR_FETCH_FAILED';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, options: { detail?: string; cause?: unknown } = {}) {
    super(options.detail ?? MESSAGES[kind], 'cause' in options ? { cause: options.cause } : undefined);
    this.kind = kind;
  }
}

/** The decoded body exceeds `maxBodyBytes`, or 100 times its size on the wire. */
export class BodyTooLarge extends FetchFailed {
  override readonly name = 'BodyTooLarge';

  constructor(detail?: string) {
    super('too_large', detail === undefined ? {} : { detail });
  }
}

const KIND_OF_CODE: readonly (readonly [RegExp, FailureKind])[] = [
  [/^ERR_TOO_MANY_REDIRECTS$/, 'too_many_redirects'],
  [/^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT)$/, 'timeout'],
  [/^(ENOTFOUND|EAI_.*|ENODATA|ESERVFAIL|EBADNAME|EREFUSED)$/, 'dns'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM|EINVAL)$/, 'refused'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_(SOCKET|DESTROYED|CLOSED|ABORTED|INFO))$/, 'reset'],
  [/^ERR_HTTP2_(STREAM_ERROR|STREAM_CANCEL|SESSION_ERROR|GOAWAY_SESSION|INVALID_SESSION|INVALID_STREAM)$/, 'reset'],
  [/^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/, 'tls'],
  [/^(INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERROR_IN_CERT)/, 'tls'],
  [
    /^(HPE_|UND_ERR_|Z_|ERR_BROTLI|ERR__ERROR_FORMAT|ERR_ZLIB|ZSTD_|ERR_HTTP|ERR_INVALID_|ERR_UNSUPPORTED_PROTOCOL)/,
    'protocol',
  ],
];

/**
 * Converts an error of undici, got or a node socket to a FetchFailed. An error without a known code is an internal failure
 * and is returned unchanged.
 */
export function toFetchFailed(error: unknown): Error {
  if (error instanceof FetchFailed) return error;
  if (error instanceof EgressRefused) return new FetchFailed('egress', { cause: error });
  if (!isNativeError(error)) return asError(error);
  if (error.cause instanceof EgressRefused || error.cause instanceof FetchFailed) return toFetchFailed(error.cause);
  // AggregateError: node tried several addresses or protocols; the first failure is reported.
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0)
    return toFetchFailed(error.errors[0]);
  const kind = kindOf(error);
  if (kind === undefined) return error;
  const detail = kind === 'tls' ? tlsFailureMessage(codeOf(error) ?? '') : undefined;
  return new FetchFailed(kind, { cause: error, ...(detail === undefined ? {} : { detail }) });
}

/** Returns the string `code` of an error of node or a library; undefined for other values. */
export function codeOf(error: unknown): string | undefined {
  if (!isNativeError(error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns a thrown error unchanged; wraps any other thrown value as the cause of one. */
export function asError(thrown: unknown): Error {
  return isNativeError(thrown) ? thrown : new Error('a value that is not an error was thrown', { cause: thrown });
}

function kindOf(error: Error): FailureKind | undefined {
  // Some parser errors of undici have no code.
  if (error.name === 'HTTPParserError') return 'protocol';
  const code = codeOf(error);
  if (code === undefined) return undefined;
  // undici uses one code for a closed socket and for an unsolicited response.
  if (code === 'UND_ERR_SOCKET' && error.message.startsWith('bad ')) return 'protocol';
  return KIND_OF_CODE.find(([pattern]) => pattern.test(code))?.[1];
}

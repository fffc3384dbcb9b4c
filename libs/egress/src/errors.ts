import { isNativeError } from 'node:util/types';
import { tlsSentence } from './tls-sentences.ts';

/** Why a fetch gave no answer; stable, stored with the page and shown to customers. */
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

// Fixed sentences: text from sockets and resolvers would tell a caller which internal ports are open (threat S1).
const SENTENCES: Readonly<Record<FailureKind, string>> = {
  timeout: 'the site did not answer in time',
  dns: 'the host name could not be resolved',
  refused: 'the site could not be reached',
  reset: 'the connection was closed before the answer was complete',
  tls: 'no secure connection could be made: the certificate or the TLS handshake is not acceptable',
  protocol: 'the exchange did not follow HTTP',
  too_large: 'the body is larger than the limit',
  too_many_redirects: 'too many redirects',
  redirect_loop: 'the redirects lead back to an address already visited',
  egress: 'the address is not on the public web and is not fetched',
  exit: 'the exit could not be used',
};

/**
 * The guard will not connect there. `reason` names the rule, for logs and for refusing a customer's own input;
 * it never depends on whether anything listens at the address.
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

/** A fetch without an answer. `message` is safe to show anyone; `cause` is for the log. */
export class FetchFailed extends Error {
  override readonly name: string = 'FetchFailed';
  readonly code = 'ERR_FETCH_FAILED';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, options: { detail?: string; cause?: unknown } = {}) {
    super(options.detail ?? SENTENCES[kind], 'cause' in options ? { cause: options.cause } : undefined);
    this.kind = kind;
  }
}

/** The decoded body passed `maxBodyBytes`, or grew past 100 times its size on the wire. */
export class BodyTooLarge extends FetchFailed {
  override readonly name = 'BodyTooLarge';

  constructor(detail?: string) {
    super('too_large', detail === undefined ? {} : { detail });
  }
}

const KIND_OF_CODE: readonly (readonly [RegExp, FailureKind])[] = [
  [/^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT)$/, 'timeout'],
  [/^(ENOTFOUND|EAI_.*|ENODATA|ESERVFAIL|EBADNAME|EREFUSED)$/, 'dns'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM|EINVAL)$/, 'refused'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_(SOCKET|DESTROYED|CLOSED|ABORTED|INFO))$/, 'reset'],
  [/^ERR_HTTP2_(STREAM_ERROR|STREAM_CANCEL|SESSION_ERROR|GOAWAY_SESSION|INVALID_SESSION|INVALID_STREAM)$/, 'reset'],
  [/^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/, 'tls'],
  [/^(INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERROR_IN_CERT)/, 'tls'],
  [/^(HPE_|UND_ERR_|Z_|ERR_BROTLI|ERR__ERROR_FORMAT|ERR_ZLIB|ZSTD_|ERR_HTTP|ERR_INVALID_)/, 'protocol'],
];

/**
 * Turns what undici, got or a node socket threw into a FetchFailed. An error that carries no known code is one of
 * our own failures and comes back unchanged.
 */
export function toFetchFailed(error: unknown): Error {
  if (error instanceof FetchFailed) return error;
  if (error instanceof EgressRefused) return new FetchFailed('egress', { cause: error });
  if (!isNativeError(error)) return asError(error);
  if (error.cause instanceof EgressRefused || error.cause instanceof FetchFailed) return toFetchFailed(error.cause);
  // AggregateError: node tried several addresses or protocols, and the first failure stands for all.
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0)
    return toFetchFailed(error.errors[0]);
  const kind = kindOf(error);
  if (kind === undefined) return error;
  const detail = kind === 'tls' ? tlsSentence(codeOf(error) ?? '') : undefined;
  return new FetchFailed(kind, { cause: error, ...(detail === undefined ? {} : { detail }) });
}

/** The string `code` of an error of node or a library; undefined for anything else. */
export function codeOf(error: unknown): string | undefined {
  if (!isNativeError(error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** What was thrown, as an error; something else thrown becomes the cause of one. */
export function asError(thrown: unknown): Error {
  return isNativeError(thrown) ? thrown : new Error('something other than an error was thrown', { cause: thrown });
}

function kindOf(error: Error): FailureKind | undefined {
  // undici leaves some parser errors without a code.
  if (error.name === 'HTTPParserError') return 'protocol';
  const code = codeOf(error);
  if (code === undefined) return undefined;
  // undici uses one code both for a closed socket and for an answer nobody asked for.
  if (code === 'UND_ERR_SOCKET' && error.message.startsWith('bad ')) return 'protocol';
  return KIND_OF_CODE.find(([pattern]) => pattern.test(code))?.[1];
}

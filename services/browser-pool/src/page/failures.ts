/** Why a page could not be read, as in RenderResponse. `exit`: the exit of the lease could not be used. */
export type Failure =
  | 'timeout'
  | 'dns'
  | 'refused'
  | 'reset'
  | 'tls'
  | 'protocol'
  | 'too_large'
  | 'egress'
  | 'exit'
  | 'crashed';

/** Network errors of Chromium (net_error_list.h); the first match applies. */
const KINDS: readonly (readonly [RegExp, Failure])[] = [
  [/ERR_NAME_/, 'dns'],
  [/ERR_(CERT_|SSL_|BAD_SSL|ECH_|CT_)/, 'tls'],
  [/ERR_(\w+_)?TIMED_OUT/, 'timeout'],
  [
    /ERR_(CONNECTION_(RESET|CLOSED|ABORTED)|EMPTY_RESPONSE|CONTENT_LENGTH_MISMATCH|INCOMPLETE_|NETWORK_CHANGED)/,
    'reset',
  ],
  [/ERR_(CONNECTION_|ADDRESS_|INTERNET_|NETWORK_|PROXY_|SOCKS_|TUNNEL_)/, 'refused'],
  [/ERR_(UNSAFE_PORT|DISALLOWED_|UNKNOWN_URL_SCHEME|INVALID_URL|BLOCKED_|FILE_|ACCESS_DENIED)/, 'egress'],
  [/ERR_(FILE_)?(TOO_BIG|MSG_TOO_BIG)/, 'too_large'],
];

/** Maps a network error of Chromium; `protocol` for any other error. */
export function failureOf(error: string): Failure {
  return KINDS.find(([pattern]) => pattern.test(error))?.[1] ?? 'protocol';
}

/** Error of a navigation without a document: a download, an empty response, or one replaced by another navigation. */
export const ABORTED = 'net::ERR_ABORTED';

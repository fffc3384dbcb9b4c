import { type FailureKind, FetchFailed } from '../errors/errors.ts';

/** The Proxy-Status error types (RFC 9209 section 2.3) that state a kind of failure. */
const ERROR_TYPES: Readonly<Partial<Record<FailureKind, string>>> = {
  egress: 'destination_ip_prohibited',
  dns: 'dns_error',
  timeout: 'connection_timeout',
  refused: 'connection_refused',
  reset: 'connection_terminated',
  // The next hop is the exit.
  exit: 'destination_unavailable',
};
const KINDS: ReadonlyMap<string, FailureKind> = new Map(
  Object.entries(ERROR_TYPES).flatMap(([kind, type]) => (isKind(kind) ? [[type, kind] as const] : [])),
);
const FIELD = /^[\w.-]+; *error=([a-z_]+)(?:; *details="((?:[ !#-[\]-~]|\\["\\])*)")?$/;

/** Returns the value of a Proxy-Status header that states why a proxy could not connect. */
export function formatProxyStatus(proxy: string, failure: FetchFailed): string {
  const details = failure.message.replace(/[^ -~]/g, '?').replace(/["\\]/g, '\\$&');
  return `${proxy}; error=${ERROR_TYPES[failure.kind] ?? 'proxy_internal_error'}; details="${details}"`;
}

/** Parses a value written by `formatProxyStatus`; undefined for any other value. */
export function parseProxyStatus(value: string): FetchFailed | undefined {
  const [, type = '', details] = FIELD.exec(value) ?? [];
  const kind = KINDS.get(type);
  if (kind === undefined) return undefined;
  return new FetchFailed(kind, details === undefined ? {} : { detail: details.replace(/\\(["\\])/g, '$1') });
}

function isKind(text: string): text is FailureKind {
  return Object.hasOwn(ERROR_TYPES, text);
}

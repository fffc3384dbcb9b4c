export { type DialTcp, type DialTcpOptions, makeDialTcp, type TcpTarget } from './connections/dial-tcp.ts';
export { BodyTooLarge, EgressRefused, type FailureKind, FetchFailed, toFetchFailed } from './errors/errors.ts';
export { tlsFailureMessage } from './errors/tls-failure-messages.ts';
export { EXIT_BYTES_HEADER, type GuardedProxy, GuardedProxyUnreachable } from './exits/guarded-proxy.ts';
export { type DialConfigured, makeDialConfigured, openProxied } from './exits/open-proxied.ts';
export { dialThroughExit, openTunnel } from './exits/open-tunnel.ts';
export { formatProxyStatus } from './exits/proxy-status.ts';
export type { ExitDialOptions, ExitTarget, Tunnel } from './exits/tunnel.ts';
export { createDialledHttpClient, type DialledClientOptions } from './http/dialled-client.ts';
export type { ResponseHeaders } from './http/exchange.ts';
export { createGot, type Got, type GotClientOptions } from './http/got-client.ts';
export {
  type CookieJar,
  createHttpClient,
  type FetchOptions,
  type HttpClient,
  type HttpClientOptions,
  type HttpResponse,
  type RedirectHop,
} from './http/http-client.ts';
export { RESERVED_HEADERS } from './http/request-headers.ts';
export { type AddressVerdict, classifyAddress } from './policy/address-policy.ts';
export { type AllowList, parseAllowList } from './policy/allow-list.ts';
export { type AdmittedAddress, createGuard, type EgressGuard, type GuardOptions } from './policy/guard.ts';
export { checkingGuardFromConfig, type EgressConfig, guardFromConfig } from './policy/guard-from-config.ts';
export { type OutboundProxy, type OutboundProxyConfig, outboundProxyOf } from './policy/outbound-proxy.ts';
export { makeRequirePublicUrl, type RequirePublicUrl } from './policy/require-public-url.ts';
export type { Resolve, ResolvedAddress } from './policy/resolver.ts';
export { MOBILE_USER_AGENT, ROBOTS_TOKEN, USER_AGENT } from './user-agent.ts';

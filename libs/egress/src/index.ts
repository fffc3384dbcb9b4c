export { type AddressVerdict, classifyAddress } from './address-policy.ts';
export { makeAdmitUrl } from './admit-url.ts';
export { type AllowList, parseAllowList } from './allow-list.ts';
export { BodyTooLarge, EgressRefused, type FailureKind, FetchFailed, toFetchFailed } from './errors.ts';
export type { ResponseHeaders } from './exchange.ts';
export { dialThroughExit, type ExitDialOptions, type ExitTarget, openTunnel, type Tunnel } from './exit-dialer.ts';
export { createGot, type GotClientOptions } from './got-client.ts';
export { createGuard, type EgressGuard, type GuardOptions } from './guard.ts';
export { EXIT_BYTES_HEADER, type GuardedProxy, GuardedProxyUnreachable } from './guarded-proxy.ts';
export {
  type CookieJar,
  createHttpClient,
  type FetchOptions,
  type HttpAnswer,
  type HttpClient,
  type HttpClientOptions,
  type RedirectHop,
} from './http-client.ts';
export { formatProxyStatus } from './proxy-status.ts';
export type { Resolve, ResolvedAddress } from './resolver.ts';
export { MOBILE_USER_AGENT, ROBOTS_TOKEN, USER_AGENT } from './user-agent.ts';

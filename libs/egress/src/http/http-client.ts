import { ConnectionPool, type PoolOptions } from '../connections/connection-pool.ts';
import type { ExitRoute } from '../connections/connector.ts';
import { EgressRefused, FetchFailed, toFetchFailed } from '../errors/errors.ts';
import type { EgressGuard } from '../policy/guard.ts';
import { exchange, type ResponseHeaders, type WireRequest, type WireResponse } from './exchange.ts';
import { PausableTimer } from './pausable-timer.ts';
import { type Hop, locationOf, nextHop } from './redirects.ts';
import { validateHeaders } from './request-headers.ts';

/** Cookies of one job. A jar may reject any cookie. */
export interface CookieJar {
  /** Returns the Cookie header for a request to the URL; undefined for none. */
  header(url: string): string | undefined;
  /** Stores the Set-Cookie headers of a response from the URL. */
  store(url: string, setCookie: readonly string[]): void;
}

/** One redirect, reported before it is followed. */
export interface RedirectHop {
  readonly from: string;
  readonly status: number;
  readonly to: string;
}

export interface FetchOptions {
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Aborts the fetch, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Deadline of the whole fetch: DNS, connecting, redirects and body. Default 60,000. */
  readonly timeoutMs?: number;
  /** Decoded bytes; default 20 MiB. */
  readonly maxBodyBytes?: number;
  /** Default 10; with 0 a redirect is returned as the response. */
  readonly maxRedirects?: number;
  readonly onHop?: (hop: RedirectHop) => void;
  readonly cookies?: CookieJar;
  /**
   * Called once if the body of a response is large. The rest of it is received after it resolves, and the fetch fails with
   * its error. The wait does not count towards `timeoutMs`.
   */
  readonly admitLarge?: () => Promise<void>;
  /** The exit to use: its URL (http://, https:// or socks5://, credentials included), or a guarded proxy. */
  readonly exit?: ExitRoute;
}

export interface HttpResponse {
  readonly status: number;
  /** Reason phrase; empty over HTTP/2. */
  readonly statusText: string;
  /** Headers of the last request, without those of framing and routing. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Lower-case names; a repeated header is an array. */
  readonly headers: ResponseHeaders;
  /** Decoded. */
  readonly body: Buffer;
  /** Bytes of the last body as transferred. */
  readonly bytesOnWire: number;
  readonly landedUrl: string;
  /** URLs that redirected, in order; empty if the first one responded. */
  readonly redirects: readonly string[];
  /** Whether the compressed body stopped before its end; `body` then holds the decodable part. */
  readonly truncated: boolean;
  /** Bytes through the exit, both directions, redirects, tunnels and handshakes included; 0 without an exit. */
  readonly exitBytes: number;
  /** Time from the last request on an open connection to the head of its response, ms. */
  readonly latencyMs: number;
  /** Of the last exchange. */
  readonly httpVersion: '1.1' | '2';
}

export interface HttpClient {
  /** Rejects with FetchFailed if there is no response. Resolves for every status. */
  fetch(url: string | URL, options?: FetchOptions): Promise<HttpResponse>;
  /** Closes every connection; pending fetches fail. */
  close(): Promise<void>;
}

export interface HttpClientOptions extends PoolOptions {
  /** Default headers of every request, such as user-agent and accept-language. */
  readonly headers?: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 60_000;
const MAX_BODY_BYTES = 20 * 1024 * 1024;
const MAX_REDIRECTS = 10;
const DEFAULT_HEADERS = { accept: '*/*', 'accept-encoding': 'gzip, deflate, br, zstd' };

/** Creates an HTTP client that passes every connection, redirects included, through the guard. */
export function createHttpClient(guard: EgressGuard, options: HttpClientOptions = {}): HttpClient {
  const pool = new ConnectionPool(guard, options);
  const defaults = validateHeaders({ ...DEFAULT_HEADERS, ...lowerCased(options.headers ?? {}) });
  return {
    fetch: (url, fetchOptions = {}) => fetchWithin(pool, defaults, url, fetchOptions),
    close: () => pool.close(),
  };
}

/** Applies the deadline and the caller's signal to a whole fetch. */
async function fetchWithin(
  pool: ConnectionPool,
  defaults: Readonly<Record<string, string>>,
  url: string | URL,
  options: FetchOptions,
): Promise<HttpResponse> {
  const stop = new AbortController();
  const deadline = new PausableTimer(() => stop.abort(new FetchFailed('timeout')), options.timeoutMs ?? TIMEOUT_MS);
  const { admitLarge } = options;
  const paused = admitLarge === undefined ? {} : { admitLarge: () => deadline.pauseDuring(admitLarge) };
  const onCallerAbort = () => stop.abort(options.signal?.reason);
  options.signal?.addEventListener('abort', onCallerAbort);
  if (options.signal?.aborted === true) onCallerAbort();
  try {
    const first: Hop = {
      url: parseTarget(url),
      method: (options.method ?? 'GET').toUpperCase(),
      headers: { ...defaults, ...validateHeaders(options.headers ?? {}) },
      body: options.body,
    };
    return await followRedirects(pool, first, { ...options, ...paused }, stop.signal);
  } catch (error) {
    throw stop.signal.aborted && error === stop.signal.reason ? error : toFetchFailed(error);
  } finally {
    deadline.clear();
    options.signal?.removeEventListener('abort', onCallerAbort);
  }
}

async function followRedirects(
  pool: ConnectionPool,
  first: Hop,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const maxRedirects = options.maxRedirects ?? MAX_REDIRECTS;
  const visited = new Set<string>();
  const redirects: string[] = [];
  let exitBytes = 0;
  let hop = first;
  for (;;) {
    const { cookie, ...headers } = withCookies(hop, options.cookies);
    const sent = cookie === undefined ? headers : { ...headers, cookie };
    // A site may redirect to the same URL after setting a cookie; the same URL with the same cookies is a loop.
    const visit = `${hop.method} ${hop.url.href} ${cookie ?? ''}`;
    if (visited.has(visit)) throw new FetchFailed('redirect_loop');
    visited.add(visit);
    const response = await send(pool, { ...hop, headers: sent }, options, signal);
    storeCookies(hop.url, response.headers, options.cookies);
    const location = maxRedirects === 0 ? undefined : locationOf(response.status, response.headers);
    exitBytes += response.exitBytes;
    if (location === undefined)
      return { ...response, requestHeaders: sent, exitBytes, landedUrl: hop.url.href, redirects };
    if (redirects.length >= maxRedirects) throw new FetchFailed('too_many_redirects');
    const next = nextHop(hop, response.status, location);
    redirects.push(hop.url.href);
    options.onHop?.({ from: hop.url.href, status: response.status, to: next.url.href });
    hop = next;
  }
}

interface SentResponse extends WireResponse {
  readonly exitBytes: number;
  readonly httpVersion: '1.1' | '2';
}

/** Sends one hop; retries once if a keep-alive connection was already closed by the server (RFC 9112 section 9.3.1). */
async function send(pool: ConnectionPool, hop: Hop, options: FetchOptions, signal: AbortSignal): Promise<SentResponse> {
  const followsRedirects = (options.maxRedirects ?? MAX_REDIRECTS) > 0;
  let hasResponse = false;
  const needsBody = (status: number, headers: ResponseHeaders) => {
    hasResponse = true;
    return !(followsRedirects && locationOf(status, headers) !== undefined);
  };
  const { admitLarge, maxBodyBytes = MAX_BODY_BYTES } = options;
  const request = { ...hop, maxBodyBytes, needsBody, admitLarge };
  const isSafe = hop.method === 'GET' || hop.method === 'HEAD';
  let exitBytes = 0;
  for (let attempt = 1; ; attempt += 1) {
    const sent = await sendOnce(pool, request, options.exit, signal);
    exitBytes += sent.exitBytes;
    if ('response' in sent) return { ...sent.response, exitBytes, httpVersion: sent.httpVersion };
    const { error, wasReused } = sent;
    const isStale = error instanceof FetchFailed && error.kind === 'reset' && wasReused && !hasResponse;
    if (!isStale || !isSafe || attempt === 2) throw error;
  }
}

type Sent = { readonly exitBytes: number } & (
  | { readonly response: WireResponse; readonly httpVersion: '1.1' | '2' }
  | { readonly error: unknown; readonly wasReused: boolean }
);

async function sendOnce(
  pool: ConnectionPool,
  request: WireRequest,
  exit: ExitRoute | undefined,
  signal: AbortSignal,
): Promise<Sent> {
  const transport = pool.acquire(request.url, exit);
  const connectsBefore = transport.connectCount();
  try {
    const response = await exchange(transport, request, signal);
    return { response, httpVersion: transport.httpVersion(), exitBytes: transport.release() };
  } catch (error) {
    const wasReused = connectsBefore > 0 && transport.connectCount() === connectsBefore;
    return { error, wasReused, exitBytes: transport.release() };
  }
}

function withCookies(hop: Hop, jar: CookieJar | undefined): Readonly<Record<string, string>> {
  const fromJar = jar?.header(hop.url.href);
  if (fromJar === undefined || fromJar === '') return hop.headers;
  const own = hop.headers['cookie'];
  return { ...hop.headers, ...validateHeaders({ cookie: own === undefined ? fromJar : `${own}; ${fromJar}` }) };
}

function storeCookies(url: URL, headers: ResponseHeaders, jar: CookieJar | undefined): void {
  const setCookie = headers['set-cookie'];
  if (jar !== undefined && setCookie !== undefined)
    jar.store(url.href, Array.isArray(setCookie) ? setCookie : [setCookie]);
}

function parseTarget(input: string | URL): URL {
  const url = URL.parse(String(input));
  if (url === null) throw new FetchFailed('protocol', { detail: 'the address is not a valid URL' });
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressRefused('only http and https URLs can be fetched');
  }
  if (url.username !== '' || url.password !== '') throw new EgressRefused('an address may not carry a user name');
  return url;
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

import { ConnectionPool, type PoolOptions } from './connection-pool.ts';
import type { ExitRoute } from './connector.ts';
import { EgressRefused, FetchFailed, toFetchFailed } from './errors.ts';
import { exchange, type ResponseHeaders, type WireAnswer, type WireRequest } from './exchange.ts';
import type { EgressGuard } from './guard.ts';
import { type Hop, locationOf, nextHop } from './redirects.ts';
import { checkedHeaders } from './request-headers.ts';

/** Cookies of one job; synchronous, and free to keep or drop what it likes. */
export interface CookieJar {
  /** The Cookie header for a request to the address, or undefined for none. */
  header(url: string): string | undefined;
  /** Takes the Set-Cookie headers of an answer from the address. */
  store(url: string, setCookie: readonly string[]): void;
}

/** One redirect, told before it is followed. */
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
  /** Stops the fetch; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Wall time for everything: DNS, connecting, redirects and the whole body. Default 60,000. */
  readonly timeoutMs?: number;
  /** Decoded bytes; default 20 MiB. */
  readonly maxBodyBytes?: number;
  /** Default 10; with 0 a redirect is returned as the answer. */
  readonly maxRedirects?: number;
  readonly onHop?: (hop: RedirectHop) => void;
  readonly cookies?: CookieJar;
  /** The exit to go through: its address (http://, https:// or socks5://, credentials included), or a guarded proxy. */
  readonly exit?: ExitRoute;
}

export interface HttpAnswer {
  readonly status: number;
  /** Lower-case names; a repeated header is an array. */
  readonly headers: ResponseHeaders;
  /** Content codings undone. */
  readonly body: Buffer;
  /** Bytes of the last body as transferred. */
  readonly bytesOnWire: number;
  readonly landedUrl: string;
  /** Every address left behind, in order; empty when the first one answered. */
  readonly redirects: readonly string[];
  /** The compressed body stopped before its own end; `body` holds what could be decoded. */
  readonly truncated: boolean;
  /** Bytes both ways through the exit, redirects, tunnels and handshakes included; 0 without an exit. */
  readonly exitBytes: number;
  /** Of the last exchange. */
  readonly httpVersion: '1.1' | '2';
}

export interface HttpClient {
  /** Rejects with FetchFailed when the web gave no answer; any status is an answer. */
  fetch(url: string | URL, options?: FetchOptions): Promise<HttpAnswer>;
  /** Closes every connection; fetches under way fail. */
  close(): Promise<void>;
}

export interface HttpClientOptions extends PoolOptions {
  /** Sent with every request unless the request has its own, e.g. user-agent and accept-language. */
  readonly headers?: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 60_000;
const MAX_BODY_BYTES = 20 * 1024 * 1024;
const MAX_REDIRECTS = 10;
const DEFAULT_HEADERS = { accept: '*/*', 'accept-encoding': 'gzip, deflate, br, zstd' };

/** An HTTP client whose every connection, first or redirected, is decided by the guard. */
export function createHttpClient(guard: EgressGuard, options: HttpClientOptions = {}): HttpClient {
  const pool = new ConnectionPool(guard, options);
  const defaults = checkedHeaders({ ...DEFAULT_HEADERS, ...lowerCased(options.headers ?? {}) });
  return {
    fetch: (url, fetchOptions = {}) => fetchWithin(pool, defaults, url, fetchOptions),
    close: () => pool.close(),
  };
}

/** Puts one wall clock and the caller's signal around the whole of a fetch. */
async function fetchWithin(
  pool: ConnectionPool,
  defaults: Readonly<Record<string, string>>,
  url: string | URL,
  options: FetchOptions,
): Promise<HttpAnswer> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new FetchFailed('timeout')), options.timeoutMs ?? TIMEOUT_MS);
  const onCallerAbort = () => stop.abort(options.signal?.reason);
  options.signal?.addEventListener('abort', onCallerAbort);
  if (options.signal?.aborted === true) onCallerAbort();
  try {
    const first: Hop = {
      url: parseTarget(url),
      method: (options.method ?? 'GET').toUpperCase(),
      headers: { ...defaults, ...checkedHeaders(options.headers ?? {}) },
      body: options.body,
    };
    return await followRedirects(pool, first, options, stop.signal);
  } catch (error) {
    throw stop.signal.aborted && error === stop.signal.reason ? error : toFetchFailed(error);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onCallerAbort);
  }
}

async function followRedirects(
  pool: ConnectionPool,
  first: Hop,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const maxRedirects = options.maxRedirects ?? MAX_REDIRECTS;
  const visited = new Set<string>();
  const redirects: string[] = [];
  let exitBytes = 0;
  let hop = first;
  for (;;) {
    const { cookie, ...headers } = withCookies(hop, options.cookies);
    const sent = cookie === undefined ? headers : { ...headers, cookie };
    // A site may redirect to the same address once its cookie is set; the same cookies again is a loop.
    const visit = `${hop.method} ${hop.url.href} ${cookie ?? ''}`;
    if (visited.has(visit)) throw new FetchFailed('redirect_loop');
    visited.add(visit);
    const answer = await send(pool, { ...hop, headers: sent }, options, signal);
    storeCookies(hop.url, answer.headers, options.cookies);
    const location = maxRedirects === 0 ? undefined : locationOf(answer.status, answer.headers);
    exitBytes += answer.exitBytes;
    if (location === undefined) return { ...answer, exitBytes, landedUrl: hop.url.href, redirects };
    if (redirects.length >= maxRedirects) throw new FetchFailed('too_many_redirects');
    const next = nextHop(hop, answer.status, location);
    redirects.push(hop.url.href);
    options.onHop?.({ from: hop.url.href, status: answer.status, to: next.url.href });
    hop = next;
  }
}

interface SentAnswer extends WireAnswer {
  readonly exitBytes: number;
  readonly httpVersion: '1.1' | '2';
}

/** Sends one hop, and once more when a kept-alive connection turned out to be closed already (RFC 9112 section 9.3.1). */
async function send(pool: ConnectionPool, hop: Hop, options: FetchOptions, signal: AbortSignal): Promise<SentAnswer> {
  const follows = (options.maxRedirects ?? MAX_REDIRECTS) > 0;
  let hasAnswered = false;
  const wantsBody = (status: number, headers: ResponseHeaders) => {
    hasAnswered = true;
    return !(follows && locationOf(status, headers) !== undefined);
  };
  const request = { ...hop, maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES, wantsBody };
  const isSafe = hop.method === 'GET' || hop.method === 'HEAD';
  let exitBytes = 0;
  for (let attempt = 1; ; attempt += 1) {
    const sent = await sendOnce(pool, request, options.exit, signal);
    exitBytes += sent.exitBytes;
    if ('answer' in sent) return { ...sent.answer, exitBytes, httpVersion: sent.httpVersion };
    const { error, wasReused } = sent;
    const isStale = error instanceof FetchFailed && error.kind === 'reset' && wasReused && !hasAnswered;
    if (!isStale || !isSafe || attempt === 2) throw error;
  }
}

type Sent = { readonly exitBytes: number } & (
  | { readonly answer: WireAnswer; readonly httpVersion: '1.1' | '2' }
  | { readonly error: unknown; readonly wasReused: boolean }
);

async function sendOnce(
  pool: ConnectionPool,
  request: WireRequest,
  exit: ExitRoute | undefined,
  signal: AbortSignal,
): Promise<Sent> {
  const lane = pool.lane(request.url, exit);
  const connectsBefore = lane.connects();
  try {
    const answer = await exchange(lane, request, signal);
    return { answer, httpVersion: lane.httpVersion(), exitBytes: lane.leave() };
  } catch (error) {
    const wasReused = connectsBefore > 0 && lane.connects() === connectsBefore;
    return { error, wasReused, exitBytes: lane.leave() };
  }
}

function withCookies(hop: Hop, jar: CookieJar | undefined): Readonly<Record<string, string>> {
  const fromJar = jar?.header(hop.url.href);
  if (fromJar === undefined || fromJar === '') return hop.headers;
  const own = hop.headers['cookie'];
  return { ...hop.headers, ...checkedHeaders({ cookie: own === undefined ? fromJar : `${own}; ${fromJar}` }) };
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
    throw new EgressRefused('only http and https addresses can be fetched');
  }
  if (url.username !== '' || url.password !== '') throw new EgressRefused('an address may not carry a user name');
  return url;
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

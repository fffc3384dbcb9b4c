import { errorOf, requireActive, TidemarkError } from './errors.ts';
import { fillPath } from './fill-path.ts';
import { FLAGS } from './generated/contract.ts';
import { pause } from './pause.ts';
import type { CallOptions, InitArgument, Result, Route } from './routes.ts';

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /** By default `TIDEMARK_API_KEY` of the environment. */
  readonly apiKey?: string | undefined;
  /** The API root with its version prefix; by default `TIDEMARK_BASE_URL` of the environment, else `http://127.0.0.1:8787/v1`. */
  readonly baseUrl?: string | undefined;
  /** Id of a sub-account of the workspace of the key, in which all calls act. */
  readonly workspace?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: Fetch | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  /** Called with every response, before its body is read: for headers such as X-RateLimit-Remaining. */
  readonly onResponse?: ((response: Response) => void) | undefined;
}

declare const process: { readonly env: Readonly<Record<string, string | undefined>> } | undefined;
const environment = typeof process === 'undefined' ? {} : process.env;

const TIMEOUT_MS = 150_000;
const MAX_RETRIES = 2;
const FIRST_DELAY_MS = 500;
/** Longest wait that a server can demand. The rate window is one minute. */
const MAX_DELAY_MS = 120_000;
const RETRIED = new Set([0, 429, 502, 503, 504]);

interface Wire {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly isSafe: boolean;
  readonly isRaw: boolean;
}

type Values = Readonly<Record<string, unknown>>;

/** The parts of a request, with unchecked types. */
export interface Parts {
  readonly path?: Values | undefined;
  readonly query?: Values | undefined;
  readonly body?: unknown;
}

/** Returns the query of a URL. Lists are joined by commas; undefined values are left out. */
function queryOf(query: Values): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** `randomUUID` exists only in secure contexts. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The errors of `fetch` have the reason as their cause. */
const reasonOf = (error: unknown): unknown => (error instanceof Error && error.cause) || error;

/** Sends the requests of the contract, with timeouts and retries. */
export class Core {
  readonly baseUrl: string;
  readonly #options: ClientOptions;
  readonly #apiKey: string;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#apiKey = options.apiKey ?? environment['TIDEMARK_API_KEY'] ?? '';
    const baseUrl = options.baseUrl ?? environment['TIDEMARK_BASE_URL'] ?? 'http://127.0.0.1:8787/v1';
    this.baseUrl = baseUrl.replace(/\/+$/, '');
  }

  /** Calls a route. @throws TidemarkError; AbortedError if the signal aborts */
  call<R extends Route>(route: R, ...[init]: InitArgument<R>): Promise<Result<R>> {
    return this.send(route, init ?? {});
  }

  /** Calls a route. @throws as `call` */
  async send<R extends Route>(route: R, init: Parts & CallOptions): Promise<Result<R>> {
    // The types and the table of flags are generated from the same contract.
    return (await this.request(route, init)) as Result<R>;
  }

  /** Calls a route without checking types. */
  async request(route: Route, { path, query = {}, body, ...options }: Parts & CallOptions): Promise<unknown> {
    const [method = '', template = ''] = route.split(' ');
    const filled = fillPath(template, path ?? {});
    const isIdempotent = FLAGS[route] === 'key';
    const key = options.idempotencyKey ?? (isIdempotent ? randomKey() : undefined);
    const wire: Wire = {
      method,
      body,
      url: `${this.baseUrl}${filled}${queryOf(query)}`,
      headers: {
        ...this.#options.headers,
        ...options.headers,
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      isSafe: isIdempotent || method === 'GET' || method === 'DELETE',
      isRaw: FLAGS[route] === 'raw',
    };
    return await this.#send(wire, options);
  }

  async #send(wire: Wire, options: CallOptions): Promise<unknown> {
    const retries = wire.isSafe ? (options.maxRetries ?? this.#options.maxRetries ?? MAX_RETRIES) : 0;
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#attempt(wire, options);
      } catch (error) {
        requireActive(options.signal);
        const failure =
          error instanceof TidemarkError
            ? error
            : new TidemarkError({
                code: 'network',
                message: `no response from ${wire.url}: ${reasonOf(error)}`,
                cause: error,
              });
        const isRetried = RETRIED.has(failure.status) && failure.code !== 'timeout';
        const delay = failure.retryAfterMs ?? FIRST_DELAY_MS * 2 ** tries * (0.75 + Math.random() / 2);
        if (tries >= retries || !isRetried || delay > MAX_DELAY_MS) throw failure;
        await pause(delay, options.signal);
      }
    }
  }

  async #attempt({ method, url, body, headers, isRaw }: Wire, { signal, timeoutMs }: CallOptions): Promise<unknown> {
    const { fetch: send = fetch, onResponse, workspace } = this.#options;
    const ms = timeoutMs ?? this.#options.timeoutMs ?? TIMEOUT_MS;
    const timeout = new AbortController();
    const late = new TidemarkError({ code: 'timeout', message: `no response from ${url} within ${ms} ms` });
    const timer = setTimeout(() => timeout.abort(late), ms);
    try {
      const response = await send(url, {
        method,
        headers: {
          ...(this.#apiKey === '' ? {} : { authorization: `Bearer ${this.#apiKey}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(workspace === undefined ? {} : { 'x-service-tenant': workspace }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      });
      onResponse?.(response);
      if (!response.ok) throw await errorOf(response);
      return await contentOf(response, isRaw);
    } catch (error) {
      throw timeout.signal.aborted ? late : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Lines of JSON, which a call requests by the header Accept. */
export const LINES = 'application/x-ndjson';

/** Returns the parsed JSON, undefined for an empty body, or the response itself where the route answers with other content. */
async function contentOf(response: Response, isRaw: boolean): Promise<unknown> {
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  const isJson = type.startsWith('application/json');
  if ((isRaw && !isJson) || type.startsWith(LINES)) return response;
  const text = await response.text();
  if (isJson) return JSON.parse(text);
  if (text === '') return undefined;
  const requestId = headers.get('x-request-id') ?? undefined;
  const message = `expected JSON, received ${type || 'no content type'}: check the base URL`;
  throw new TidemarkError({ code: 'unexpected', status, requestId, message });
}

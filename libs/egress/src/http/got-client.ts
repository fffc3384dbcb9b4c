import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import got, { type Got, type HandlerFunction, type Progress } from 'got';
import { asError, BodyTooLarge, EgressRefused } from '../errors/errors.ts';
import { openProxied } from '../exits/open-proxied.ts';
import type { EgressGuard } from '../policy/guard.ts';

export type { Got };

type OnCreate = (error: Error | null, socket: Duplex) => void;
type PinnedOptions = ClientRequestArgs & { readonly socket?: Socket };
type CreateConnection = (options: PinnedOptions) => Duplex | null | undefined;

export interface GotClientOptions {
  /** Limit of decoded bytes, above which a call fails as BodyTooLarge. Default 20 MiB. */
  readonly maxBodyBytes?: number;
}

const MAX_BODY_BYTES = 20 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Creates a got instance on guarded connections, for calls outside the hot path: robots, sitemaps, webhooks. It resolves for
 * every status, never retries, follows at most five redirects and takes at most 30 s. Callers may tighten these limits but
 * must not replace `agent`. Failures are got's RequestError: see `toFetchFailed`.
 */
export function createGot(guard: EgressGuard, options: GotClientOptions = {}): Got {
  return got.extend({
    handlers: [limitBodySize(options.maxBodyBytes ?? MAX_BODY_BYTES)],
    agent: { http: new GuardedHttpAgent(guard), https: new GuardedHttpsAgent(guard) },
    http2: false,
    throwHttpErrors: false,
    retry: { limit: 0 },
    maxRedirects: 5,
    timeout: { lookup: 5_000, connect: 10_000, secureConnect: 10_000, response: 20_000, request: 30_000 },
    hooks: {
      // The agents check again at connect time; the check here refuses before any work on the request.
      beforeRequest: [(options) => admitUrl(guard, options.url)],
      beforeRedirect: [(options) => admitUrl(guard, options.url)],
    },
  });
}

/** Limits decoded bodies. got has no such limit, and a decompression bomb of 10 MB would exhaust the memory. */
function limitBodySize(maxBodyBytes: number): HandlerFunction {
  return (options, next) => {
    const stop = new AbortController();
    options.signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
    const call = next(options);
    const onProgress = ({ transferred }: Progress) => {
      if (transferred > maxBodyBytes) stop.abort(new BodyTooLarge());
    };
    // got's stream and promise declare the same event with different signatures.
    if (call instanceof Duplex) call.on('downloadProgress', onProgress);
    else call.on('downloadProgress', onProgress);
    return call;
  };
}

async function admitUrl(guard: EgressGuard, url: URL | string | undefined): Promise<void> {
  const parsed = url === undefined ? null : URL.parse(String(url));
  if (parsed === null) throw new EgressRefused('not a valid address');
  const isSecure = parsed.protocol === 'https:';
  if (!isSecure && parsed.protocol !== 'http:') throw new EgressRefused('only http and https URLs can be fetched');
  await guard.admit(parsed.hostname, parsed.port === '' ? (isSecure ? 443 : 80) : Number(parsed.port));
}

class GuardedHttpAgent extends HttpAgent {
  readonly #guard: EgressGuard;

  constructor(guard: EgressGuard) {
    super({ keepAlive: true, maxSockets: 16, maxFreeSockets: 64, timeout: 30_000 });
    this.#guard = guard;
  }

  override createConnection(options: ClientRequestArgs, callback?: OnCreate): undefined {
    const direct = (pinned: ClientRequestArgs) => super.createConnection(pinned);
    connectAdmitted(this.#guard, options, { defaultPort: 80, direct, proxied: (socket) => socket }, callback);
  }
}

class GuardedHttpsAgent extends HttpsAgent {
  readonly #guard: EgressGuard;

  constructor(guard: EgressGuard) {
    super({ keepAlive: true, maxSockets: 16, maxFreeSockets: 64, timeout: 30_000, rejectUnauthorized: true });
    this.#guard = guard;
  }

  override createConnection(options: ClientRequestArgs, callback?: OnCreate): undefined {
    const direct = (pinned: PinnedOptions) => super.createConnection(pinned);
    const proxied = (socket: Socket, pinned: ClientRequestArgs) => direct({ ...pinned, socket });
    connectAdmitted(this.#guard, options, { defaultPort: 443, direct, proxied }, callback);
  }
}

/** How an agent uses a connection. */
interface Connections {
  readonly defaultPort: number;
  /** Connects to an address, with TLS if the agent uses it. */
  readonly direct: CreateConnection;
  /** Uses a connection through the proxy. */
  readonly proxied: (socket: Socket, options: ClientRequestArgs) => Duplex | null | undefined;
}

/**
 * Connects to the address that the guard admitted, directly or through the outbound proxy. This is not a `lookup` option because node
 * skips that for literal addresses. SNI and the certificate check use the name: node has already set `servername`.
 */
function connectAdmitted(
  guard: EgressGuard,
  options: ClientRequestArgs,
  { defaultPort, direct, proxied }: Connections,
  callback: OnCreate | undefined,
): void {
  const port = Number(options.port ?? defaultPort);
  const connect = async (): Promise<Duplex | null | undefined> => {
    const { address, proxy } = await guard.admit(options.host ?? options.hostname ?? '', port);
    const pinned = { ...options, host: address, port };
    if (proxy === undefined) return direct(pinned);
    return proxied(await openProxied(proxy, port, { timeoutMs: CONNECT_TIMEOUT_MS }), pinned);
  };
  connect().then(
    (socket) => {
      if (socket) callback?.(null, socket);
    },
    (error: unknown) => failWith(error, callback),
  );
}

/** Fails a connection. node's types require a socket argument, which the callback ignores. */
function failWith(error: unknown, callback: OnCreate | undefined): void {
  Reflect.apply(callback ?? (() => {}), undefined, [asError(error)]);
}

import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Duplex } from 'node:stream';
import got, { type Got, type HandlerFunction, type Progress } from 'got';
import { asError, BodyTooLarge, EgressRefused } from './errors.ts';
import type { EgressGuard } from './guard.ts';

type OnCreate = (error: Error | null, socket: Duplex) => void;
type CreateConnection = (options: ClientRequestArgs) => Duplex | null | undefined;

export interface GotClientOptions {
  /** Decoded bytes of one body; past it the call fails as BodyTooLarge. Default 20 MiB. */
  readonly maxBodyBytes?: number;
}

const MAX_BODY_BYTES = 20 * 1024 * 1024;

/**
 * A got instance on guarded connections, for calls off the hot path: robots, sitemaps, webhooks. Any status is an
 * answer, nothing is retried, five redirects are followed at most and the whole call takes at most 30 s; callers
 * tighten these, but never replace `agent`. Failures arrive as got's RequestError: see `toFetchFailed`.
 */
export function createGot(guard: EgressGuard, options: GotClientOptions = {}): Got {
  return got.extend({
    handlers: [capBodies(options.maxBodyBytes ?? MAX_BODY_BYTES)],
    agent: { http: new GuardedHttpAgent(guard), https: new GuardedHttpsAgent(guard) },
    http2: false,
    throwHttpErrors: false,
    retry: { limit: 0 },
    maxRedirects: 5,
    timeout: { lookup: 5_000, connect: 10_000, secureConnect: 10_000, response: 20_000, request: 30_000 },
    hooks: {
      // The agents decide again at connect time; asking here too gives a refusal before any work on a request.
      beforeRequest: [(options) => admitUrl(guard, options.url)],
      beforeRedirect: [(options) => admitUrl(guard, options.url)],
    },
  });
}

/** got has no limit on bodies, and a bomb of 10 MB would fill the memory. */
function capBodies(maxBodyBytes: number): HandlerFunction {
  return (options, next) => {
    const stop = new AbortController();
    options.signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
    const call = next(options);
    const onProgress = ({ transferred }: Progress) => {
      if (transferred > maxBodyBytes) stop.abort(new BodyTooLarge());
    };
    // The same event on got's stream and on its promise, under two signatures.
    if (call instanceof Duplex) call.on('downloadProgress', onProgress);
    else call.on('downloadProgress', onProgress);
    return call;
  };
}

async function admitUrl(guard: EgressGuard, url: URL | string | undefined): Promise<void> {
  const parsed = url === undefined ? null : URL.parse(String(url));
  if (parsed === null) throw new EgressRefused('not a valid address');
  const isSecure = parsed.protocol === 'https:';
  if (!isSecure && parsed.protocol !== 'http:') throw new EgressRefused('only http and https addresses can be fetched');
  await guard.admit(parsed.hostname, parsed.port === '' ? (isSecure ? 443 : 80) : Number(parsed.port));
}

class GuardedHttpAgent extends HttpAgent {
  readonly #guard: EgressGuard;

  constructor(guard: EgressGuard) {
    super({ keepAlive: true, maxSockets: 16, maxFreeSockets: 64, timeout: 30_000 });
    this.#guard = guard;
  }

  override createConnection(options: ClientRequestArgs, callback?: OnCreate): undefined {
    connectAdmitted(this.#guard, options, 80, (pinned) => super.createConnection(pinned), callback);
  }
}

class GuardedHttpsAgent extends HttpsAgent {
  readonly #guard: EgressGuard;

  constructor(guard: EgressGuard) {
    super({ keepAlive: true, maxSockets: 16, maxFreeSockets: 64, timeout: 30_000, rejectUnauthorized: true });
    this.#guard = guard;
  }

  override createConnection(options: ClientRequestArgs, callback?: OnCreate): undefined {
    connectAdmitted(this.#guard, options, 443, (pinned) => super.createConnection(pinned), callback);
  }
}

/**
 * Replaces the host of a connection by the address the guard admitted. Done here and not in `lookup`, which node skips
 * for literal addresses. SNI and the certificate check keep the name: node has set `servername` by now.
 */
function connectAdmitted(
  guard: EgressGuard,
  options: ClientRequestArgs,
  defaultPort: number,
  create: CreateConnection,
  callback: OnCreate | undefined,
): void {
  const port = Number(options.port ?? defaultPort);
  guard.admit(options.host ?? options.hostname ?? '', port).then(
    ({ address }) => {
      const socket = create({ ...options, host: address, port });
      if (socket) callback?.(null, socket);
    },
    (error: unknown) => failWith(error, callback),
  );
}

/** node's typing demands a socket beside the error; the callback never looks at it. */
function failWith(error: unknown, callback: OnCreate | undefined): void {
  Reflect.apply(callback ?? (() => {}), undefined, [asError(error)]);
}

import type { Dispatcher } from 'undici';
import { BodySink } from '../body/body-sink.ts';
import { codingsToDecode } from '../body/decode-body.ts';
import type { Transport } from '../connections/connection-pool.ts';
import { BodyTooLarge, FetchFailed, toFetchFailed } from '../errors/errors.ts';

/** One request on the wire. Redirects are handled by the caller. */
export interface WireRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly maxBodyBytes: number;
  /** Whether the caller needs the body; without it the response is returned at the end of its head. */
  readonly needsBody: (status: number, headers: ResponseHeaders) => boolean;
  /** Called once if the body is large. The rest of it is received after it resolves. */
  readonly admitLarge?: (() => Promise<void>) | undefined;
}

/** Lower-case names; a repeated header is an array. Values are the bytes on the wire decoded as latin1. */
export type ResponseHeaders = Record<string, string | string[]>;

/** One decoded response. */
export interface WireResponse {
  readonly status: number;
  /** Reason phrase; empty over HTTP/2. */
  readonly statusText: string;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
  readonly truncated: boolean;
  /** Bytes of the body as transferred, before decoding. */
  readonly bytesOnWire: number;
  /** Time from the request on an open connection to the head of the response, ms. */
  readonly latencyMs: number;
}

/** undici counts the bytes of names and values only, so thousands of small headers would pass its limit of 64 KB. */
const MAX_HEADER_LINES = 1_000;

/** Bytes on the wire above which a body is large: plain, and compressed, which may be a hundred times as much decoded. */
const LARGE_BYTES = 1024 * 1024;
const LARGE_CODED_BYTES = 128 * 1024;

/** An unneeded body is drained up to these limits, to keep its connection alive. */
const DRAIN_BYTES = 64 * 1024;
const DRAIN_MS = 1_000;

/**
 * Sends one request and returns its response. Rejects with FetchFailed, or immediately with the reason of `signal` when it
 * aborts, in any state of the connection.
 */
export async function exchange(transport: Transport, request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
  signal.throwIfAborted();
  const handler = new ExchangeHandler(request);
  const onAbort = () => handler.cancel(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    const { url, method, headers, body } = request;
    transport.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method, headers, body: body ?? null },
      handler,
    );
    return await handler.response;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #request: WireRequest;
  readonly #result = Promise.withResolvers<WireResponse>();
  #controller: Dispatcher.DispatchController | undefined;
  #sink: BodySink | undefined;
  #status = 0;
  #statusText = '';
  #headers: ResponseHeaders = {};
  #isDone = false;
  #admission: 'unneeded' | 'pending' | 'granted' = 'unneeded';
  #drainedBytes = 0;
  #sentAtMs = 0;
  #latencyMs = 0;
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(request: WireRequest) {
    this.#request = request;
  }

  get response(): Promise<WireResponse> {
    return this.#result.promise;
  }

  /** Rejects immediately. A request that still waits for its connection is aborted when it gets one. */
  cancel(reason: unknown): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#sink?.destroy();
    this.#result.reject(reason);
    this.#controller?.abort(abortError('cancelled'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#sentAtMs = performance.now();
    if (this.#isDone) controller.abort(abortError('cancelled'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    statusText = '',
  ): void {
    // undici reads a status below 100 as that of a response, and fails with an assertion at its end.
    if (status < 100) this.cancel(new FetchFailed('protocol'));
    if (status < 200 || this.#isDone) return;
    this.#latencyMs = performance.now() - this.#sentAtMs;
    this.#status = status;
    this.#statusText = statusText;
    let lines = 0;
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined || name === '__proto__' || name.startsWith(':')) continue;
      this.#headers[name] = value;
      lines += Array.isArray(value) ? value.length : 1;
    }
    if (lines > MAX_HEADER_LINES) {
      this.cancel(new FetchFailed('protocol', { detail: 'the response has too many headers' }));
      return;
    }
    if (!this.#request.needsBody(status, this.#headers)) {
      this.#resolveWithoutBody();
      return;
    }
    this.#openSink(status);
  }

  #openSink(status: number): void {
    const hasBody = this.#request.method !== 'HEAD' && status !== 204 && status !== 304;
    try {
      if (hasBody && Number(this.#headers['content-length']) > this.#request.maxBodyBytes) throw new BodyTooLarge();
      const codings = hasBody ? codingsToDecode(joined(this.#headers['content-encoding'])) : [];
      this.#sink = new BodySink(codings, this.#request.maxBodyBytes, {
        onDrain: () => {
          if (this.#admission !== 'pending') this.#controller?.resume();
        },
        onError: (error) => this.cancel(error),
      });
    } catch (error) {
      this.cancel(error);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isDone) {
      this.#drain(controller, chunk);
      return;
    }
    try {
      const hasRoom = this.#sink?.write(chunk) !== false;
      if (this.#admission === 'unneeded' && this.#isLarge()) this.#admit(controller);
      if (!hasRoom || this.#admission === 'pending') controller.pause();
    } catch (error) {
      this.cancel(error);
    }
  }

  #isLarge(): boolean {
    const isCoded = this.#headers['content-encoding'] !== undefined;
    return (this.#sink?.bytesOnWire ?? 0) > (isCoded ? LARGE_CODED_BYTES : LARGE_BYTES);
  }

  #admit(controller: Dispatcher.DispatchController): void {
    const { admitLarge } = this.#request;
    if (admitLarge === undefined) return;
    this.#admission = 'pending';
    admitLarge().then(
      () => {
        this.#admission = 'granted';
        if (!this.#isDone) controller.resume();
      },
      (error: unknown) => this.cancel(error),
    );
  }

  onResponseEnd(): void {
    clearTimeout(this.#drainTimer);
    if (this.#isDone || this.#sink === undefined) return;
    const { bytesOnWire } = this.#sink;
    this.#sink.end().then(
      ({ body, truncated }) => this.#resolve({ body, truncated, bytesOnWire }),
      (error: unknown) => this.cancel(error),
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#drainTimer);
    this.cancel(toFetchFailed(error));
  }

  #resolve(rest: { body: Buffer; truncated: boolean; bytesOnWire: number }): void {
    this.#isDone = true;
    this.#result.resolve({
      status: this.#status,
      statusText: this.#statusText,
      headers: this.#headers,
      latencyMs: this.#latencyMs,
      ...rest,
    });
  }

  #resolveWithoutBody(): void {
    this.#drainTimer = setTimeout(() => this.#controller?.abort(abortError('drain timeout')), DRAIN_MS);
    this.#drainTimer.unref();
    this.#resolve({ body: Buffer.alloc(0), truncated: false, bytesOnWire: 0 });
  }

  #drain(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#drainedBytes += chunk.length;
    if (this.#drainedBytes > DRAIN_BYTES) controller.abort(abortError('drain limit reached'));
  }
}

/** Has a code of undici: over HTTP/2 it may end the whole connection, and the other exchanges then fail as reset. */
function abortError(message: string): Error {
  return Object.assign(new Error(message), { code: 'UND_ERR_ABORTED' });
}

function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}

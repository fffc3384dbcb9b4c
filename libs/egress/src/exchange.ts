import type { Dispatcher } from 'undici';
import { BodySink } from './body-sink.ts';
import type { Lane } from './connection-pool.ts';
import { codingsToUndo } from './decode-body.ts';
import { BodyTooLarge, FetchFailed, toFetchFailed } from './errors.ts';

/** One request as it goes on the wire; redirects are the caller's business. */
export interface WireRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly maxBodyBytes: number;
  /** Whether the caller needs the body of this answer; without it the answer is given at the end of its head. */
  readonly wantsBody: (status: number, headers: ResponseHeaders) => boolean;
}

/** Lower-case names; a repeated header is an array. Values are the bytes of the wire read as latin1. */
export type ResponseHeaders = Record<string, string | string[]>;

/** One response, its content codings undone. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
  readonly truncated: boolean;
  /** Bytes of the body as transferred, before decoding. */
  readonly bytesOnWire: number;
}

/** undici counts the bytes of names and values only, so thousands of tiny headers would pass its limit of 64 KB. */
const MAX_HEADER_LINES = 1_000;

/** A body nobody wants is read this far to keep its connection, and no longer than this. */
const DRAIN_BYTES = 64 * 1024;
const DRAIN_MS = 1_000;

/**
 * Sends one request and collects its response. Rejects with FetchFailed, or with the reason of `signal` at once when it
 * aborts, whatever state the connection is in.
 */
export async function exchange(lane: Lane, request: WireRequest, signal: AbortSignal): Promise<WireAnswer> {
  signal.throwIfAborted();
  const handler = new ExchangeHandler(request);
  const onAbort = () => handler.cancel(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    const { url, method, headers, body } = request;
    lane.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method, headers, body: body ?? null },
      handler,
    );
    return await handler.answer;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #request: WireRequest;
  readonly #settled = Promise.withResolvers<WireAnswer>();
  #controller: Dispatcher.DispatchController | undefined;
  #sink: BodySink | undefined;
  #status = 0;
  #headers: ResponseHeaders = {};
  #isOver = false;
  #drainedBytes = 0;
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(request: WireRequest) {
    this.#request = request;
  }

  get answer(): Promise<WireAnswer> {
    return this.#settled.promise;
  }

  /** Rejects now; a request still waiting for its connection is withdrawn as soon as it gets one. */
  cancel(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink?.destroy();
    this.#settled.reject(reason);
    this.#controller?.abort(leaving('cancelled'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(leaving('cancelled'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200 || this.#isOver) return;
    this.#status = status;
    let lines = 0;
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined || name === '__proto__' || name.startsWith(':')) continue;
      this.#headers[name] = value;
      lines += Array.isArray(value) ? value.length : 1;
    }
    if (lines > MAX_HEADER_LINES) {
      this.cancel(new FetchFailed('protocol', { detail: 'the answer has too many headers' }));
      return;
    }
    if (!this.#request.wantsBody(status, this.#headers)) {
      this.#answerWithoutBody();
      return;
    }
    this.#openSink(status);
  }

  #openSink(status: number): void {
    const hasBody = this.#request.method !== 'HEAD' && status !== 204 && status !== 304;
    try {
      if (hasBody && Number(this.#headers['content-length']) > this.#request.maxBodyBytes) throw new BodyTooLarge();
      const codings = hasBody ? codingsToUndo(joined(this.#headers['content-encoding'])) : [];
      this.#sink = new BodySink(codings, this.#request.maxBodyBytes, {
        onDrain: () => this.#controller?.resume(),
        onError: (error) => this.cancel(error),
      });
    } catch (error) {
      this.cancel(error);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) {
      this.#drain(controller, chunk);
      return;
    }
    try {
      if (this.#sink?.write(chunk) === false) controller.pause();
    } catch (error) {
      this.cancel(error);
    }
  }

  onResponseEnd(): void {
    clearTimeout(this.#drainTimer);
    if (this.#isOver || this.#sink === undefined) return;
    const { bytesOnWire } = this.#sink;
    this.#sink.end().then(
      ({ body, truncated }) => this.#give({ body, truncated, bytesOnWire }),
      (error: unknown) => this.cancel(error),
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#drainTimer);
    this.cancel(toFetchFailed(error));
  }

  #give(rest: { body: Buffer; truncated: boolean; bytesOnWire: number }): void {
    this.#isOver = true;
    this.#settled.resolve({ status: this.#status, headers: this.#headers, ...rest });
  }

  #answerWithoutBody(): void {
    this.#drainTimer = setTimeout(() => this.#controller?.abort(leaving('drained long enough')), DRAIN_MS);
    this.#drainTimer.unref();
    this.#give({ body: Buffer.alloc(0), truncated: false, bytesOnWire: 0 });
  }

  #drain(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#drainedBytes += chunk.length;
    if (this.#drainedBytes > DRAIN_BYTES) controller.abort(leaving('drained enough'));
  }
}

/** Over HTTP/2 undici may end the whole connection with it, and to the others on it that is a reset. */
function leaving(why: string): Error {
  return Object.assign(new Error(why), { code: 'UND_ERR_ABORTED' });
}

function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}

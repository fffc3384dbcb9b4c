import type { Readable } from 'node:stream';
import { FetchFailed, type Got, toFetchFailed } from '@tidemark/egress';
import {
  acquireOrGivenUp,
  type HostLimiter,
  holdSeconds,
  isPermit,
  type Permit,
  type RequestedWait,
  reportOfFailure,
  reportOfResponse,
  requestedWaitOf,
  whyHeld,
} from '@tidemark/host-pace';
import { retryAfterSeconds } from '@tidemark/web-url';

export interface OpenedFile {
  readonly status: number;
  readonly landedUrl: string;
  readonly contentType: string;
  /** The wait that the response requests; its host is held for it. */
  readonly requestedWait: RequestedWait | undefined;
  /** Body after content decoding. The reader must destroy it, or read it to its end: the permit of the host is held until then. */
  readonly body: Readable;
  /** Aborted at the end of the time for the file. */
  readonly signal: AbortSignal;
}

export interface OpenOptions {
  readonly signal: AbortSignal;
  /** Time for the response and its body, from the permit on, ms. */
  readonly timeoutMs: number;
  /** Longest wait for a permit of the host, ms; default: until `signal` is aborted. */
  readonly maxWaitMs?: number;
  /** Crawl delay of the host, ms; default 0. */
  readonly delayMs?: number;
}

export type Open = (url: string, options: OpenOptions) => Promise<OpenedFile>;

export interface OpenFileDeps {
  readonly got: Got;
  readonly pace: HostLimiter;
  /** Concurrent requests to a host, of the whole fleet. */
  readonly concurrency: number;
  readonly userAgent: string;
}

interface GotResponse {
  readonly statusCode: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly redirectUrls?: readonly unknown[];
  readonly timings?: { readonly phases: { readonly firstByte?: number | undefined } };
}

/**
 * Returns a function that requests a file through the egress guard, under a permit of its host, and resolves with the
 * response headers. It throws FetchFailed, also for a host that is given up, or the signal's reason.
 */
export function makeOpenFile({ got, pace, concurrency, userAgent }: OpenFileDeps): Open {
  return async (url, options) => {
    const { host } = new URL(url);
    const permit = await permitOf(pace, host, concurrency, options);
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(Math.ceil(options.timeoutMs))]);
    try {
      const opened = await request(got, url, { userAgent, timeoutMs: options.timeoutMs, signal });
      const { status, requestedWait, latencyMs, body } = opened;
      // Before the permit is released, so that nothing else is requested meanwhile.
      if (requestedWait !== undefined)
        await pace.hold(host, holdSeconds(requestedWait, 0) * 1_000, whyHeld(status, requestedWait));
      const report = reportOfResponse({ status, requestedWait, latencyMs });
      releaseWith(body, () => permit.release(report));
      return opened;
    } catch (error) {
      if (options.signal.aborted) {
        await permit.release();
        throw options.signal.reason;
      }
      const failure = signal.aborted ? new FetchFailed('timeout') : toFetchFailed(error);
      await permit.release(failure instanceof FetchFailed ? reportOfFailure(failure.kind, failure.message) : undefined);
      throw failure;
    }
  };
}

async function permitOf(
  pace: HostLimiter,
  host: string,
  concurrency: number,
  { signal, delayMs = 0, maxWaitMs }: OpenOptions,
): Promise<Permit> {
  const ending =
    maxWaitMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(maxWaitMs))]);
  const granted = await acquireOrGivenUp(pace, host, { concurrency, delayMs }, { signal: ending, onWait: () => {} });
  if (granted !== undefined && isPermit(granted)) return granted;
  signal.throwIfAborted();
  const why = granted?.why;
  if (why === undefined) throw new FetchFailed('timeout', { detail: 'its host could not be requested in time' });
  throw new FetchFailed('refused', { detail: `not requested, because its host is given up for now: ${why}` });
}

/** Calls `release` once, at the end of the body. */
function releaseWith(body: Readable, release: () => Promise<unknown>): void {
  let isReleased = false;
  const end = () => {
    if (isReleased) return;
    isReleased = true;
    void release();
  };
  body.once('end', end).once('close', end).once('error', end);
  if (body.destroyed || body.readableEnded) end();
}

interface Request {
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

function request(
  got: Got,
  url: string,
  { userAgent, timeoutMs, signal }: Request,
): Promise<OpenedFile & { readonly latencyMs: number | undefined }> {
  return new Promise((resolve, reject) => {
    const stream = got.stream(url, {
      headers: { 'user-agent': userAgent, accept: '*/*' },
      timeout: { request: timeoutMs, response: Math.min(timeoutMs, 20_000) },
      signal,
    });
    stream.once('response', (response: GotResponse) => {
      const { statusCode: status, headers, url: landedUrl, redirectUrls = [], timings } = response;
      resolve({
        status,
        landedUrl,
        contentType: String(headers['content-type'] ?? ''),
        requestedWait: requestedWaitOf(status, retryAfterSeconds(headers)),
        // The response after a redirect may be another host's.
        latencyMs: redirectUrls.length === 0 ? timings?.phases.firstByte : undefined,
        body: stream,
        signal,
      });
    });
    // After the response, `reject` has no effect; the reader of the body receives the error.
    stream.on('error', (error: Error) => reject(toFetchFailed(error)));
  });
}

/** Returns up to `maxBytes` of a body as UTF-8 text and destroys the rest. */
export const readText = async (body: Readable, maxBytes: number): Promise<string> =>
  new TextDecoder().decode(await readBytes(body, maxBytes));

/** Returns up to `maxBytes` of a body and destroys the rest. */
export async function readBytes(body: Readable, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      const part = Buffer.from(chunk);
      chunks.push(part);
      bytes += part.length;
      if (bytes >= maxBytes) break;
    }
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

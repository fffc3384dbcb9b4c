import type { Readable } from 'node:stream';
import { type createGot, toFetchFailed } from '@tidemark/egress';

export interface OpenedFile {
  readonly status: number;
  readonly landedUrl: string;
  readonly contentType: string;
  /** `Retry-After` of the response, seconds; undefined if absent. */
  readonly retryAfterSeconds: number | undefined;
  /** Body after content decoding. The reader must destroy it. */
  readonly body: Readable;
}

export interface OpenOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export type Open = (url: string, options: OpenOptions) => Promise<OpenedFile>;

interface GotResponse {
  readonly statusCode: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const MAX_RETRY_AFTER_SECONDS = 3_600;

/** Returns a function that requests a file through the egress guard and resolves with the response headers. It throws FetchFailed. */
export function makeOpenFile(got: ReturnType<typeof createGot>, userAgent: string): Open {
  return (url, { signal, timeoutMs }) =>
    new Promise((resolve, reject) => {
      const stream = got.stream(url, {
        headers: { 'user-agent': userAgent, accept: '*/*' },
        timeout: { request: timeoutMs, response: Math.min(timeoutMs, 20_000) },
        signal,
      });
      stream.once('response', (response: GotResponse) => {
        const { statusCode, headers } = response;
        resolve({
          status: statusCode,
          landedUrl: response.url,
          contentType: String(headers['content-type'] ?? ''),
          retryAfterSeconds: secondsOf(headers['retry-after']),
          body: stream,
        });
      });
      // After the response, `reject` has no effect; the reader of the body receives the error.
      stream.on('error', (error: Error) => reject(toFetchFailed(error)));
    });
}

/** RFC 9110 10.2.3: a number of seconds or a date. */
function secondsOf(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  const seconds = /^\d{1,9}$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
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

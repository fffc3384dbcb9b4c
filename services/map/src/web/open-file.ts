import type { Readable } from 'node:stream';
import { type createGot, toFetchFailed } from '@tidemark/egress';

export interface OpenFile {
  readonly status: number;
  readonly landedUrl: string;
  readonly contentType: string;
  /** Seconds the site asks to be left alone; undefined where it says nothing. */
  readonly retryAfterSeconds: number | undefined;
  /** Content codings undone; destroyed by whoever reads it. */
  readonly body: Readable;
}

export interface OpenOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export type Open = (url: string, options: OpenOptions) => Promise<OpenFile>;

interface Answered {
  readonly statusCode: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const MAX_RETRY_AFTER_SECONDS = 3_600;

/** Opens a file through the egress guard and answers once its headers are in. @throws FetchFailed where the web gave no answer */
export function makeOpenFile(got: ReturnType<typeof createGot>, userAgent: string): Open {
  return (url, { signal, timeoutMs }) =>
    new Promise((resolve, reject) => {
      const stream = got.stream(url, {
        headers: { 'user-agent': userAgent, accept: '*/*' },
        timeout: { request: timeoutMs, response: Math.min(timeoutMs, 20_000) },
        signal,
      });
      stream.once('response', (answer: Answered) => {
        const { statusCode, headers } = answer;
        resolve({
          status: statusCode,
          landedUrl: answer.url,
          contentType: String(headers['content-type'] ?? ''),
          retryAfterSeconds: secondsOf(headers['retry-after']),
          body: stream,
        });
      });
      // Once answered, errors are those of the body and belong to whoever reads it.
      stream.on('error', (error: Error) => reject(toFetchFailed(error)));
    });
}

/** RFC 9110 10.2.3: seconds, or a date. */
function secondsOf(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  const seconds = /^\d{1,9}$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}

/** The start of a body as text. Reads no further. */
export async function readText(body: Readable, maxBytes: number): Promise<string> {
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
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes));
}

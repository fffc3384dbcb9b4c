import { createGot, type EgressGuard, EgressRefused, FetchFailed, type Got, toFetchFailed } from '@tidemark/egress';
import { RESPONSE_SECONDS } from '@tidemark/webhook-events';
import { LRUCache } from 'lru-cache';
import type { DeliveryResult } from '../domain/delivery.ts';
import { responseText } from './response-text.ts';

/** Timeout of the whole request, ms: name resolution, connection, sending and reading the response. */
const TIMEOUT_MS = RESPONSE_SECONDS * 1_000;
const RESPONSE_BYTES = 4 * 1024;
const REDIRECT = 300;
const CLIENT_ERROR = 400;
/** Receiver queues whose connections are kept; a connection closes after half a minute without use. */
const MAX_CLIENTS = 500;

/** A POST request; the bytes are sent unchanged. */
export interface PostRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Receiver queues share no connections, so that pending calls of one never block another. */
  readonly queueKey: string;
}

/** Posts a request once and returns its result. */
export type Post = (request: PostRequest) => Promise<DeliveryResult>;

const NO_ADDRESS: DeliveryResult = { status: 0, error: 'not an http or https address', answer: '', isFinal: true };

/** The part of a response received so far. It counts from its headers on. */
interface ReceivedResponse {
  status: number;
  readonly chunks: Buffer[];
  bytes: number;
}

/** Posts through the egress guard, which checks every request. Redirects are not followed, and results reveal nothing of the address. */
export function makePost(guard: EgressGuard, { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number } = {}): Post {
  const clients = new LRUCache<string, Got>({ max: MAX_CLIENTS });
  const clientOf = (queueKey: string): Got => {
    const client = clients.get(queueKey) ?? createGot(guard);
    clients.set(queueKey, client);
    return client;
  };
  return async (request) => {
    if (!/^https?:$/.test(URL.parse(request.url)?.protocol ?? '')) return NO_ADDRESS;
    const deadline = AbortSignal.timeout(timeoutMs);
    for (let isAgain = false; ; isAgain = true) {
      const { result, isStale } = await postOnce(clientOf(request.queueKey), request, deadline);
      // A reused connection that was closed meanwhile is no failure of the receiver (RFC 9112, section 9.3.1).
      if (!isStale || isAgain) return result;
    }
  };
}

function postOnce(
  client: Got,
  { url, body, headers }: PostRequest,
  signal: AbortSignal,
): Promise<{ result: DeliveryResult; isStale: boolean }> {
  const received: ReceivedResponse = { status: 0, chunks: [], bytes: 0 };
  return new Promise((resolve) => {
    let isOver = false;
    const request = client.stream(url, {
      method: 'POST',
      body,
      headers: { ...headers, 'accept-encoding': 'identity' },
      followRedirect: false,
      decompress: false,
      throwHttpErrors: false,
      signal,
      timeout: {},
    });
    const end = (error?: unknown) => {
      if (isOver) return;
      isOver = true;
      const isStale = received.status === 0 && request.reusedSocket === true && !signal.aborted;
      resolve({ result: resultOf(received, signal.aborted ? new FetchFailed('timeout') : error), isStale });
      request.destroy();
    };
    request.on('response', ({ statusCode }: { statusCode: number }) => {
      received.status = statusCode;
    });
    request.on('data', (chunk: Buffer) => {
      received.chunks.push(chunk);
      received.bytes += chunk.length;
      if (received.bytes >= RESPONSE_BYTES) end();
    });
    request.on('end', () => end());
    request.on('error', (error: unknown) => end(error));
    signal.addEventListener('abort', () => end(), { once: true });
  });
}

/** Builds the result. A response counts from its headers on, so that a broken body is no failure. */
function resultOf({ status, chunks }: ReceivedResponse, error: unknown): DeliveryResult {
  if (status === 0) return { status: 0, error: reasonFor(error), answer: '' };
  const answer = responseText(Buffer.concat(chunks).subarray(0, RESPONSE_BYTES));
  if (status < REDIRECT) return { status, error: '', answer };
  const isRedirect = status < CLIENT_ERROR;
  return { status, error: isRedirect ? 'the response is a redirect, which is not followed' : `HTTP ${status}`, answer };
}

/** Returns a fixed text: an error of a library may contain the address, and the address may be secret. */
function reasonFor(error: unknown): string {
  const failure = toFetchFailed(error);
  if (!(failure instanceof FetchFailed)) return 'no response';
  return failure.cause instanceof EgressRefused ? `not sent there: ${failure.cause.reason}` : failure.message;
}

import { createGot, type EgressGuard, EgressRefused, FetchFailed, toFetchFailed } from '@tidemark/egress';
import type { DeliveryResult } from '../domain/delivery.ts';
import { responseText } from './response-text.ts';

/** The whole of an attempt: finding the name, connecting, sending and reading the answer. */
const TIMEOUT_MS = 10_000;
const ANSWER_BYTES = 4 * 1024;
const REDIRECT = 300;
const CLIENT_ERROR = 400;
/** Lanes whose connections are kept; each is let go when it has been idle for half a minute. */
const MAX_CLIENTS = 500;

/** Something to be posted: the bytes are sent as they are. */
export interface PostRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Lanes share no connections: one's waiting calls never take the places of another's. */
  readonly queueKey: string;
}

/** Posts something once and says what came of it. */
export type Post = (request: PostRequest) => Promise<DeliveryResult>;

const NO_ADDRESS: DeliveryResult = { status: 0, error: 'not an http or https address', answer: '', isFinal: true };

type Client = ReturnType<typeof createGot>;

/** What has come of an answer before its end: once its head is there, it counts. */
interface ReceivedResponse {
  status: number;
  readonly chunks: Buffer[];
  bytes: number;
}

/** Posts through the guard, which decides at every attempt anew. Redirects are answers, and nothing of the address is told. */
export function makePost(guard: EgressGuard, { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number } = {}): Post {
  const clients = new Map<string, Client>();
  const clientOf = (queueKey: string): Client => {
    const client = clients.get(queueKey) ?? createGot(guard);
    clients.delete(queueKey);
    clients.set(queueKey, client);
    const oldest = clients.size > MAX_CLIENTS ? clients.keys().next().value : undefined;
    if (oldest !== undefined) clients.delete(oldest);
    return client;
  };
  return async (request) => {
    if (!/^https?:$/.test(URL.parse(request.url)?.protocol ?? '')) return NO_ADDRESS;
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), timeoutMs);
    try {
      for (let isAgain = false; ; isAgain = true) {
        const { result, isStale } = await postOnce(clientOf(request.queueKey), request, stop.signal);
        // A kept connection that was closed meanwhile says nothing of the receiver (RFC 9112, section 9.3.1).
        if (!isStale || isAgain) return result;
      }
    } finally {
      clearTimeout(timer);
    }
  };
}

function postOnce(
  client: Client,
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
      if (received.bytes >= ANSWER_BYTES) end();
    });
    request.on('end', () => end());
    request.on('error', (error: unknown) => end(error));
    signal.addEventListener('abort', () => end(), { once: true });
  });
}

/** An answer counts from its head on: what is wrong with its body is the receiver's business. */
function resultOf({ status, chunks }: ReceivedResponse, error: unknown): DeliveryResult {
  if (status === 0) return { status: 0, error: reasonFor(error), answer: '' };
  const answer = responseText(Buffer.concat(chunks).subarray(0, ANSWER_BYTES));
  if (status < REDIRECT) return { status, error: '', answer };
  const isRedirect = status < CLIENT_ERROR;
  return { status, error: isRedirect ? 'the answer is a redirect, which is not followed' : `HTTP ${status}`, answer };
}

/** Fixed sentences only: an error of a library may name the address, and the address may be secret. */
function reasonFor(error: unknown): string {
  const failure = toFetchFailed(error);
  if (!(failure instanceof FetchFailed)) return 'no answer';
  return failure.cause instanceof EgressRefused ? `not sent there: ${failure.cause.reason}` : failure.message;
}

import { createGot, type EgressGuard, EgressRefused, FetchFailed, toFetchFailed } from '@tidemark/egress';
import type { Outcome } from '../domain/delivery.ts';
import { answerText } from './answer-text.ts';

/** The whole of an attempt: finding the name, connecting, sending and reading the answer. */
const WALL_MS = 10_000;
const ANSWER_BYTES = 4 * 1024;
const REDIRECT = 300;
const CLIENT_ERROR = 400;
/** Lanes whose connections are kept; each is let go when it has been idle for half a minute. */
const MOST_CLIENTS = 500;

/** Something to be posted: the bytes are sent as they are. */
export interface Posted {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Lanes share no connections: one's waiting calls never take the places of another's. */
  readonly lane: string;
}

/** Posts something once and says what came of it. */
export type Post = (posted: Posted) => Promise<Outcome>;

const NO_ADDRESS: Outcome = { status: 0, error: 'not an http or https address', answer: '', isFinal: true };

type Client = ReturnType<typeof createGot>;

/** What has come of an answer before its end: once its head is there, it counts. */
interface Answered {
  status: number;
  readonly chunks: Buffer[];
  bytes: number;
}

/** Posts through the guard, which decides at every attempt anew. Redirects are answers, and nothing of the address is told. */
export function makePost(guard: EgressGuard, { wallMs = WALL_MS }: { readonly wallMs?: number } = {}): Post {
  const clients = new Map<string, Client>();
  const clientOf = (lane: string): Client => {
    const client = clients.get(lane) ?? createGot(guard);
    clients.delete(lane);
    clients.set(lane, client);
    const oldest = clients.size > MOST_CLIENTS ? clients.keys().next().value : undefined;
    if (oldest !== undefined) clients.delete(oldest);
    return client;
  };
  return async (posted) => {
    if (!/^https?:$/.test(URL.parse(posted.url)?.protocol ?? '')) return NO_ADDRESS;
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), wallMs);
    try {
      for (let isAgain = false; ; isAgain = true) {
        const { outcome, isStale } = await postOnce(clientOf(posted.lane), posted, stop.signal);
        // A kept connection that was closed meanwhile says nothing of the receiver (RFC 9112, section 9.3.1).
        if (!isStale || isAgain) return outcome;
      }
    } finally {
      clearTimeout(timer);
    }
  };
}

function postOnce(
  client: Client,
  { url, body, headers }: Posted,
  signal: AbortSignal,
): Promise<{ outcome: Outcome; isStale: boolean }> {
  const answered: Answered = { status: 0, chunks: [], bytes: 0 };
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
      const isStale = answered.status === 0 && request.reusedSocket === true && !signal.aborted;
      resolve({ outcome: outcomeOf(answered, signal.aborted ? new FetchFailed('timeout') : error), isStale });
      request.destroy();
    };
    request.on('response', ({ statusCode }: { statusCode: number }) => {
      answered.status = statusCode;
    });
    request.on('data', (chunk: Buffer) => {
      answered.chunks.push(chunk);
      answered.bytes += chunk.length;
      if (answered.bytes >= ANSWER_BYTES) end();
    });
    request.on('end', () => end());
    request.on('error', (error: unknown) => end(error));
    signal.addEventListener('abort', () => end(), { once: true });
  });
}

/** An answer counts from its head on: what is wrong with its body is the receiver's business. */
function outcomeOf({ status, chunks }: Answered, error: unknown): Outcome {
  if (status === 0) return { status: 0, error: reasonFor(error), answer: '' };
  const answer = answerText(Buffer.concat(chunks).subarray(0, ANSWER_BYTES));
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

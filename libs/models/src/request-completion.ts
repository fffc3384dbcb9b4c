import { setTimeout as sleep } from 'node:timers/promises';
import { FetchFailed, type HttpClient, type HttpResponse } from '@tidemark/egress';
import { retryAfterSeconds } from '@tidemark/web-url';
import type { Model, Prompt, Tokens } from './model.ts';
import { type ModelRequest, type Protocol, protocolOf } from './model-protocols.ts';

/** Largest response of a model, bytes. */
const MAX_RESPONSE_BYTES = 64 * 1_024;
const RETRY_AFTER_MS = 1_000;
const TOO_MANY_REQUESTS = 429;

export interface CompletionOptions {
  /** Repetitions after a rate limit or a server error; 1 by default, 0 where the caller repeats. */
  readonly retries?: 0 | 1;
  /** Wait before a repetition if the response states none, ms. */
  readonly retryAfterMs?: number;
}

/** Bounds of one call. */
export interface CompletionLimits {
  readonly withinMs: number;
  /** Tokens of the response. */
  readonly maxTokens: number;
  /** Ends the call early. */
  readonly signal?: AbortSignal;
}

/**
 * Why a call has no text. late: no response in time; busy: the service is limiting, unreachable or broken, and a later call can succeed;
 * refused: every call like this one is refused; unusable: a response without text.
 */
export type CompletionFailure =
  | { readonly failure: 'late' | 'refused' | 'unusable' }
  | { readonly failure: 'busy'; readonly isLimited: boolean; readonly retryAfterMs: number | undefined };

/** The text of a model, or why there is none. `tokens`: what the provider counted for the call. */
export type ModelReply = { readonly tokens?: Tokens | undefined } & (
  | { readonly text: string }
  | ({ readonly why: string } & CompletionFailure)
);

/**
 * Calls a model, with one retry after a rate limit or a server error, at the time that Retry-After states. Always resolves within `withinMs`, the
 * retry included.
 */
export type RequestCompletion = (model: Model, prompt: Prompt, limits: CompletionLimits) => Promise<ModelReply>;

export function makeRequestCompletion(
  client: Pick<HttpClient, 'fetch'>,
  { retries = 1, retryAfterMs = RETRY_AFTER_MS }: CompletionOptions = {},
): RequestCompletion {
  return async (model, prompt, limits) => {
    const { withinMs, maxTokens } = limits;
    const protocol = protocolOf(model.provider);
    if (protocol === undefined) return { why: 'the connection is not one to a language model', failure: 'refused' };
    // `timeout` accepts integers only.
    const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(withinMs)));
    const signal = limits.signal === undefined ? timeout : AbortSignal.any([timeout, limits.signal]);
    try {
      const response = await fetchWithRetry(client, protocol.buildRequest(model, prompt, maxTokens), signal, {
        withinMs,
        retries,
        retryAfterMs,
      });
      return replyOf(protocol, response);
    } catch (error) {
      const reply = limits.signal?.aborted === true ? undefined : replyWithout(error, timeout);
      if (reply === undefined) throw error;
      return reply;
    }
  };
}

function replyOf(protocol: Protocol, response: HttpResponse): ModelReply {
  if (response.status < 200 || response.status >= 300)
    return { why: `the model’s service responded with ${response.status}`, ...failureOf(response) };
  const body = parse(response.body.toString('utf8'));
  const [text, tokens] = [protocol.readText(body), protocol.readTokens(body)];
  return text === undefined ? { why: 'the response holds no text', failure: 'unusable', tokens } : { text, tokens };
}

/** Returns the reply for a request that has no response; undefined for an error of our own. */
function replyWithout(error: unknown, timeout: AbortSignal): ModelReply | undefined {
  const isFailed = error instanceof FetchFailed;
  // The client ends a request by the same limit, at times before the signal does.
  if (timeout.aborted || (isFailed && error.kind === 'timeout')) return { why: 'the model timed out', failure: 'late' };
  if (!isFailed) return undefined;
  const why = `no response from the model’s service: ${error.message}`;
  return UNREACHABLE.has(error.kind)
    ? { why, failure: 'busy', isLimited: false, retryAfterMs: undefined }
    : { why, failure: 'unusable' };
}

/** Failures without a response that a later call may not have. */
const UNREACHABLE: ReadonlySet<FetchFailed['kind']> = new Set(['dns', 'refused', 'reset']);

const isBusy = (status: number): boolean => status >= 500 || status === TOO_MANY_REQUESTS;

/** Returns the wait that a response demands, ms. */
function demandedMs({ headers }: HttpResponse): number | undefined {
  const seconds = retryAfterSeconds(headers);
  return seconds === undefined ? undefined : seconds * 1_000;
}

function failureOf(response: HttpResponse): CompletionFailure {
  if (!isBusy(response.status)) return { failure: 'refused' };
  const retryAfterMs = demandedMs(response);
  return {
    failure: 'busy',
    isLimited: response.status === TOO_MANY_REQUESTS || retryAfterMs !== undefined,
    retryAfterMs,
  };
}

async function fetchWithRetry(
  client: Pick<HttpClient, 'fetch'>,
  { url, headers, body }: ModelRequest,
  signal: AbortSignal,
  {
    withinMs,
    retries,
    retryAfterMs,
  }: { readonly withinMs: number; readonly retries: 0 | 1; readonly retryAfterMs: number },
): Promise<HttpResponse> {
  const request = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
    signal,
    timeoutMs: withinMs,
    maxBodyBytes: MAX_RESPONSE_BYTES,
    // A redirect would receive the API key.
    maxRedirects: 0,
  };
  const endsAtMs = performance.now() + withinMs;
  const first = await client.fetch(url, request);
  const waitMs = demandedMs(first) ?? retryAfterMs;
  if (retries === 0 || !isBusy(first.status) || performance.now() + waitMs >= endsAtMs) return first;
  await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  return client.fetch(url, request);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

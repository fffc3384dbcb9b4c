import { setTimeout as sleep } from 'node:timers/promises';
import { FetchFailed, type HttpClient, type HttpResponse } from '@tidemark/egress';
import type { Model, Prompt, Tokens } from './model.ts';
import { type ModelRequest, protocolOf } from './model-protocols.ts';

/** Largest response of a model, bytes. */
const MAX_RESPONSE_BYTES = 64 * 1_024;
const RETRY_AFTER_MS = 1_000;
const TOO_MANY_REQUESTS = 429;

export interface CompletionOptions {
  readonly retryAfterMs?: number;
}

/** Bounds of one call. */
export interface CompletionLimits {
  readonly withinMs: number;
  /** Tokens of the answer. */
  readonly maxTokens: number;
  /** Ends the call early. */
  readonly signal?: AbortSignal;
}

/** The text of a model, or why there is none. `tokens`: what the provider counted for the call. */
export type ModelReply = { readonly tokens?: Tokens | undefined } & (
  | { readonly text: string }
  | { readonly why: string; readonly isLate?: boolean }
);

/**
 * Calls a model, with one retry after a rate limit or a server error. Always resolves within `withinMs`, the retry included.
 */
export type RequestCompletion = (model: Model, prompt: Prompt, limits: CompletionLimits) => Promise<ModelReply>;

export function makeRequestCompletion(
  client: Pick<HttpClient, 'fetch'>,
  { retryAfterMs = RETRY_AFTER_MS }: CompletionOptions = {},
): RequestCompletion {
  return async (model, prompt, limits) => {
    const { withinMs, maxTokens } = limits;
    const protocol = protocolOf(model.provider);
    if (protocol === undefined) return { why: 'the connection is not one to a language model' };
    // `timeout` accepts integers only.
    const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(withinMs)));
    const signal = limits.signal === undefined ? timeout : AbortSignal.any([timeout, limits.signal]);
    try {
      const response = await fetchWithRetry(client, protocol.buildRequest(model, prompt, maxTokens), signal, {
        withinMs,
        retryAfterMs,
      });
      if (response.status < 200 || response.status >= 300)
        return { why: `the model’s service responded with ${response.status}` };
      const body = parse(response.body.toString('utf8'));
      const [text, tokens] = [protocol.readText(body), protocol.readTokens(body)];
      return text === undefined ? { why: 'the response holds no text', tokens } : { text, tokens };
    } catch (error) {
      if (limits.signal?.aborted === true) throw error;
      const isFailed = error instanceof FetchFailed;
      // The client ends a request by the same limit, at times before the signal does.
      if (timeout.aborted || (isFailed && error.kind === 'timeout'))
        return { why: 'the model timed out', isLate: true };
      if (isFailed) return { why: `no response from the model’s service: ${error.message}` };
      throw error;
    }
  };
}

async function fetchWithRetry(
  client: Pick<HttpClient, 'fetch'>,
  { url, headers, body }: ModelRequest,
  signal: AbortSignal,
  { withinMs, retryAfterMs }: { readonly withinMs: number; readonly retryAfterMs: number },
): Promise<HttpResponse> {
  const request = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    // A redirect would receive the API key.

    body,
    signal,
    timeoutMs: withinMs,
    maxBodyBytes: MAX_RESPONSE_BYTES,
    maxRedirects: 0,
  };
  const first = await client.fetch(url, request);
  if (first.status < 500 && first.status !== TOO_MANY_REQUESTS) return first;
  await sleep(retryAfterMs);
  return client.fetch(url, request);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

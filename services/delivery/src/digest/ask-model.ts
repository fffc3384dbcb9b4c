import { FetchFailed, type HttpClient, type HttpResponse } from '@tidemark/egress';
import type { Prompt } from './change-prompt.ts';
import { type Model, protocolOf, type Question } from './model-protocols.ts';

const MAX_ANSWER_BYTES = 64 * 1_024;
const AGAIN_AFTER_MS = 1_000;
const TOO_MANY_REQUESTS = 429;

export interface AskModelOptions {
  readonly againAfterMs?: number;
}

export type Said = { readonly said: string } | { readonly why: string; readonly isLate?: boolean };

/**
 * Asks a model once, and once more where it was too busy or in trouble. Whatever it does, there is an answer within `withinMs`, the second
 * try included.
 */
export function makeAskModel(
  client: Pick<HttpClient, 'fetch'>,
  { againAfterMs = AGAIN_AFTER_MS }: AskModelOptions = {},
) {
  return async (model: Model, prompt: Prompt, withinMs: number): Promise<Said> => {
    const protocol = protocolOf(model.provider);
    if (protocol === undefined) return { why: 'the connection is not one to a language model' };
    const signal = AbortSignal.timeout(withinMs);
    try {
      const answer = await askTwice(client, protocol.ask(model, prompt), signal, {
        withinMs,
        againAfterMs,
      });
      if (answer.status < 200 || answer.status >= 300) return { why: `the model’s service answered ${answer.status}` };
      const said = protocol.read(parse(answer.body.toString('utf8')));
      return said === undefined ? { why: 'the answer holds nothing a model said' } : { said };
    } catch (error) {
      if (signal.aborted) return { why: 'the model took too long', isLate: true };
      if (error instanceof FetchFailed) return { why: `no answer from the model’s service: ${error.message}` };
      throw error;
    }
  };
}

async function askTwice(
  client: Pick<HttpClient, 'fetch'>,
  { url, headers, body }: Question,
  signal: AbortSignal,
  { withinMs, againAfterMs }: { readonly withinMs: number; readonly againAfterMs: number },
): Promise<HttpResponse> {
  const question = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    // A redirect would take the key along.
    ...{ body, signal, timeoutMs: withinMs, maxBodyBytes: MAX_ANSWER_BYTES, maxRedirects: 0 },
  };
  const first = await client.fetch(url, question);
  if (first.status < 500 && first.status !== TOO_MANY_REQUESTS) return first;
  await new Promise((resolve) => setTimeout(resolve, againAfterMs));
  return client.fetch(url, question);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

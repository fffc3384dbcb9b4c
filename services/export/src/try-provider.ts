import { FetchFailed, type HttpClient, type HttpResponse } from '@tidemark/egress';
import { z } from 'zod';
import type { Values } from './domain/connection.ts';
import type { Provider } from './domain/providers.ts';

const WITHIN_MS = 10_000;
/** Services that pass on others' models list thousands of them. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_SAID_CHARS = 300;

const Models = z.object({ data: z.array(z.object({ id: z.string() })) });
const Refusal = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

export interface Tried {
  readonly ok: boolean;
  readonly reason: string;
}

/** Asks the provider for its models, which needs the secrets and costs nothing. */
export function makeTryProvider(client: Pick<HttpClient, 'fetch'>, { withinMs = WITHIN_MS } = {}) {
  return async (provider: Provider, config: Values, secrets: Values): Promise<Tried> => {
    const answer = await ask(client, `${config['base_url'] ?? ''}/models`, provider.headers(secrets), withinMs);
    if ('failed' in answer) return { ok: false, reason: answer.failed };
    return judge(answer, config['model'] ?? '', secrets);
  };
}

async function ask(
  client: Pick<HttpClient, 'fetch'>,
  url: string,
  headers: Values,
  timeoutMs: number,
): Promise<HttpResponse | { readonly failed: string }> {
  const bounds = { timeoutMs, maxBodyBytes: MAX_ANSWER_BYTES, maxRedirects: 0 };
  try {
    return await client.fetch(url, { headers: { ...headers, accept: 'application/json' }, ...bounds });
  } catch (error) {
    if (error instanceof FetchFailed) return { failed: `no answer: ${error.message}` };
    throw error;
  }
}

function judge({ status, body }: HttpResponse, model: string, secrets: Values): Tried {
  const said = parse(body.toString('utf8'));
  if (status >= 200 && status < 300) return judgeModels(said, status, model);
  return { ok: false, reason: `${sentenceOf(status)}${quoted(said, secrets)}` };
}

function judgeModels(said: unknown, status: number, model: string): Tried {
  const models = Models.safeParse(said);
  if (!models.success)
    return { ok: false, reason: `it answered ${status}, and not with a list of models: is base_url right?` };
  const isListed = models.data.data.some(({ id }) => id === model);
  const about = isListed ? `knows the model ${model}` : `does not list the model ${model}`;
  return { ok: true, reason: `it takes the key and ${about}` };
}

function sentenceOf(status: number): string {
  if (status === 401 || status === 403) return `it refuses the key (${status})`;
  if (status === 404) return 'there is nothing at base_url/models (404): is base_url right?';
  if (status === 429) return 'it takes no more requests by this key for now (429)';
  if (status >= 500) return `it has trouble of its own (${status})`;
  if (status >= 300 && status < 400) return `it answers with a redirect (${status}), which is not followed with a key`;
  return `it answered ${status}`;
}

/** What the provider says itself, in one line and without the secrets it may repeat. */
function quoted(said: unknown, secrets: Values): string {
  const refusal = Refusal.safeParse(said);
  if (!refusal.success) return '';
  const { error } = refusal.data;
  const text = typeof error === 'string' ? error : error.message;
  const silent = Object.values(secrets).reduce((left, secret) => left.replaceAll(secret, '…'), text);
  const line = silent
    .toWellFormed()
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, MAX_SAID_CHARS);
  return line === '' ? '' : `: ${line.toWellFormed()}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

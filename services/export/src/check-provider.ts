import { FetchFailed, type HttpClient, type HttpResponse } from '@tidemark/egress';
import { z } from 'zod';
import type { Values } from './domain/connection.ts';
import { modelHeaders } from './domain/providers/model-providers.ts';
import type { Provider } from './domain/providers/provider.ts';

const TIMEOUT_MS = 10_000;
/** Aggregators list thousands of models. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_MESSAGE_CHARS = 300;

const Models = z.object({ data: z.array(z.object({ id: z.string() })) });
const Refusal = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

export interface ProviderCheck {
  readonly ok: boolean;
  readonly reason: string;
}

/** Checks a connection to a language model by requesting the provider's list of models, which is authenticated and free of charge. */
export type CheckProvider = (provider: Provider, config: Values, secrets: Values) => Promise<ProviderCheck>;

export function makeCheckProvider(client: Pick<HttpClient, 'fetch'>, { timeoutMs = TIMEOUT_MS } = {}): CheckProvider {
  return async (provider, config, secrets) => {
    const url = `${config['base_url'] ?? ''}/models`;
    const response = await requestModels(client, url, modelHeaders(provider, secrets), timeoutMs);
    if ('failed' in response) return { ok: false, reason: response.failed };
    return evaluate(response, config['model'] ?? '', secrets);
  };
}

async function requestModels(
  client: Pick<HttpClient, 'fetch'>,
  url: string,
  headers: Values,
  timeoutMs: number,
): Promise<HttpResponse | { readonly failed: string }> {
  // No redirects: a redirect would send the key to another address.
  const limits = { timeoutMs, maxBodyBytes: MAX_BODY_BYTES, maxRedirects: 0 };
  try {
    return await client.fetch(url, { headers: { ...headers, accept: 'application/json' }, ...limits });
  } catch (error) {
    if (error instanceof FetchFailed) return { failed: `no response: ${error.message}` };
    throw error;
  }
}

function evaluate({ status, body }: HttpResponse, model: string, secrets: Values): ProviderCheck {
  const json = parse(body.toString('utf8'));
  if (status >= 200 && status < 300) return evaluateModels(json, status, model);
  return { ok: false, reason: `${describeStatus(status)}${errorMessage(json, secrets)}` };
}

function evaluateModels(body: unknown, status: number, model: string): ProviderCheck {
  const models = Models.safeParse(body);
  if (!models.success)
    return { ok: false, reason: `the provider answered ${status} without a list of models; check base_url` };
  const isListed = models.data.data.some(({ id }) => id === model);
  const listing = isListed ? `lists the model ${model}` : `does not list the model ${model}`;
  return { ok: true, reason: `the provider accepts the key and ${listing}` };
}

function describeStatus(status: number): string {
  if (status === 401 || status === 403) return `the provider refuses the key (${status})`;
  if (status === 404) return 'base_url/models was not found (404); check base_url';
  if (status === 429) return 'the provider limits requests with this key (429)';
  if (status >= 500) return `the provider failed (${status})`;
  if (status >= 300 && status < 400) return `the provider redirects (${status}); redirects are not followed`;
  return `the provider answered ${status}`;
}

/** Returns the provider's own error message in one line. Secrets that the provider repeats are replaced. */
function errorMessage(body: unknown, secrets: Values): string {
  const refusal = Refusal.safeParse(body);
  if (!refusal.success) return '';
  const { error } = refusal.data;
  const text = typeof error === 'string' ? error : error.message;
  const redacted = Object.values(secrets).reduce((left, secret) => left.replaceAll(secret, '…'), text);
  const line = redacted
    .toWellFormed()
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, MAX_MESSAGE_CHARS);
  return line === '' ? '' : `: ${line.toWellFormed()}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { field, MODEL_KIND, type Provider } from './provider.ts';

const model = field('model', 'line', 'Name of the model at the provider', { required: true });
const apiKey = field('api_key', 'header', 'Your own API key; the provider bills you for its use', { required: true });
const baseUrl = (fallback: string, says: string) => field('base_url', 'url', says, { fallback });

/** Language models. */
export const MODEL_PROVIDERS: readonly Provider[] = [
  {
    id: 'openai',
    title: 'OpenAI, or a service with a compatible API',
    kind: MODEL_KIND,
    fields: [baseUrl('https://api.openai.com/v1', 'Base URL of the API: the part before /chat/completions'), model],
    secrets: [apiKey],
    oneOfSecrets: [],
    boundTo: ['base_url'],
    note: 'Uses chat completions with a JSON response. A test lists the models, which is free of charge.',
    verified: false,
  },
  {
    id: 'anthropic',
    title: 'Anthropic',
    kind: MODEL_KIND,
    fields: [baseUrl('https://api.anthropic.com/v1', 'Base URL of the API: the part before /messages'), model],
    secrets: [apiKey],
    oneOfSecrets: [],
    boundTo: ['base_url'],
    note: 'Uses the Messages API. A test lists the models, which is free of charge.',
    verified: false,
  },
];

/** Returns the request headers that authenticate at a provider of models. */
export function modelHeaders({ id }: Provider, secrets: Readonly<Record<string, string>>): Record<string, string> {
  const key = secrets['api_key'] ?? '';
  return id === 'anthropic'
    ? { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
    : { authorization: `Bearer ${key}` };
}

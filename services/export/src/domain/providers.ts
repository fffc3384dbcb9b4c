/** A field or secret of a provider's connections. */
export interface ProviderField {
  readonly name: string;
  readonly required: boolean;
  readonly says: string;
  /** Default value; empty: none. */
  readonly fallback: string;
  readonly maxChars: number;
}

/** An external service that a connection can use. */
export interface Provider {
  readonly id: string;
  readonly title: string;
  readonly kind: 'model';
  readonly fields: readonly ProviderField[];
  readonly secrets: readonly ProviderField[];
  readonly note: string;
  /** True if it has been tested against the provider itself, not only against a fake of its protocol. */
  readonly verified: boolean;
  /** Returns the request headers that authenticate with these secrets. */
  readonly headers: (secrets: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
}

const baseUrl = (fallback: string, says: string): ProviderField => ({
  ...{ name: 'base_url', required: false, says, fallback, maxChars: 2_000 },
});
const model: ProviderField = {
  ...{
    name: 'model',
    required: true,
    says: 'Name of the model at the provider',
    fallback: '',
    maxChars: 200,
  },
};
const apiKey: ProviderField = {
  ...{
    name: 'api_key',
    required: true,
    says: 'Your own API key; the provider bills you for its use',
    fallback: '',
    maxChars: 4_096,
  },
};

/** All providers. */
export const PROVIDERS: readonly Provider[] = [
  {
    id: 'openai',
    title: 'OpenAI, or a service with a compatible API',
    kind: 'model',
    fields: [baseUrl('https://api.openai.com/v1', 'Base URL of the API: the part before /chat/completions'), model],
    secrets: [apiKey],
    note: 'Uses chat completions with a JSON response. A test lists the models, which is free of charge.',
    verified: false,
    headers: (secrets) => ({ authorization: `Bearer ${secrets['api_key'] ?? ''}` }),
  },
  {
    id: 'anthropic',
    title: 'Anthropic',
    kind: 'model',
    fields: [baseUrl('https://api.anthropic.com/v1', 'Base URL of the API: the part before /messages'), model],
    secrets: [apiKey],
    note: 'Uses the Messages API. A test lists the models, which is free of charge.',
    verified: false,
    headers: (secrets) => ({ 'x-api-key': secrets['api_key'] ?? '', 'anthropic-version': '2023-06-01' }),
  },
];

/** Returns the provider with this id; undefined if there is none. */
export const providerOf = (id: string): Provider | undefined => PROVIDERS.find((provider) => provider.id === id);

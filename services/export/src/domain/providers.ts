/** One thing a provider is reached with. */
export interface ProviderField {
  readonly name: string;
  readonly required: boolean;
  readonly says: string;
  /** What holds where nothing is given; empty: nothing does. */
  readonly fallback: string;
  /** Characters at most. */
  readonly most: number;
}

/** A service the customer may connect to. */
export interface Provider {
  readonly id: string;
  readonly title: string;
  /** What it is for. */
  readonly kind: 'model';
  readonly fields: readonly ProviderField[];
  readonly secrets: readonly ProviderField[];
  readonly note: string;
  /** Whether it was tried against the provider itself, not only against its protocol. */
  readonly verified: boolean;
  /** The headers a request carries its secrets in. */
  readonly headers: (secrets: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
}

const baseUrl = (fallback: string, says: string): ProviderField => ({
  ...{ name: 'base_url', required: false, says, fallback, most: 2_000 },
});
const model: ProviderField = {
  ...{
    name: 'model',
    required: true,
    says: 'The name of the model, as the provider knows it',
    fallback: '',
    most: 200,
  },
};
const apiKey: ProviderField = {
  ...{
    name: 'api_key',
    required: true,
    says: 'A key of your own: what is used is on your bill',
    fallback: '',
    most: 4_096,
  },
};

/** Every provider a connection can be of. */
export const PROVIDERS: readonly Provider[] = [
  {
    id: 'openai',
    title: 'OpenAI, or a service that speaks its protocol',
    kind: 'model',
    fields: [
      baseUrl('https://api.openai.com/v1', 'Where its protocol is spoken: what comes before /chat/completions'),
      model,
    ],
    secrets: [apiKey],
    note: 'Asked by chat completions with an answer in JSON. A test lists the models, which costs nothing.',
    verified: false,
    headers: (secrets) => ({ authorization: `Bearer ${secrets['api_key'] ?? ''}` }),
  },
  {
    id: 'anthropic',
    title: 'Anthropic',
    kind: 'model',
    fields: [
      baseUrl('https://api.anthropic.com/v1', 'Where its protocol is spoken: what comes before /messages'),
      model,
    ],
    secrets: [apiKey],
    note: 'Asked by messages. A test lists the models, which costs nothing.',
    verified: false,
    headers: (secrets) => ({ 'x-api-key': secrets['api_key'] ?? '', 'anthropic-version': '2023-06-01' }),
  },
];

/** The provider by this id; undefined: there is none. */
export const providerOf = (id: string): Provider | undefined => PROVIDERS.find((provider) => provider.id === id);

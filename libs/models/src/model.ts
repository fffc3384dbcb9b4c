/** A language model of a workspace's connection. */
export interface Model {
  /** openai, anthropic. */
  readonly provider: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
}

/** A model's prompt: the rules, and the data they apply to. */
export interface Prompt {
  readonly rules: string;
  readonly question: string;
  /** An earlier response that is to be corrected, and what is wrong with it. */
  readonly correction?: { readonly response: string; readonly complaint: string };
}

/** Tokens that a provider counted. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

import type { ProviderKind } from '@tidemark/contracts/export/v1/export';
/**
 * Type of a field. `line`: one line of text. `lines`: text with line breaks, such as a PEM certificate. `url`: an http or https address.
 * `host`: a name or an IP address. `port`: 1 to 65535. `choice`: one of `choices`. `header`: a secret that is sent in a header of
 * requests.
 */
export type FieldType = 'line' | 'lines' | 'url' | 'host' | 'port' | 'choice' | 'header';

/** A field or secret of a provider's connections. */
export interface ProviderField {
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly says: string;
  /** Default value; empty: none. */
  readonly fallback: string;
  readonly maxChars: number;
  /** Values of a field of the type `choice`. */
  readonly choices: readonly string[];
}

/** An external service that a connection can use. */
export interface Provider {
  readonly id: string;
  readonly title: string;
  /** `model`: a language model. Every other kind is a kind of destination. */
  readonly kind: ProviderKind;
  readonly fields: readonly ProviderField[];
  readonly secrets: readonly ProviderField[];
  /** Secrets of which at least one is required; empty: no such rule. */
  readonly oneOfSecrets: readonly string[];
  /** Fields that state where the secrets are sent. Secrets are discarded when one of them changes. */
  readonly boundTo: readonly string[];
  readonly note: string;
  /** True if it has been tested against the provider itself, not only against a fake of its protocol. */
  readonly verified: boolean;
}

export const MODEL_KIND = 'model';

/** Returns a field with the defaults of its type. */
export function field(
  name: string,
  type: FieldType,
  says: string,
  more: Partial<Pick<ProviderField, 'required' | 'fallback' | 'choices'>> = {},
): ProviderField {
  return { name, type, says, required: false, fallback: '', choices: [], maxChars: MAX_CHARS[type], ...more };
}

const MAX_CHARS: Readonly<Record<FieldType, number>> = {
  line: 200,
  lines: 16_384,
  url: 2_000,
  host: 253,
  port: 5,
  choice: 40,
  header: 4_096,
};

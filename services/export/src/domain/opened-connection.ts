import type { Values } from './connection.ts';
import type { Provider } from './providers/provider.ts';

/** A connection with decrypted secrets, for what calls the provider. */
export interface OpenedConnection {
  readonly provider: Provider;
  /** Includes the fallbacks of fields that are not set. */
  readonly config: Values;
  readonly secrets: Values;
}

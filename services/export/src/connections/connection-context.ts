import { z } from 'zod';
import { sealContext } from '../domain/connection-values.ts';
import { ALL_PROVIDERS } from '../domain/providers/providers.ts';

const Config = z.record(z.string(), z.string());

/** Returns the context under which the secrets of a stored connection are sealed; undefined if its provider is unknown. For `tidemark-admin`. */
export function connectionContext(id: string, providerId: string, config: unknown): string | undefined {
  const provider = ALL_PROVIDERS.find((each) => each.id === providerId);
  return provider && sealContext(id, provider, Config.parse(config));
}

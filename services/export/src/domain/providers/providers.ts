import { DATABASE_PROVIDERS } from './database-providers.ts';
import { FILE_PROVIDERS } from './file-providers.ts';
import { MODEL_PROVIDERS } from './model-providers.ts';
import { MODEL_KIND, type Provider } from './provider.ts';

/** Every provider, offered or not. */
export const ALL_PROVIDERS: readonly Provider[] = [...MODEL_PROVIDERS, ...DATABASE_PROVIDERS, ...FILE_PROVIDERS];

/** The providers that are offered, and their search by id. */
export class ProviderCatalogue {
  readonly offered: readonly Provider[];

  /** @param driverKinds kinds of destinations that can be opened; providers of other kinds are not offered */
  constructor(driverKinds: readonly string[]) {
    this.offered = ALL_PROVIDERS.filter(({ kind }) => kind === MODEL_KIND || driverKinds.includes(kind));
  }

  find(id: string): Provider | undefined {
    return this.offered.find((provider) => provider.id === id);
  }
}

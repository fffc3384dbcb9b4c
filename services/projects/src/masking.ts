import { configEntries, isMaskedUrl, maskUrl } from '@tidemark/api';
import type { Masking } from './domain/config-values.ts';

const SECRETS: ReadonlySet<string> = new Set(configEntries.filter(([, { masked }]) => masked).map(([key]) => key));

/** The catalogue's secrets, and how it shows them. */
export const masking: Masking = { isSecret: (key) => SECRETS.has(key), mask: maskUrl, isMasked: isMaskedUrl };

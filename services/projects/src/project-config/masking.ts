import { configEntries, isMaskedUrl, maskUrl } from '@tidemark/api';
import type { Masking } from '../domain/config-values.ts';

const SECRETS: ReadonlySet<string> = new Set(configEntries.filter(([, { masked }]) => masked).map(([key]) => key));

/** Masks the config keys that the catalogue marks as secret. */
export const masking: Masking = { isSecret: (key) => SECRETS.has(key), mask: maskUrl, isMasked: isMaskedUrl };

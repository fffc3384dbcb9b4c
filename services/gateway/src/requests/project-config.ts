import { type ConfigGroup, configEntries, isMaskedUrl } from '@tidemark/api';
import { AppError } from '@tidemark/errors';

type Settings = Readonly<Record<string, unknown>>;

/** Serialises settings for projects; empty if there are none. */
export const toConfigJson = (config: Settings | undefined): string =>
  config === undefined ? '' : JSON.stringify(config);

/** Rejects masked values, which are valid only if a value is already stored. @throws AppError validation (422) */
export function rejectMasked(config: Settings | undefined): void {
  const masked = configEntries.find(([key, entry]) => entry.masked === true && isMaskedUrl(config?.[key]));
  if (masked === undefined) return;
  const [key] = masked;
  const msg = 'expected a complete URL: a masked URL keeps the stored value, and none is stored';
  throw new AppError('validation', `config.${key}: ${msg}`, {
    detail: [{ loc: ['body', 'config', key], msg, type: 'masked' }],
  });
}

/** Returns the keys of these groups that can be copied between projects. */
export const copyableKeys = (groups: readonly (ConfigGroup | 'all')[]): string[] =>
  configEntries
    .filter(([, { group, site }]) => site !== true && (groups.includes('all') || groups.includes(group)))
    .map(([key]) => key);

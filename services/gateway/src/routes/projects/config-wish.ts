import { type ConfigGroup, configEntries, isMaskedUrl } from '@tidemark/api';
import { AppError } from '@tidemark/errors';

type Settings = Readonly<Record<string, unknown>>;

/** Settings as they are sent on. */
export const toConfigJson = (config: Settings | undefined): string =>
  config === undefined ? '' : JSON.stringify(config);

/** Where nothing is stored yet, a masked value stands for nothing. @throws AppError validation (422) */
export function refuseMasked(config: Settings | undefined): void {
  const masked = configEntries.find(([key, entry]) => entry.masked === true && isMaskedUrl(config?.[key]));
  if (masked === undefined) return;
  const [key] = masked;
  const msg = 'expected the whole address: a masked one keeps what is stored, and nothing is yet';
  throw new AppError('validation', `config.${key}: ${msg}`, {
    detail: [{ loc: ['body', 'config', key], msg, type: 'masked' }],
  });
}

/** The keys of these groups that may be copied from one project to another. */
export const travellingKeys = (groups: readonly (ConfigGroup | 'all')[]): string[] =>
  configEntries
    .filter(([, { group, site }]) => site !== true && (groups.includes('all') || groups.includes(group)))
    .map(([key]) => key);

import type { ServiceCode, SettingOfCode } from './read-code.ts';

/** Meanings of settings whose names state them, which `config.ts` need not comment. */
const MEANINGS: Readonly<Record<string, (service: string) => string>> = {
  DATABASE_URL: (service) => `PostgreSQL, schema \`${service}\`.`,
  NATS_URL: () => 'NATS.',
};

const ADDRESSES = 'Services that it calls: `host:port`, or several separated by commas.';

/** Returns the table of a service's own settings as Markdown. */
export function settingsTable({ name, settings }: ServiceCode): string {
  const addresses = settings.filter(({ key }) => key.endsWith('_ADDR'));
  const [first] = addresses;
  const rows = settings.flatMap((setting) => {
    if (!addresses.includes(setting)) return [row([setting], meaningOf(setting, name), defaultOf(setting))];
    return setting === first
      ? [row(addresses, addresses.length === 1 && first.meaning !== '' ? first.meaning : ADDRESSES, 'required')]
      : [];
  });
  return ['| key | meaning | default |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Returns the settings without a meaning. */
export const unexplained = ({ settings }: ServiceCode): readonly string[] =>
  settings
    .filter(({ key, meaning }) => meaning === '' && !key.endsWith('_ADDR') && MEANINGS[key] === undefined)
    .map(({ key }) => key);

const row = (settings: readonly SettingOfCode[], meaning: string, fallback: string): string =>
  `| ${settings.map(({ key }) => `\`${key}\``).join(', ')} | ${meaning.replaceAll('|', '\\|')} | ${fallback} |`;

const meaningOf = ({ key, meaning }: SettingOfCode, service: string): string =>
  meaning === '' ? (MEANINGS[key]?.(service) ?? '') : meaning;

function defaultOf({ isRequired, defaultText, fallback }: SettingOfCode): string {
  if (isRequired) return 'required';
  if (defaultText !== undefined) return defaultText;
  return fallback === undefined || fallback === '' ? '' : `\`${fallback}\``;
}

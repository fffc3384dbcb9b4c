import type { ServiceCode, SettingOfCode } from './read-code.ts';

/** Meanings of settings whose names state them, which `config.ts` need not comment. */
const MEANINGS: Readonly<Record<string, (service: string) => string>> = {
  DATABASE_URL: (service) => `PostgreSQL, schema \`${service.replaceAll('-', '_')}\``,
  NATS_URL: () => 'NATS',
};

/** Returns the table of a service's own settings as Markdown. */
export function settingsTable({ name, settings }: ServiceCode): string {
  const addresses = settings.filter(({ key }) => key.endsWith('_ADDR'));
  const rows = settings.flatMap((setting) => {
    if (setting !== addresses[0])
      return addresses.includes(setting) ? [] : [row([setting], meaningOf(setting, name), defaultOf(setting))];
    return [row(addresses, 'addresses of the services, `host:port`; several are separated by commas', 'required')];
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

import { settingName } from '../../parts/settings/labels.ts';
import { words } from '../../words/words.ts';

const { details } = words.team.workspace.audit;

/** What an entry of the audit log needs to state its details by name. */
export interface DetailNames {
  /** Replaces the ids of projects, keys and people in a text by their names. */
  readonly withNames: (text: string) => string;
  /** Returns the name of a provider of connections by its id. */
  readonly provider: (id: string) => string;
}

/** Returns the details of an entry as a line of text. Settings, providers, projects, keys and people are named. */
export function detailText(detail: Readonly<Record<string, unknown>>, names: DetailNames): string {
  return Object.entries(detail)
    .map(([key, value]) => `${nameOf(key)}: ${names.withNames(valueText(key, value, names))}`)
    .join(' · ');
}

function nameOf(key: string): string {
  const known: Readonly<Record<string, string>> = details;
  return known[key] ?? key.replaceAll('_', ' ');
}

function valueText(key: string, value: unknown, { provider }: DetailNames): string {
  if (Array.isArray(value)) {
    const list = value.map(String);
    return (key === 'keys' ? list.map(settingName) : list).join(', ');
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  return key === 'provider' ? provider(value) : value;
}

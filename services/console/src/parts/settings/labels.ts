import { words } from '../../words/words.ts';
import { nameOf } from './setting-value.ts';

/** A setting in the words of the reader. */
export interface Label {
  readonly name: string;
  readonly hint: string;
  /** Unit of a number. */
  readonly unit?: string;
  /** Names of values. */
  readonly choices?: Readonly<Record<string, string>>;
}

const labels: Readonly<Record<string, Label>> = words.settingNames;
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Returns the name and the description of a setting; those of the API for a key that the catalogue of texts lacks. */
export function labelOf({ key, summary = '' }: { readonly key: string; readonly summary?: string }): Label {
  const label = Object.hasOwn(labels, key) ? labels[key] : undefined;
  return label ?? { name: nameOf(key), hint: summary === '' ? '' : sentence(summary) };
}

/** Returns the name of a setting by its key. */
export const settingName = (key: string): string => labelOf({ key }).name;

import type { GROUPS } from './groups.ts';
import { labelOf } from './labels.ts';
import { type Kind, parseText, textOf } from './setting-value.ts';

/** A setting with its stored value. */
export interface Setting {
  readonly key: string;
  readonly group: (typeof GROUPS)[number];
  readonly summary: string;
  readonly kind: Kind;
  readonly choices: readonly string[];
  readonly bounds: { readonly min?: number; readonly max?: number };
  readonly fallback: unknown;
  /** undefined: the default is in force. */
  readonly stored: unknown;
}

/** Texts of edited controls by key. */
export type Edits = Readonly<Record<string, string>>;

export const storedText = ({ stored, fallback, kind }: Setting): string =>
  textOf(stored === undefined ? fallback : stored, kind);

/** Returns the edits with one more; an edit equal to the stored value is removed. */
export function withEdit(edits: Edits, setting: Setting, text: string): Edits {
  const { [setting.key]: _, ...others } = edits;
  return text === storedText(setting) ? others : { ...others, [setting.key]: text };
}

/** Returns the edit that resets a setting to its default. */
export const resetText = ({ fallback, kind }: Setting): string => textOf(fallback, kind);

export interface Patch {
  /** Values of the project itself, such as its name. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly config: Readonly<Record<string, unknown>>;
  /** Edited settings whose text has no value. */
  readonly problems: Readonly<Record<string, 'number' | 'json'>>;
}

/** Returns what the edits send. A value equal to the default resets the setting, so that a later default applies to it. */
export function patchOf(settings: readonly Setting[], edits: Edits): Patch {
  const own: Record<string, unknown> = {};
  const config: Record<string, unknown> = {};
  const problems: Record<string, 'number' | 'json'> = {};
  for (const { key, group, kind, fallback } of settings) {
    const text = edits[key];
    if (text === undefined) continue;
    const parsed = parseText(text, kind);
    if ('problem' in parsed) problems[key] = parsed.problem;
    else if (group === 'general') own[key] = parsed.value ?? '';
    else config[key] = text === textOf(fallback, kind) ? null : parsed.value;
  }
  return { own, config, problems };
}

/** Returns the settings of a search: every word in the name or the description. */
export function searched(settings: readonly Setting[], q: string): readonly Setting[] {
  const parts = q
    .toLowerCase()
    .split(/\s+/)
    .filter((part) => part !== '');
  return settings.filter((setting) => {
    const { key, summary } = setting;
    const { name, hint } = labelOf(setting);
    const text = `${name} ${hint} ${key} ${key.replaceAll('_', ' ')} ${summary}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  });
}

interface Issue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** Returns the messages of a refused request by the key of the setting. The part of a value that is invalid precedes the message. */
export function messagesOf(issues: readonly Issue[]): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { loc, msg } of issues) {
    const path = loc.filter((part) => part !== 'body' && part !== 'config').map(String);
    const [key, ...inside] = path;
    if (key === undefined || found[key] !== undefined) continue;
    const text = inside.length === 0 ? msg : `${inside.join('.')}: ${msg}`;
    found[key] = text.charAt(0).toUpperCase() + text.slice(1);
  }
  return found;
}

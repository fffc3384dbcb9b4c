import type { FIELD_TYPES, Use } from './picker-view.ts';

export interface FieldDraft {
  readonly name: string;
  readonly attribute: string;
  readonly type: (typeof FIELD_TYPES)[number];
  readonly many: boolean;
}

type Config = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string';

/** Returns the value of a setting with one more selector or field; undefined: the list has it already. */
export function valueWith(config: Config, use: Use, added: { readonly selector: string; readonly field: FieldDraft }) {
  const { selector, field } = added;
  const before = config[use];
  if (use !== 'fields') {
    const list = Array.isArray(before) ? before.filter(isText) : [];
    return list.includes(selector) ? undefined : [...list, selector];
  }
  const { name, attribute, type, many } = field;
  const rule = {
    selector,
    ...(attribute.trim() === '' ? {} : { attribute: attribute.trim() }),
    ...(type === 'string' ? {} : { type }),
    ...(many ? { many } : {}),
  };
  return { ...(isRecord(before) ? before : {}), [name.trim()]: rule };
}

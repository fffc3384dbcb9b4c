import { Refusal, refuseOption, refuseValue } from './refusal.ts';

export type Settings = Readonly<Record<string, unknown>>;

/** The part of a request of this service that one field of Firecrawl sets. */
export interface Translated {
  /** Fields of the request. */
  readonly request?: Settings;
  /** Keys of its `config`. */
  readonly config?: Settings;
}

/** A field of Firecrawl. */
export interface Field {
  /** What it becomes here, for the documentation. Names of this service are between backticks. */
  readonly becomes: string;
  /** Translates its value. @throws Refusal */
  readonly translate: (value: unknown, name: string) => Translated;
}
export type Fields = Readonly<Record<string, Field>>;

export const isObject = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function objectAt(value: unknown, name: string): Settings {
  return isObject(value) ? value : refuseValue(name, 'an object');
}
export function listAt(value: unknown, name: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuseValue(name, 'a list');
}
export function numberAt(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  return refuseValue(name, 'a number from 0');
}
export function flagAt(value: unknown, name: string): boolean {
  return typeof value === 'boolean' ? value : refuseValue(name, 'true or false');
}
export function textAt(value: unknown, name: string): string {
  return typeof value === 'string' ? value : refuseValue(name, 'a text');
}

/** Returns an entry of a table by a key that a client has sent. */
export const entryOf = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

const headersIn = ({ headers }: Settings): Settings => (isObject(headers) ? headers : {});

/** Headers may be set by several fields; every other key is set by one. */
function merge(left: Settings, right: Settings): Settings {
  const headers = { ...headersIn(left), ...headersIn(right) };
  const merged = { ...left, ...right };
  return Object.keys(headers).length === 0 ? merged : { ...merged, headers };
}

/** Translates an object field by field. A field outside the table is refused by name. @throws Refusal */
export function translate(body: unknown, fields: Fields, where = ''): Required<Translated> {
  let request: Settings = {};
  let config: Settings = {};
  for (const [key, value] of Object.entries(objectAt(body, where === '' ? 'body' : where))) {
    const name = where === '' ? key : `${where}.${key}`;
    const field = entryOf(fields, key);
    if (field === undefined) refuseUnknown(name);
    if (value === undefined || value === null) continue;
    const translated = field.translate(value, name);
    request = merge(request, translated.request ?? {});
    config = merge(config, translated.config ?? {});
  }
  return { request, config };
}

function refuseUnknown(name: string): never {
  throw new Refusal(400, 'BAD_REQUEST', {
    message: `${name.slice(0, 120)} is not a field that this service supports: remove it`,
  });
}

export const fieldOf = (becomes: string, translation: Field['translate']): Field => ({
  becomes,
  translate: translation,
});

/** A field that changes nothing here. */
export const ignored = fieldOf('accepted, changes nothing', () => ({}));

/** A field that is refused unless its value is false or empty. */
export const unsupported = (instead = ''): Field =>
  fieldOf(`refused${instead === '' ? '' : `: ${instead}`}`, (value, name) =>
    value === false || value === '' || (Array.isArray(value) && value.length === 0) ? {} : refuseOption(name, instead),
  );

/** A field whose `true` is how this service works, and whose `false` has no equivalent. */
export const alwaysOn = (instead: string): Field =>
  fieldOf(`always true; false is refused: ${instead}`, (value, name) =>
    flagAt(value, name) ? {} : refuseOption(`${name}: false`, instead),
  );

export const toConfig = (key: string): Field => fieldOf(`\`config.${key}\``, (value) => ({ config: { [key]: value } }));

export const toRequest = (key: string): Field => fieldOf(`\`${key}\``, (value) => ({ request: { [key]: value } }));

/** Milliseconds that become whole seconds of at most `max`. */
export const seconds = (ms: number, max: number): number => Math.min(max, Math.max(1, Math.ceil(ms / 1_000)));

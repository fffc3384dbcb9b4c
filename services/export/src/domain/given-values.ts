import { AppError } from '@tidemark/errors';
import type { ValueChanges, Values } from './connection.ts';
import type { Provider, ProviderField } from './providers.ts';

const MAX_NAME_CHARS = 100;
const MAX_CONFIG_CHARS = 16_384;
/** What PostgreSQL can't keep, a header can't carry, and nobody means to give. */
const CONTROL = /\p{Cc}/u;
/** What a header value may hold: secrets travel in one. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;

type Place = 'config' | 'secrets';

/** @throws AppError validation */
export function readName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > MAX_NAME_CHARS)
    throw fault(['name'], `expected 1 to ${MAX_NAME_CHARS} characters`);
  if (!isPlain(trimmed)) throw fault(['name'], 'expected text without control characters');
  return trimmed;
}

/** The fields of a config as it came in, JSON; empty text is no field. @throws AppError validation */
export function readConfig(configJson: string, provider: Provider): ValueChanges {
  if (configJson.length > MAX_CONFIG_CHARS) throw fault(['config'], `at most ${MAX_CONFIG_CHARS} characters`);
  const given = parseObject(configJson === '' ? '{}' : configJson);
  const changes = Object.entries(given).map(([name, value]): [string, string | null] => {
    const field = fieldOf(provider, 'config', name);
    if (value === null || value === '') return [name, null];
    if (typeof value !== 'string') throw fault(['config', name], 'expected a text');
    checkText(field, value);
    return [name, name === 'base_url' ? readBaseUrl(value) : value];
  });
  return Object.fromEntries(changes);
}

/** @throws AppError validation, which never tells a value */
export function readSecrets(given: Values, provider: Provider): Values {
  const secrets = Object.entries(given).map(([name, value]): [string, string] => {
    const { most } = fieldOf(provider, 'secrets', name);
    const trimmed = value.trim();
    if (trimmed.length > most) throw fault(['secrets', name], `at most ${most} characters`);
    if (!HEADER_SAFE.test(trimmed)) throw fault(['secrets', name], 'expected visible ASCII characters without a space');
    return [name, trimmed];
  });
  return Object.fromEntries(secrets);
}

/** Values with their changes. */
export function changed(values: Values, changes: ValueChanges): Values {
  const merged = Object.entries({ ...values, ...changes });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** @throws AppError validation naming the first thing that is missing */
export function checkWhole(provider: Provider, config: Values, secrets: Values): void {
  const missing = (fields: readonly ProviderField[], values: Values) =>
    fields.find(({ name, required }) => required && values[name] === undefined)?.name;
  const field = missing(provider.fields, config);
  if (field !== undefined) throw fault(['config', field], 'is needed');
  const secret = missing(provider.secrets, secrets);
  if (secret !== undefined) throw fault(['secrets', secret], 'is needed');
}

/** Values with what holds where none was given. */
export function withFallbacks(provider: Provider, config: Values): Values {
  const fallbacks = provider.fields.filter(({ fallback }) => fallback !== '');
  return { ...Object.fromEntries(fallbacks.map(({ name, fallback }) => [name, fallback])), ...config };
}

/** A refusal that names the field. */
export function fault(loc: readonly string[], msg: string): AppError {
  const detail = [{ loc: ['body', ...loc], msg, type: 'invalid' }];
  return new AppError('validation', `${loc.join('.')}: ${msg}`, { detail });
}

function fieldOf(provider: Provider, place: Place, name: string): ProviderField {
  const fields = place === 'config' ? provider.fields : provider.secrets;
  const field = fields.find((known) => known.name === name);
  if (field !== undefined) return field;
  const known = fields.map((each) => each.name).join(', ');
  // What was given is shown cut: a name may be anything, a secret given in the wrong place among them.
  throw fault([place], `${provider.id} knows no “${name.replace(/\p{C}/gu, '').slice(0, 40)}”; it knows ${known}`);
}

function checkText({ name, most }: ProviderField, value: string): void {
  if (value.length > most) throw fault(['config', name], `at most ${most} characters`);
  if (!isPlain(value)) throw fault(['config', name], 'expected text without control characters');
}

function readBaseUrl(value: string): string {
  const url = URL.parse(value);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === null || !isWeb) throw fault(['config', 'base_url'], 'expected an http or https address');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw fault(['config', 'base_url'], 'expected an address without credentials, query and fragment');
  return url.href.replace(/\/+$/, '');
}

const isPlain = (text: string): boolean => text.isWellFormed() && !CONTROL.test(text);

function parseObject(json: string): Readonly<Record<string, unknown>> {
  const parsed = parse(json);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw fault(['config'], 'expected an object');
  return { ...parsed };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw fault(['config'], 'expected JSON');
  }
}

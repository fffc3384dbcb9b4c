import { AppError } from '@tidemark/errors';
import type { ValueChanges, Values } from './connection.ts';
import type { Provider, ProviderField } from './providers.ts';

const MAX_NAME_CHARS = 100;
const MAX_CONFIG_CHARS = 16_384;
/** Control characters: PostgreSQL text cannot store NUL, header values cannot contain line breaks. */
const CONTROL = /\p{Cc}/u;
/** Secrets are sent in request headers: visible ASCII only. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;

type FieldGroup = 'config' | 'secrets';

/** @throws AppError validation */
export function parseName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > MAX_NAME_CHARS)
    throw invalid(['name'], `expected 1 to ${MAX_NAME_CHARS} characters`);
  if (!isStorableText(trimmed)) throw invalid(['name'], 'expected text without control characters');
  return trimmed;
}

/** Parses and validates a JSON object of config fields. A field that is null or empty is removed. @throws AppError validation */
export function parseConfig(configJson: string, provider: Provider): ValueChanges {
  if (configJson.length > MAX_CONFIG_CHARS) throw invalid(['config'], `at most ${MAX_CONFIG_CHARS} characters`);
  const given = parseObject(configJson === '' ? '{}' : configJson);
  const changes = Object.entries(given).map(([name, value]): [string, string | null] => {
    const field = fieldOf(provider, 'config', name);
    if (value === null || value === '') return [name, null];
    if (typeof value !== 'string') throw invalid(['config', name], 'expected a string');
    checkText(field, value);
    return [name, name === 'base_url' ? parseBaseUrl(value) : value];
  });
  return Object.fromEntries(changes);
}

/** Validates secrets. @throws AppError validation, whose message never contains a value */
export function parseSecrets(given: Values, provider: Provider): Values {
  const secrets = Object.entries(given).map(([name, value]): [string, string] => {
    const { maxChars } = fieldOf(provider, 'secrets', name);
    const trimmed = value.trim();
    if (trimmed.length > maxChars) throw invalid(['secrets', name], `at most ${maxChars} characters`);
    if (!HEADER_SAFE.test(trimmed))
      throw invalid(['secrets', name], 'expected visible ASCII characters without a space');
    return [name, trimmed];
  });
  return Object.fromEntries(secrets);
}

/** Returns `values` with `changes` applied. */
export function applyChanges(values: Values, changes: ValueChanges): Values {
  const merged = Object.entries({ ...values, ...changes });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Requires every required field and secret to be set. @throws AppError validation naming the first that is missing */
export function requireComplete(provider: Provider, config: Values, secrets: Values): void {
  const missing = (fields: readonly ProviderField[], values: Values) =>
    fields.find(({ name, required }) => required && values[name] === undefined)?.name;
  const field = missing(provider.fields, config);
  if (field !== undefined) throw invalid(['config', field], 'is required');
  const secret = missing(provider.secrets, secrets);
  if (secret !== undefined) throw invalid(['secrets', secret], 'is required');
}

/** Returns the config with the fallbacks of fields that are not set. */
export function withFallbacks(provider: Provider, config: Values): Values {
  const fallbacks = provider.fields.filter(({ fallback }) => fallback !== '');
  return { ...Object.fromEntries(fallbacks.map(({ name, fallback }) => [name, fallback])), ...config };
}

/** Returns a validation error that names the field. */
export function invalid(loc: readonly string[], msg: string): AppError {
  const detail = [{ loc: ['body', ...loc], msg, type: 'invalid' }];
  return new AppError('validation', `${loc.join('.')}: ${msg}`, { detail });
}

function fieldOf(provider: Provider, group: FieldGroup, name: string): ProviderField {
  const fields = group === 'config' ? provider.fields : provider.secrets;
  const field = fields.find((known) => known.name === name);
  if (field !== undefined) return field;
  const known = fields.map((each) => each.name).join(', ');
  // Truncated: a user may have sent a secret as a field name by mistake.
  const shown = name.replace(/\p{C}/gu, '').slice(0, 40);
  throw invalid([group], `${provider.id} has no field “${shown}”; its fields are ${known}`);
}

function checkText({ name, maxChars }: ProviderField, value: string): void {
  if (value.length > maxChars) throw invalid(['config', name], `at most ${maxChars} characters`);
  if (!isStorableText(value)) throw invalid(['config', name], 'expected text without control characters');
}

function parseBaseUrl(value: string): string {
  const url = URL.parse(value);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === null || !isWeb) throw invalid(['config', 'base_url'], 'expected an http or https address');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw invalid(['config', 'base_url'], 'expected an address without credentials, query and fragment');
  return url.href.replace(/\/+$/, '');
}

const isStorableText = (text: string): boolean => text.isWellFormed() && !CONTROL.test(text);

function parseObject(json: string): Readonly<Record<string, unknown>> {
  const parsed = parse(json);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw invalid(['config'], 'expected an object');
  return { ...parsed };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw invalid(['config'], 'expected JSON');
  }
}

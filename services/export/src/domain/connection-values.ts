import { createHash } from 'node:crypto';
import { AppError } from '@tidemark/errors';
import type { ValueChanges, Values } from './connection.ts';
import { readFieldText } from './field-text.ts';
import type { Provider, ProviderField } from './providers/provider.ts';

const MAX_NAME_CHARS = 100;
const MAX_CONFIG_CHARS = 65_536;
/** Control characters: PostgreSQL text cannot store NUL. */
const CONTROL = /\p{Cc}/u;

type FieldGroup = 'config' | 'secrets';

/** @throws AppError validation */
export function parseName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > MAX_NAME_CHARS)
    throw invalid(['name'], `expected 1 to ${MAX_NAME_CHARS} characters`);
  if (!trimmed.isWellFormed() || CONTROL.test(trimmed))
    throw invalid(['name'], 'expected text without control characters');
  return trimmed;
}

/** Parses and validates a JSON object of config fields. A field that is null or empty is removed. @throws AppError validation */
export function parseConfig(configJson: string, provider: Provider): ValueChanges {
  if (configJson.length > MAX_CONFIG_CHARS) throw invalid(['config'], `at most ${MAX_CONFIG_CHARS} characters`);
  const given = parseObject(configJson === '' ? '{}' : configJson);
  const changes = Object.entries(given).map(([name, value]): [string, string | null] => {
    const field = fieldOf(provider, 'config', name);
    if (value === null || value === '') return [name, null];
    const text = field.type === 'port' && typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string')
      throw invalid(['config', name], field.type === 'port' ? 'expected a port, 1 to 65535' : 'expected a string');
    return [name, requireText('config', field, text)];
  });
  return Object.fromEntries(changes);
}

/** Validates secrets. @throws AppError validation, whose message never contains a value */
export function parseSecrets(given: Values, provider: Provider): Values {
  const secrets = Object.entries(given).map(([name, value]): [string, string] => {
    const field = fieldOf(provider, 'secrets', name);
    const text = requireText('secrets', field, value);
    if (text === '') throw invalid(['secrets', name], 'expected a text that is not empty');
    return [name, text];
  });
  return Object.fromEntries(secrets);
}

/** Returns `values` with `changes` applied. */
export function applyChanges(values: Values, changes: ValueChanges): Values {
  const merged = Object.entries({ ...values, ...changes });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Requires every required field and secret to be set. @throws AppError validation naming the first that is missing */
export function requireComplete(provider: Provider, config: Values, secrets: Values, because = ''): void {
  const missing = (fields: readonly ProviderField[], values: Values) =>
    fields.find(({ name, required }) => required && values[name] === undefined)?.name;
  const field = missing(provider.fields, config);
  if (field !== undefined) throw invalid(['config', field], 'is required');
  const secret = missing(provider.secrets, secrets);
  if (secret !== undefined) throw invalid(['secrets', secret], `is required${because}`);
  const { oneOfSecrets } = provider;
  if (oneOfSecrets.length > 0 && oneOfSecrets.every((name) => secrets[name] === undefined))
    throw invalid(['secrets', oneOfSecrets[0] ?? ''], `one of ${oneOfSecrets.join(', ')} is required${because}`);
}

/** Returns the config with the fallbacks of fields that are not set. */
export function withFallbacks(provider: Provider, config: Values): Values {
  const fallbacks = provider.fields.filter(({ fallback }) => fallback !== '');
  return { ...Object.fromEntries(fallbacks.map(({ name, fallback }) => [name, fallback])), ...config };
}

/** Returns the values that state where the secrets are sent, by field; of an address only its origin. */
export function boundValues(provider: Provider, config: Values): Values {
  const complete = withFallbacks(provider, config);
  return Object.fromEntries(
    provider.boundTo.map((name) => {
      const value = complete[name] ?? '';
      const isUrl = provider.fields.some((field) => field.name === name && field.type === 'url');
      return [name, isUrl ? (URL.parse(value)?.origin ?? value) : value];
    }),
  );
}

/** Returns the first field that differs between two results of `boundValues`; undefined if none does. */
export const changedBinding = (from: Values, to: Values): string | undefined =>
  Object.keys(to).find((name) => from[name] !== to[name]);

/**
 * Returns the context under which the secrets of a connection are sealed. Secrets sealed for one server cannot be opened for another,
 * although a row of the table of connections was changed.
 */
export function sealContext(id: string, provider: Provider, config: Values): string {
  const bound = JSON.stringify([provider.id, ...Object.entries(boundValues(provider, config)).flat()]);
  return `${id}:${createHash('sha256').update(bound).digest('hex')}`;
}

/** Returns a validation error that names the field. */
export function invalid(loc: readonly string[], msg: string): AppError {
  const detail = [{ loc: ['body', ...loc], msg, type: 'invalid' }];
  return new AppError('validation', `${loc.join('.')}: ${msg}`, { detail });
}

function requireText(group: FieldGroup, field: ProviderField, text: string): string {
  const read = readFieldText(field, text);
  if ('problem' in read) throw invalid([group, field.name], read.problem);
  return read.value;
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

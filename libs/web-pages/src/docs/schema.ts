import { alternatives, asList, asObject, asText, isNullable, type Json, mainType, resolve } from '@tidemark/api';

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Json;
}

// Zod adds the bounds of safe integers to every integer; they are not shown.
const isNoBound = (value: unknown): boolean => Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;

/** Describes a type, such as `list of strings or null`. */
export function typeText(schema: Json, schemas: Json): string {
  const resolved = resolve(schema, schemas);
  const orNull = isNullable(schema) || isNullable(resolved) ? ' or null' : '';
  return `${plainType(resolved, schemas)}${orNull}`;
}

function plainType(schema: Json, schemas: Json): string {
  const union = alternatives(schema);
  if (union.length > 1) return union.map((one) => typeText(one, schemas)).join(' or ');
  const type = mainType(schema);
  if (type === 'array') return `list of ${plural(typeText(asObject(schema['items']), schemas))}`;
  if (type === 'object') {
    const values = schema['additionalProperties'];
    const isMap = typeof values === 'object' && Object.keys(asObject(schema['properties'])).length === 0;
    return isMap ? `map to ${typeText(asObject(values), schemas)}` : 'object';
  }
  const format = asText(schema['format']);
  return format === '' ? type || 'anything' : `${type} (${format})`;
}

const plural = (type: string): string => (/^(string|integer|number|object|boolean)$/.test(type) ? `${type}s` : type);

/** Returns the fields of an object or of the items of a list; empty for other schemas. */
export function fieldsOf(schema: Json, schemas: Json): Field[] {
  const resolved = resolve(schema, schemas);
  if (mainType(resolved) === 'array') return fieldsOf(asObject(resolved['items']), schemas);
  const required = asList(resolved['required']);
  return Object.entries(asObject(resolved['properties'])).map(([name, part]) => ({
    name,
    required: required.includes(name),
    schema: asObject(part),
  }));
}

/** Describes the bounds of a value. */
export function boundsOf(schema: Json): string[] {
  const range = (low: string, high: string, unit: string): string[] => {
    const [least, most] = [schema[low], schema[high]].map((value) =>
      value === undefined || isNoBound(value) ? undefined : String(value),
    );
    if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
    if (least !== undefined) return [`at least ${least}${unit}`];
    return most === undefined ? [] : [`at most ${most}${unit}`];
  };
  const pattern = asText(schema['pattern']);
  return [
    ...range('minimum', 'maximum', ''),
    ...range('minLength', 'maxLength', ' characters'),
    ...range('minItems', 'maxItems', ' items'),
    ...(pattern === '' || asText(schema['format']) !== '' ? [] : [`matches ${pattern}`]),
  ];
}

import { asList, asObject, asText, type Json } from './openapi.ts';

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Json;
}

// Zod adds the bounds of safe integers to every integer; they are not shown.
const isNoBound = (value: unknown): boolean => Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;

const REFERENCE = '#/components/schemas/';

/** Resolves the references of a schema. A schema that refers only to itself resolves to an empty one. */
export function resolve(schema: Json, schemas: Json): Json {
  const seen = new Set<string>();
  let current = schema;
  for (let name = referenceOf(current); name !== undefined; name = referenceOf(current)) {
    if (seen.has(name)) return {};
    seen.add(name);
    const { $ref: _, ...siblings } = current;
    current = { ...asObject(schemas[name]), ...siblings };
  }
  const [first, ...more] = alternatives(current);
  if (first === undefined || more.length > 0) return current;
  const { anyOf: _, oneOf: __, ...siblings } = current;
  return { ...resolve(first, schemas), ...siblings };
}

const referenceOf = (schema: Json): string | undefined => {
  const reference = asText(schema['$ref']);
  return reference.startsWith(REFERENCE) ? reference.slice(REFERENCE.length) : undefined;
};

const isNull = (schema: Json): boolean => schema['type'] === 'null';

/** Returns the members of a union without null. */
export const alternatives = (schema: Json): Json[] =>
  [...asList(schema['anyOf']), ...asList(schema['oneOf'])].map(asObject).filter((one) => !isNull(one));

const typesOf = (schema: Json): string[] =>
  Array.isArray(schema['type']) ? schema['type'].map(asText) : [asText(schema['type'])].filter((type) => type !== '');

export const isNullable = (schema: Json): boolean =>
  typesOf(schema).includes('null') ||
  [...asList(schema['anyOf']), ...asList(schema['oneOf'])].map(asObject).some(isNull);

/** Returns the only type of a schema without null; empty if there are several or none. */
export const mainType = (schema: Json): string => {
  const types = typesOf(schema).filter((type) => type !== 'null');
  return types.length === 1 ? (types[0] ?? '') : '';
};

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

/** Returns the enumerated values of a schema or of its items. */
export function choicesOf(schema: Json, schemas: Json): string[] {
  const resolved = resolve(schema, schemas);
  const own = 'const' in resolved ? [resolved['const']] : asList(resolved['enum']);
  if (own.length > 0) return own.filter((one) => one !== null).map(String);
  return mainType(resolved) === 'array' ? choicesOf(asObject(resolved['items']), schemas) : [];
}

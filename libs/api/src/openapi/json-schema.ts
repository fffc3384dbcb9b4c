/** Part of a JSON document. Missing or malformed parts are read as empty. */
export type Json = Readonly<Record<string, unknown>>;

export const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

const REFERENCE = '#/components/schemas/';

/** Returns the name of the component that a schema refers to. */
export function componentOf(schema: Json): string | undefined {
  const reference = asText(schema['$ref']);
  return reference.startsWith(REFERENCE) ? reference.slice(REFERENCE.length) : undefined;
}

/** Resolves the references of a schema. A schema that refers only to itself resolves to an empty one. */
export function resolve(schema: Json, schemas: Json): Json {
  const seen = new Set<string>();
  let current = schema;
  for (let name = componentOf(current); name !== undefined; name = componentOf(current)) {
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

/** Returns the enumerated values of a schema or of its items. */
export function choicesOf(schema: Json, schemas: Json): string[] {
  const resolved = resolve(schema, schemas);
  const own = 'const' in resolved ? [resolved['const']] : asList(resolved['enum']);
  if (own.length > 0) return own.filter((one) => one !== null).map(String);
  return mainType(resolved) === 'array' ? choicesOf(asObject(resolved['items']), schemas) : [];
}

import { asObject, type Json } from './json-schema.ts';
import type { Components } from './schema-of.ts';

/** Keys of a schema; an object with none of them lists properties by name. */
const SCHEMA_KEYS = ['type', 'anyOf', 'oneOf', '$ref', 'enum', 'const'];

/**
 * Moves the defaults of request bodies from `default` into the description. Generators of typed clients read a property with a default as always present,
 * which is true of responses only: openapi-typescript makes it required.
 */
export function describeDefaults(
  paths: Readonly<Record<string, Json>>,
  components: Components,
): { readonly paths: Record<string, Json>; readonly components: Components } {
  const bodies = Object.values(paths).flatMap((path) => Object.values(path).map(bodyOf));
  const named = referencesOf(bodies, components);
  return {
    paths: mapValues(paths, (path) => mapValues(path, withBody)),
    components: mapValues(components, (schema, name) => (named.has(name) ? described(schema) : schema)),
  };
}

const bodyOf = (operation: unknown): unknown => asObject(operation)['requestBody'];
const withBody = (operation: unknown): unknown =>
  bodyOf(operation) === undefined ? operation : { ...asObject(operation), requestBody: described(bodyOf(operation)) };

function mapValues<From, To>(
  object: Readonly<Record<string, From>>,
  map: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));
}

/** Returns the names of the components that values refer to, also through others. */
function referencesOf(values: unknown, components: Components): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      if (!names.has(name)) {
        names.add(name);
        visit(components[name]);
      }
  };
  visit(values);
  return names;
}

/** Returns a copy of a schema without defaults; examples stay as they are. */
function described(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(described);
  if (typeof value !== 'object' || value === null) return value;
  const { default: fallback, ...schema } = mapValues(asObject(value), (part, key) =>
    key === 'example' || key === 'examples' ? part : described(part),
  );
  if (fallback === undefined) return schema;
  // A property that is named `default`.
  if (!SCHEMA_KEYS.some((key) => key in schema)) return { ...schema, default: fallback };
  const isEmpty = fallback === '' || (Array.isArray(fallback) && fallback.length === 0);
  return isEmpty ? schema : { ...schema, description: withDefault(schema['description'], fallback) };
}

function withDefault(description: unknown, fallback: unknown): string {
  const words = typeof description === 'string' ? `${description.replace(/\.$/, '')}. ` : '';
  return `${words}Default: ${JSON.stringify(fallback)}`;
}

import { z } from 'zod';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the list of tools leaves out: the API checks it, and its refusal names the field. */
const LEFT_OUT = new Set([
  '$schema',
  'pattern',
  'propertyNames',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'allOf',
  'format',
  'default',
  'example',
]);

/** Bounds that zod adds to every integer. */
const isNoBound = (key: string, value: unknown): boolean =>
  (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;

export interface ListedOptions {
  readonly io: 'input' | 'output';
  /** Names whose description the list keeps; undefined: every name. */
  readonly described?: ReadonlySet<string>;
  /** Names of which the list has the type alone. */
  readonly typed?: ReadonlySet<string>;
}

/**
 * Returns the JSON Schema of a tool's parameters or result as it is listed: types, choices, bounds of numbers and required properties, without
 * references, so that an agent can build a call from it.
 */
export function listedSchema(schema: z.ZodType, { io, described, typed }: ListedOptions): Json {
  const json: Json = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const definitions = isObject(json['$defs']) ? json['$defs'] : {};
  const { $defs: _, ...root } = json;
  return listed(root, { definitions, described, typed, isDescribed: true });
}

interface Context {
  readonly definitions: Json;
  readonly described: ReadonlySet<string> | undefined;
  readonly typed: ReadonlySet<string> | undefined;
  /** Whether the description of this schema is kept. */
  readonly isDescribed: boolean;
}

function listed(schema: Json, context: Context): Json {
  const { $ref, ...own } = schema;
  const target = typeof $ref === 'string' ? context.definitions[$ref.split('/').at(-1) ?? ''] : undefined;
  const whole: Json = isObject(target) ? { ...target, ...own } : own;
  const kept = Object.entries(whole).filter(
    ([key, value]) => !LEFT_OUT.has(key) && !isNoBound(key, value) && (key !== 'description' || context.isDescribed),
  );
  return withShortNull(
    withoutImplied(Object.fromEntries(kept.flatMap(([key, value]) => listedEntry(key, value, context)))),
  );
}

/** Returns the type of a schema alone. */
const typeOf = ({ type }: Json): Json => (type === undefined ? {} : { type });

function listedEntry(key: string, value: unknown, context: Context): [string, unknown][] {
  if (key === 'properties' && isObject(value)) {
    const { described } = context;
    const properties = Object.entries(value).map(([name, each]) => [
      name,
      isObject(each) && context.typed?.has(name) === true
        ? typeOf(each)
        : isObject(each)
          ? listed(each, { ...context, isDescribed: described?.has(name) ?? true })
          : each,
    ]);
    return [[key, Object.fromEntries(properties)]];
  }
  // An empty schema is `true`, which is what a missing keyword means.
  if (key === 'additionalProperties' && isObject(value) && Object.keys(value).length === 0) return [];
  if (key === 'description' && typeof value === 'string') return [[key, firstClause(value)]];
  if (isObject(value) && key !== 'examples') return [[key, listed(value, context)]];
  if (Array.isArray(value) && (key === 'anyOf' || key === 'oneOf' || key === 'allOf'))
    return [[key, value.map((each) => (isObject(each) ? listed(each, context) : each))]];
  return [[key, value]];
}

/** Removes the type where the choices imply it. */
function withoutImplied(schema: Json): Json {
  if (schema['enum'] === undefined && schema['const'] === undefined) return schema;
  const { type: _, ...rest } = schema;
  return rest;
}

/** Returns a description without what follows a semicolon: details and defaults, which describe_project_config has. */
const firstClause = (text: string): string => text.split(';')[0] ?? text;

/** Writes "a type or null" as a list of types where the type has no other keyword of its own. */
function withShortNull(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [value, none] = anyOf;
  if (!isObject(value) || !isObject(none) || none['type'] !== 'null') return schema;
  const { type, enum: choices, ...more } = value;
  if (Array.isArray(choices)) return { enum: [...choices, null], ...more, ...rest };
  return typeof type === 'string' ? { type: [type, 'null'], ...more, ...rest } : schema;
}

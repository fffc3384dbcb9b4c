/** JSON types of a schema. */
export const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

/** What the value of a keyword is. */
export type Shape =
  | 'schema'
  | 'schemas'
  | 'named'
  | 'patterns'
  | 'pattern'
  | 'count'
  | 'number'
  | 'flag'
  | 'names'
  | 'other';

/** Keywords that are evaluated, from JSON Schema 2020-12 (https://json-schema.org/draft/2020-12). */
export const KEYWORDS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ...(['additionalProperties', 'items', 'propertyNames', 'not', 'if', 'then', 'else'] as const).map(
    (name) => [name, 'schema'] as const,
  ),
  ...(['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const).map((name) => [name, 'schemas'] as const),
  ...(['properties', '$defs', 'definitions'] as const).map((name) => [name, 'named'] as const),
  ['patternProperties', 'patterns'],
  ['pattern', 'pattern'],
  ...(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const).map(
    (name) => [name, 'count'] as const,
  ),
  ...(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const).map(
    (name) => [name, 'number'] as const,
  ),
  ['uniqueItems', 'flag'],
  ['required', 'names'],
  ...(['type', 'enum', 'const', '$ref'] as const).map((name) => [name, 'other'] as const),
]);

/** Keywords that constrain values and are not evaluated here: a schema with one is refused, so that none has no effect. */
export const UNSUPPORTED: ReadonlySet<string> = new Set([
  '$id',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$recursiveAnchor',
  '$vocabulary',
  'id',
  'contains',
  'minContains',
  'maxContains',
  'unevaluatedItems',
  'unevaluatedProperties',
  'additionalItems',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
]);

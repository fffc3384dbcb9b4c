import { Validator } from '@cfworker/json-schema';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { checkSchema, SCHEMA_LIMITS } from './check-schema.ts';
import { validateJson } from './validate-json.ts';

const prepared = (schema: unknown) => {
  const checked = checkSchema(schema);
  if ('fault' in checked) throw new Error(`${checked.fault.path.join('.')}: ${checked.fault.message}`);
  return checked.schema;
};
const faultOf = (schema: unknown): string => {
  const checked = checkSchema(schema);
  return 'fault' in checked ? `${checked.fault.path.join('.')}: ${checked.fault.message}` : '';
};

const leaf = fc.oneof(
  fc.constantFrom({ type: 'string' }, { type: 'integer' }, { type: ['number', 'null'] }, { type: 'boolean' }, true, {}),
  fc.record({ minLength: fc.nat(3), maxLength: fc.integer({ min: 1, max: 4 }) }, { requiredKeys: [] }),
  fc.record(
    { minimum: fc.integer({ min: -3, max: 3 }), exclusiveMaximum: fc.integer({ min: 0, max: 5 }) },
    { requiredKeys: [] },
  ),
  fc.record({ pattern: fc.constantFrom('^a', 'b+$', '[0-9]{2}', '^(x|y)*$') }),
  fc.record({ enum: fc.array(fc.constantFrom('a', 1, null, [1], { a: 1 }), { minLength: 1, maxLength: 3 }) }),
  fc.constantFrom({ const: { a: 1 } }, { const: 'b' }, { $ref: '#/$defs/named' }),
);
const { schema: schemas } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'schema' },
    leaf,
    fc.record(
      {
        type: fc.constantFrom('object', ['object', 'array']),
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3 }),
        required: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'c$'), tie('schema'), { maxKeys: 1 }),
        maxProperties: fc.nat(3),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        items: tie('schema'),
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        minItems: fc.nat(2),
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        not: tie('schema'),
        if: tie('schema'),
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: tie('schema'),
        else: tie('schema'),
      },
      { requiredKeys: [] },
    ),
  ),
}));
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('', 'a', 'ab', '12', 0, 1, 2.5, -1, true, null),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'ac'), tie('value'), { maxKeys: 3 }),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  })).value,
);

describe('validateJson', () => {
  it('accepts the same values as another validator of draft 2020-12, for generated schemas and values', () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const whole = { allOf: [schema], $defs: { named: { type: ['string', 'array'] } } };
        const text = JSON.stringify(whole);
        const other = new Validator(JSON.parse(text), '2020-12');
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(validateJson(prepared(JSON.parse(text)), plain) === 'valid').toBe(other.validate(plain).valid);
      }),
      { numRuns: 1_000 },
    );
  });

  it('reports each mismatch with its path', () => {
    const schema = prepared({
      type: 'object',
      properties: { price: { type: 'number', minimum: 0 }, tags: { type: 'array', items: { enum: ['new', 'used'] } } },
      required: ['price', 'name'],
    });
    expect(validateJson(schema, { price: 'ten', tags: ['new', 'odd'] })).toEqual([
      { path: ['name'], message: 'is required' },
      { path: ['price'], message: 'expected number, got string' },
      { path: ['tags', 1], message: 'expected "new", "used"' },
    ]);
  });

  test.each([
    ['references that lead to themselves', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }, {}],
    [
      'schemas whose cost grows exponentially with the depth of the value',
      {
        $ref: '#/$defs/n',
        $defs: { n: { allOf: Array.from({ length: 4 }, () => ({ properties: { c: { $ref: '#/$defs/n' } } })) } },
      },
      Array.from({ length: 40 }).reduce<object>((inner) => ({ c: inner }), {}),
    ],
    ['a long list of unique items', { uniqueItems: true }, Array.from({ length: 10_000 }, (_, at) => at)],
  ])('ends at its limit of steps for %s', (_, schema, value) => {
    expect(validateJson(prepared(schema), value)).toBe('limit');
  });

  it('ignores properties that every object inherits', () => {
    const schema = prepared({
      type: 'object',
      required: ['constructor'],
      properties: { toString: { type: 'string' } },
    });
    expect(validateJson(schema, {})).toEqual([{ path: ['constructor'], message: 'is required' }]);
    expect(validateJson(schema, { constructor: 1 })).toBe('valid');
  });
});

describe('checkSchema', () => {
  const deep = (levels: number): unknown =>
    Array.from({ length: levels }).reduce<unknown>((items) => ({ items }), { type: 'string' });

  test.each([
    ['a remote reference', { $ref: 'https://example.com/schema' }, '$ref: expected a reference inside the schema'],
    ['a reference without a target', { $ref: '#/$defs/none' }, '$ref: the reference leads to no schema'],
    ['a reference into a prototype', { $ref: '#/constructor' }, '$ref: the reference leads to no schema'],
    ['an unsupported keyword', { properties: { a: { contains: {} } } }, 'properties.a.contains: the keyword contains'],
    ['a look-behind', { pattern: '(?<=a)b' }, 'pattern: expected an RE2 expression'],
    ['a large repetition', { pattern: '(a{1000}){1000}' }, 'pattern: expected repetitions of at most 100'],
    ['an unknown type', { type: 'text' }, 'type: expected one of string'],
    ['too many levels', deep(50_000), ': expected at most 16 levels'],
    ['too many characters', { description: 'x'.repeat(20_000) }, ': expected at most 16,000 characters'],
    ['a list', [], ': expected a JSON Schema'],
    [
      'required as a flag',
      { properties: { a: { required: true } } },
      'properties.a.required: expected a list of names',
    ],
    ['properties that are no schemas', { properties: { a: 'text' } }, 'properties.a: expected a schema'],
  ])('refuses %s and names its place', (_, schema, message) => {
    expect(faultOf(schema).slice(0, message.length)).toBe(message);
  });

  it('bounds the number of schemas, references and patterns', () => {
    const named = (count: number, each: (at: number) => unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, each(at)]));
    expect(faultOf({ properties: named(SCHEMA_LIMITS.schemas, () => true) })).toContain('at most 500 schemas');
    expect(faultOf({ properties: named(60, (at) => ({ $ref: `#/properties/n${at}` })) })).toContain('50 different');
    expect(faultOf({ properties: named(30, (at) => ({ pattern: `a${at}` })) })).toContain('at most 20 patterns');
  });

  it('accepts the schemas that zod and pydantic write, with their annotations', () => {
    expect(
      faultOf({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: 'Product',
        type: 'object',
        $defs: { Money: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] } },
        properties: { price: { $ref: '#/$defs/Money' }, seen: { type: 'string', format: 'date-time', default: 'x' } },
        required: ['price'],
        additionalProperties: false,
        'x-order': 3,
      }),
    ).toBe('');
  });
});

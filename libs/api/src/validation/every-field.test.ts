import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { z } from 'zod';
import { type AnyRoute, routes } from '../index.ts';
import { readPart } from './read-part.ts';

/** Wording of zod's own messages. */
const ZODS_WORDING =
  /invalid (input|string|option|key|value|number|url|email|iso|discriminator)|too (big|small)|unrecognized|received|[<>]=|expected (string|number|int|boolean|object|array|record|nonoptional)\b|must (match|start|end|include|be a multiple)|undefined|NaN|\[object/i;

const WRONG: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e15,
  '',
  'nonsense',
  'x'.repeat(20_000),
  [],
  [7],
  ['nonsense'],
  {},
  { nonsense: 7 },
  'http://',
  'ftp://example.com/',
  `https://${'a'.repeat(64)}.example/`,
  ['\ud800'],
  { 'a b': '\u0000' },
];

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Puts a value at a place of a body. */
type Place = (value: unknown) => unknown;
interface Field {
  readonly name: string;
  readonly at: Place;
}

const inside = (schema: Json): readonly Json[] => [...objectsIn(schema['anyOf']), ...objectsIn(schema['oneOf'])];

/** Returns every field of a JSON Schema, at any depth, with items of lists and values of maps. */
function fieldsOf(schema: Json, above: Field, definitions: Json): Field[] {
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const named = definitions[ref.split('/').at(-1) ?? ''];
    return isObject(named) ? fieldsOf(named, above, definitions) : [];
  }
  const { properties, items, additionalProperties } = schema;
  const own = Object.entries(isObject(properties) ? properties : {}).map(([key, part]): [Field, unknown] => [
    { name: `${above.name}.${key}`, at: (value) => above.at({ [key]: value }) },
    part,
  ]);
  const ofList: [Field, unknown] = [{ name: `${above.name}[]`, at: (value) => above.at([value]) }, items];
  const ofMap: [Field, unknown] = [
    { name: `${above.name}{}`, at: (value) => above.at({ a: value }) },
    additionalProperties,
  ];
  const below = [...own, ...[ofList, ofMap].filter(([, part]) => isObject(part))];
  return [
    ...below.flatMap(([field, part]) => [field, ...(isObject(part) ? fieldsOf(part, field, definitions) : [])]),
    ...inside(schema).flatMap((branch) => fieldsOf(branch, above, definitions)),
  ];
}

function fieldsOfPart(schema: z.ZodType, name: string): Field[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  const definitions: unknown = json.$defs;
  const root = { name, at: (value: unknown) => value };
  const found = [root, ...fieldsOf({ ...json }, root, isObject(definitions) ? definitions : {})];
  return [...new Map(found.map((field) => [field.name, field])).values()];
}

function refusalOf(schema: z.ZodType, value: unknown, where: 'body' | 'query' | 'path'): AppError | undefined {
  try {
    readPart(schema, value, where);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

const all: readonly AnyRoute[] = Object.values(routes);
const parts = all.flatMap(({ id, body, query, params }) =>
  [
    { id, where: 'body' as const, schema: body },
    { id, where: 'query' as const, schema: query },
    { id, where: 'path' as const, schema: params },
  ].map((part) => ({ ...part, fields: fieldsOfPart(part.schema, part.where) })),
);

/** Returns what is wrong with a refusal; undefined if nothing is. */
function faultsOf(refusal: ReturnType<typeof refusalOf>): object | undefined {
  if (refusal === undefined) return undefined;
  const texts = [refusal.message, ...(refusal.detail ?? []).map(({ msg }) => msg)];
  const zod = texts.filter((text) => ZODS_WORDING.test(text));
  const isShort = refusal.message.length < 5_000;
  const namesField = (refusal.detail?.length ?? 0) > 0;
  return zod.length > 0 || !isShort || !namesField ? { zod, isShort, namesField } : undefined;
}

describe('a response to a wrong value', () => {
  it.each(parts.filter(({ fields }) => fields.length > 1).map((part) => [part.id, part.where, part] as const))(
    'of any field of %s (%s) has no wording of zod, is short, and names the field',
    (_, where, { schema, fields }) => {
      // Collected and asserted once: tens of thousands of calls of expect take seconds.
      const unfit: unknown[] = [];
      for (const { name, at } of fields) {
        for (const wrong of WRONG) {
          const faults = faultsOf(refusalOf(schema, at(wrong), where));
          if (faults !== undefined) unfit.push({ name, wrong: (JSON.stringify(wrong) ?? '').slice(0, 60), ...faults });
        }
      }
      expect(unfit).toEqual([]);
    },
  );

  it('is derived for every route with a body, including the fields inside a configuration', () => {
    const names = new Set(parts.flatMap(({ id, fields }) => fields.map(({ name }) => `${id} ${name}`)));
    expect(names.size).toBeGreaterThan(400);
    for (const name of [
      'startScrape body.url',
      'startScrape body.config.actions[].selector',
      'createProject body.config.max_pages',
      'createProject body.config.headers{}',
      'listPages query.limit',
      'reviewChange path.change',
    ])
      expect(names).toContain(name);
  });
});

import { expect, it } from '@jest/globals';
import { choicesOf } from '@tidemark/api';
import { boundsOf, fieldsOf, typeText } from './schema.ts';

const SCHEMAS = { Page: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] } };

it.each([
  [{ type: 'string', format: 'uri' }, 'string (uri)'],
  [{ type: ['string', 'null'] }, 'string or null'],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'integer or null'],
  [{ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }, 'string or list of strings'],
  [{ type: 'array', items: { $ref: '#/components/schemas/Page' } }, 'list of objects'],
  [{ type: 'object', additionalProperties: { type: 'integer' } }, 'map to integer'],
  [{ $ref: '#/components/schemas/Page' }, 'object'],
  [{}, 'anything'],
])('typeText describes %j', (schema, expected) => {
  expect(typeText(schema, SCHEMAS)).toBe(expected);
});

it.each([
  [{ minimum: 1, maximum: 120 }, ['1 to 120']],
  [{ minimum: -9007199254740991, maximum: 9007199254740991 }, []],
  [{ minLength: 1 }, ['at least 1 characters']],
  [{ maxItems: 20 }, ['at most 20 items']],
  [{ pattern: '^prj_' }, ['matches ^prj_']],
  [{ pattern: '^\\d+-', format: 'date-time' }, []],
])('boundsOf describes the bounds of %j', (schema, expected) => {
  expect(boundsOf(schema)).toEqual(expected);
});

it('fieldsOf and choicesOf return the fields and choices of list items', () => {
  expect(fieldsOf({ type: 'array', items: { $ref: '#/components/schemas/Page' } }, SCHEMAS)).toEqual([
    { name: 'url', required: true, schema: { type: 'string' } },
  ]);
  expect(choicesOf({ type: 'array', items: { enum: ['read', null, 'write'] } }, {})).toEqual(['read', 'write']);
});

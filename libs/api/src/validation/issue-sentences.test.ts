import { describe, expect, it } from '@jest/globals';
import { AppError } from '@tidemark/errors';
import { z } from 'zod';
import { readPart } from './read-part.ts';

function messageOf(schema: z.ZodType, value: unknown): string {
  try {
    readPart(schema, value, 'body');
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
  throw new Error('the value was accepted');
}

const among = z.enum(['http', 'browser']);
const click = z.strictObject({ type: z.literal('click'), selector: z.string() });
const wait = z.strictObject({ type: z.literal('wait'), ms: z.int() });
const action = z.discriminatedUnion('type', [click, wait]);

/** One or more rows for every code of `$ZodIssue`. */
const ROWS: readonly (readonly [code: string, schema: z.ZodType, value: unknown, sentence: string])[] = [
  ['invalid_type', z.string(), 5, 'expected text, got 5'],
  ['invalid_type', z.string(), undefined, 'expected text, but the field is missing'],
  ['invalid_type', z.number(), '60', 'expected a number, got "60"'],
  ['invalid_type', z.coerce.number(), 'ten', 'expected a number, got "ten"'],
  ['invalid_type', z.int(), 1.5, 'expected a whole number, got 1.5'],
  ['invalid_type', z.boolean(), 'yes', 'expected true or false, got "yes"'],
  ['invalid_type', z.array(z.string()), {}, 'expected a list, got an object'],
  ['invalid_type', z.object({}), [1, 2], 'expected an object, got a list of 2 items'],
  ['invalid_type', z.record(z.string(), z.string()), null, 'expected an object, got null'],
  ['invalid_type', z.null(), [], 'expected null, got an empty list'],
  ['invalid_type', z.date(), '', 'expected a date, got an empty text'],
  ['too_small', z.int().min(1).max(120), 0, 'expected a whole number from 1 to 120, got 0'],
  ['too_small', z.int().min(1), 0, 'expected a number that is at least 1, got 0'],
  ['too_small', z.number().gt(0), 0, 'expected a number that is more than 0, got 0'],
  ['too_small', z.string().min(1), '', 'expected at least 1 character, got an empty text'],
  ['too_small', z.array(z.string()).min(1), [], 'expected at least 1 item, got an empty list'],
  ['too_small', z.string().length(2), 'd', 'expected exactly 2 characters, got 1'],
  ['too_big', z.int().min(1).max(120), 121, 'expected a whole number from 1 to 120, got 121'],
  ['too_big', z.number().max(9), 10, 'expected a number that is at most 9, got 10'],
  ['too_big', z.number().lt(9), 9, 'expected a number that is less than 9, got 9'],
  ['too_big', z.string().max(3), 'four', 'expected at most 3 characters, got 4'],
  ['too_big', z.array(z.int()).max(1), [1, 2], 'expected at most 1 item, got a list of 2 items'],
  ['invalid_format', z.email(), 'someone', 'expected an e-mail address, got "someone"'],
  ['invalid_format', z.url(), 'nowhere', 'expected a URL, got "nowhere"'],
  ['invalid_format', z.iso.datetime(), 'noon', 'expected a time in ISO 8601, such as 2026-01-31T12:00:00Z, got "noon"'],
  ['invalid_format', z.string().startsWith('prj_'), 'x', 'expected text that starts with "prj_", got "x"'],
  ['invalid_format', z.string().endsWith('/'), 'x', 'expected text that ends with "/", got "x"'],
  ['invalid_format', z.string().includes('@'), 'x', 'expected text that contains "@", got "x"'],
  ['invalid_format', z.string().regex(/^\d$/), 'x', 'expected text that matches /^\\d$/, got "x"'],
  ['invalid_format', z.string().regex(/^\d$/, 'expected one digit'), 'x', 'expected one digit, got "x"'],
  ['invalid_format', z.cidrv4(), 'x', 'expected text in the format cidrv4, got "x"'],
  ['not_multiple_of', z.number().multipleOf(5), 7, 'expected a multiple of 5, got 7'],
  ['invalid_value', among, 'rocket', 'expected "http" or "browser", got "rocket"'],
  ['invalid_value', z.literal(true), false, 'expected true, got false'],
  ['invalid_value', z.stringbool(), 'maybe', 'expected true or false, got "maybe"'],
  ['invalid_value', z.enum(['a', 'b', 'c']), undefined, 'expected "a", "b" or "c", but the field is missing'],
  ['invalid_union', z.union([z.string(), z.int()]), true, 'expected text or a whole number, got true'],
  [
    'invalid_union',
    z.union([z.array(z.string()), z.int().min(0)]),
    -1.5,
    'expected a list or a whole number, got -1.5',
  ],
  [
    'invalid_union',
    z.union([z.union([z.string(), z.null()]), z.int()]),
    [],
    'expected text, null or a whole number, got an empty list',
  ],
  [
    'invalid_union',
    z.union([z.string(), z.int()], 'expected a name or a number'),
    true,
    'expected a name or a number, got true',
  ],
  ['invalid_union', z.xor([z.string(), z.string()]), 'x', 'matches more than one of the accepted forms; got "x"'],
  [
    'invalid_key',
    z.record(z.string().max(2), z.int()),
    { four: 1 },
    'the name is not accepted: expected at most 2 characters',
  ],
  [
    'invalid_element',
    z.map(z.object({}), z.int()),
    new Map([[{}, 'x']]),
    'an item is not accepted: expected a whole number',
  ],
  ['custom', z.string().refine(() => false), 'x', 'is not accepted; got "x"'],
  ['custom', z.string().refine(() => false, 'expected an IANA time zone'), 'x', 'expected an IANA time zone, got "x"'],
  ['custom', z.string().refine(() => false, 'unknown format "x"'), 'x', 'unknown format "x"'],
];

describe('readPart', () => {
  it.each(ROWS)(
    'writes a sentence with what was expected and what was sent for %s (%#)',
    (code, schema, value, sentence) => {
      expect(schema.safeParse(value).error?.issues[0]?.code).toBe(code);
      const isFieldOfMap = code === 'invalid_key';
      expect(messageOf(z.object({ field: schema }), { field: value })).toEqual(
        isFieldOfMap ? expect.stringMatching(/^field\..+: /) : `field: ${sentence}`,
      );
      expect(messageOf(z.object({ field: schema }), { field: value })).toContain(sentence);
    },
  );

  it('names unknown fields and the place that does not have them', () => {
    const schema = z.strictObject({ config: z.strictObject({}).optional() });
    expect(messageOf(schema, { speed: 1, noise: 2 })).toBe('the body has no field "speed", "noise"');
    expect(messageOf(schema, { config: { colour: 1 } })).toBe('config has no field "colour"');
  });

  it('names the field inside the branch of a union that the value belongs to', () => {
    const schema = z.object({ actions: z.array(action) });
    expect(messageOf(schema, { actions: [{ type: 'wait', ms: 'long' }] })).toBe(
      'actions.0.ms: expected a whole number, got "long"',
    );
    expect(messageOf(schema, { actions: [{ type: 'hover' }] })).toBe(
      'actions.0.type: expected "click" or "wait", got "hover"',
    );
    const list = z.object({ cookies: z.union([z.array(z.object({ name: z.string() })), z.string()]) });
    expect(messageOf(list, { cookies: [{ name: 5 }] })).toBe('cookies.0.name: expected text, got a number');
  });

  it('has a row in its table for every kind of issue', () => {
    const codes: Record<z.core.$ZodIssueCode, true> = {
      invalid_type: true,
      too_big: true,
      too_small: true,
      invalid_format: true,
      not_multiple_of: true,

      unrecognized_keys: true,
      invalid_union: true,
      invalid_key: true,
      invalid_element: true,

      invalid_value: true,
      custom: true,
    };
    const inTable = new Set([...ROWS.map(([code]) => code), 'unrecognized_keys']);
    expect([...inTable].sort()).toEqual(Object.keys(codes).sort());
  });

  it.each([
    ['a text of any length', 'x'.repeat(10_000), `"${'x'.repeat(59)}…"`],
    ['a user name and password', 'http://user:hunter2@exa mple/', '"http://***@exa mple/"'],
    ['the values of a query', 'ftp://example.com/?token=hunter2&a=b', '"ftp://example.com/?token=***&a=***"'],
    ['an API key', 'service_abcdefgh', '"service_***"'],
    ['a credential of an Authorization header', 'Bearer abcdefgh', '"Bearer ***"'],
    ['characters that reverse the text', 'a\u202eb', '"a\\\\u{202e}b"'],
  ])('shortens and masks what was sent: %s', (_, value, shown) => {
    expect(messageOf(z.object({ name: z.enum(['a']) }), { name: value })).toBe(`name: expected "a", got ${shown}`);
  });

  it.each(['headers', 'cookies', 'secrets', 'webhook_url', 'chat_url'])('never repeats a value inside %s', (field) => {
    const schema = z.object({ config: z.object({ [field]: z.record(z.string(), z.email()) }) });
    const message = messageOf(schema, { config: { [field]: { a: 'hunter2', b: 271_828 } } });
    expect(message).toBe(
      `config.${field}.a: expected an e-mail address, got a text of 7 characters; config.${field}.b: expected text, got a number`,
    );
  });

  it('lists at most twenty faults and the number of the others', () => {
    const list = messageOf(z.object({ urls: z.array(z.string()) }), { urls: Array.from({ length: 5_000 }, () => 7) });
    expect(list.split('; ')).toHaveLength(21);
    expect(list).toMatch(/; and 4980 more$/);
    const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, i]));
    expect(messageOf(z.strictObject({}), unknown)).toMatch(/"k19" and 30 more$/);
  });
});

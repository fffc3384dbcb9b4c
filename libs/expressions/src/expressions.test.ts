import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileExpression } from './compile-expression.ts';
import { ExpressionError } from './expression.ts';
import { FUNCTIONS } from './functions.ts';
import type { Variable } from './values.ts';

const VARIABLES: readonly Variable[] = [
  { name: 'url', type: 'text' },
  { name: 'title', type: 'text' },
  { name: 'words', type: 'int' },
  { name: 'inSitemap', type: 'bool' },
  { name: 'crawledAt', type: 'time' },
  { name: 'warnings', type: 'list' },
  { name: 'fields', type: 'json' },
];
const ROW = {
  url: 'https://example.com/shop/lamp?id=7',
  title: null,
  words: 120,
  inSitemap: true,
  crawledAt: '2026-03-04T05:06:07.000Z',
  warnings: ['thin', 'late'],
  fields: { price: 12.5, name: 'Lamp', tags: ['a', 'b'] },
};
const evaluate = (source: string, row: Record<string, unknown> = ROW) =>
  compileExpression(source, VARIABLES).evaluate(row);

describe('an expression', () => {
  test.each([
    ['words > 100 && inSitemap', true],
    ['title == null ? "none" : title', 'none'],
    ['fields.price * 2.0', 25],
    ['fields.price * 2 > 24 && 100 - fields.price == 87.5', true],
    ['mentions(url, "shop lamp") && !mentions(url, "shop la")', true],
    ['words + 1', 121n],
    ['url.split("/")[3]', 'shop'],
    ['"thin" in warnings', true],
    ['has(fields.stock)', false],
    ['fields.tags.map(t, t.upperAscii()).join("+")', 'A+B'],
    ['crawledAt.getMonth() + 1', 3n],
    ['crawledAt', new Date('2026-03-04T05:06:07.000Z')],
    ['{"price": fields.price, "name": fields.name}', { price: 12.5, name: 'Lamp' }],
  ])('%s is evaluated over the columns of a row', (source, expected) => {
    expect(evaluate(source)).toEqual(expected);
  });

  test.each(FUNCTIONS.map(({ example, result }) => [example, result]))(
    'the documented example %s has the documented value',
    (example, result) => expect(evaluate(String(example))).toEqual(result),
  );

  test.each([
    ['', 'the expression is empty'],
    ['1 +', 'syntax error at line 1'],
    ['prize > 3', 'there is no variable prize'],
    ['Words > 3', 'did you mean words?'],
    ['url.reverse()', 'there is no function reverse'],
    ['warnings.map(a, warnings.map(b, warnings.map(c, c)))', 'loops are nested deeper than 2'],
    ['google.protobuf.Timestamp{}', 'not supported'],
    [`"${'a'.repeat(3_000)}"`, 'at most 2000'],
    [Array.from({ length: 400 }, () => '1').join('+'), 'more than 500 parts'],
    [`${'('.repeat(200)}1${')'.repeat(200)}`, 'nested deeper than 100'],
  ])('%s is refused when it is compiled, with the reason', (source, reason) => {
    expect(() => compileExpression(source, VARIABLES)).toThrow(reason);
  });

  test.each([
    ['fields.prise > 3', 'there is no member prise; known: price, vendor (line 1, column 7)', 6],
    ['words > 1 &&\n  fields["prise"] > 3', 'there is no member prise; known: price, vendor (line 2, column 9)', 21],
    ['fields.vendor.nam == "a"', 'there is no member nam; known: name (line 1, column 14)', 13],
    ['prize > 3', '(line 1, column 1)', 0],
    ['words <\n&& true', 'syntax error at line 1:7', 6],
  ])('%s is refused with the place of the fault', (source, reason, offset) => {
    const fields: Variable = { name: 'fields', type: 'json', members: { price: 'any', vendor: { name: 'any' } } };
    const compile = () => compileExpression(source, [{ name: 'words', type: 'int' }, fields]);
    expect(compile).toThrow(reason);
    expect(compile).toThrow(expect.objectContaining({ offset }));
  });

  test('members of values that are not known are accepted', () => {
    const fields: Variable = { name: 'fields', type: 'json', members: { price: 'any', vendor: { name: 'any' } } };
    expect(() => compileExpression('fields.price.after > 3 && fields.vendor.name.x == 1', [fields])).not.toThrow();
  });

  test('the variable of a loop is known inside of the loop only', () => {
    expect(evaluate('warnings.exists(w, w == "late")')).toBe(true);
    expect(() => compileExpression('warnings.exists(w, w == "late") && w == "a"', VARIABLES)).toThrow('no variable w');
  });

  test.each([
    ['words / 0', 'zero'],
    ['fields.stock', 'stock'],
    ['title.size()', 'size'],
    ['url.matches("(")', ''],
  ])('%s fails for the row and states the cause', (source, reason) => {
    expect(() => evaluate(source)).toThrow(ExpressionError);
    expect(() => evaluate(source)).toThrow(reason);
  });

  test('a pattern with nested repetitions is matched in linear time', () => {
    const started = performance.now();
    expect(evaluate('url.matches("^(a+)+$")', { ...ROW, url: `${'a'.repeat(50_000)}!` })).toBe(false);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('a text of more than one million characters and a list of more than 1,000 values are refused as results', () => {
    const big = { ...ROW, url: 'a'.repeat(5_000) };
    expect(() => evaluate('url.replace("a", url)', big)).toThrow('at most 1000000');
    expect(() => evaluate('url.substring(0, 500).split("").map(c, url).join()', big)).toThrow('at most 1000000');
    expect(() => evaluate('url.split("")', big)).toThrow('at most 1000 values');
    expect(evaluate('url.replace("a", "b", 2).substring(0, 3)', big)).toBe('bba');
  });

  test('a list of more than 1,000 values is refused for its row', () => {
    expect(() => evaluate('size(fields)', { ...ROW, fields: Array(1_001).fill(1) })).toThrow('at most 1000');
  });

  test('any text as an expression is compiled or refused with an ExpressionError, and nothing else happens', () => {
    const pieces = fc.constantFrom(
      'url',
      'words',
      'fields.a',
      '"x"',
      '1',
      '(',
      ')',
      '[',
      ']',
      '+',
      '?',
      ':',
      '.map(x,',
      'x',
      ')',
      '==',
      ' ',
      '!',
      '-',
      '{',
      '}',
      ',',
      '\\',
      '\u0000',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join('')),
        ),
        (source) => {
          try {
            evaluate(source);
          } catch (error) {
            if (!(error instanceof ExpressionError)) throw error;
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

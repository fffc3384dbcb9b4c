import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Variable } from '../values.ts';
import { type CompiledShape, compileShape, type Shape } from './shape.ts';
import { ShapeRunner } from './shape-runner.ts';

const VARIABLES: readonly Variable[] = [
  { name: 'url', type: 'text' },
  { name: 'words', type: 'int' },
  { name: 'fields', type: 'json' },
];

function compiled(shape: Shape): CompiledShape {
  const result = compileShape(shape, VARIABLES);
  if (!('shape' in result)) throw new Error(JSON.stringify(result));
  return result;
}

describe('a shape', () => {
  test('returns the columns in their order and types for the rows that meet its condition', () => {
    const shape = compiled({
      columns: [
        { name: 'address', expr: 'url', type: 'text' },
        { name: 'pages', expr: 'words / 100', type: 'int' },
        { name: 'price', expr: 'double(fields.price.replace(",", "."))', type: 'double' },
        { name: 'at', expr: '"2026-01-02T03:04:05+01:00"', type: 'time' },
        { name: 'all', expr: '{"w": words}', type: 'json' },
      ],
      where: 'words > 100',
    });
    const row = { url: 'https://a.example/', words: 250, fields: { price: '4,50' } };
    expect(shape.shape(row)).toEqual({
      row: { address: 'https://a.example/', pages: 2, price: 4.5, at: '2026-01-02T02:04:05.000Z', all: { w: 250 } },
      failures: [],
    });
    expect(shape.shape({ ...row, words: 3 }).row).toBeUndefined();
  });

  test('a cell that can not be computed is null, and its failure names the column', () => {
    const shape = compiled({ columns: [{ name: 'price', expr: 'fields.price', type: 'int' }] });
    expect(shape.shape({ url: 'a', words: 1, fields: { price: 'free' } })).toEqual({
      row: { price: null },
      failures: [{ column: 'price', message: 'the value is the text "free"; the column is int' }],
    });
  });

  test('a condition that fails or is no bool leaves the row out and is a failure', () => {
    const shape = compiled({ columns: [{ name: 'u', expr: 'url', type: 'text' }], where: 'words' });
    const { row, failures } = shape.shape({ url: 'a', words: 1 });
    expect(row).toBeUndefined();
    expect(failures).toEqual([{ message: expect.stringContaining('not a bool') }]);
  });

  test('all faults of a shape are reported, each with its place', () => {
    const problems = compileShape(
      {
        columns: [
          { name: 'Aa', expr: 'url', type: 'text' },
          { name: '_id', expr: 'url', type: 'text' },
          { name: 'b', expr: 'nope', type: 'text' },
          { name: 'b', expr: '1 +', type: 'int' },
        ],
        where: 'words >',
      },
      VARIABLES,
    );
    expect(problems).toMatchObject([
      { at: 'columns.0.name' },
      { at: 'columns.1.name' },
      { at: 'columns.3.name', message: 'the column b exists twice' },
      { at: 'columns.2.expr', message: expect.stringContaining('no variable nope') },
      { at: 'columns.3.expr', message: expect.stringContaining('syntax error') },
      { at: 'where' },
    ]);
  });

  test('any JSON value in a cell gives a row and no exception', () => {
    const shape = compiled({
      columns: [
        { name: 'j', expr: 'fields', type: 'json' },
        { name: 't', expr: 'string(fields.a)', type: 'text' },
      ],
    });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (fields) => {
        const { row, failures } = shape.shape({ url: 'a', words: 1, fields });
        if (!failures.some(({ column }) => column === 'j'))
          // JSON has no -0.
          expect(JSON.parse(JSON.stringify(row?.['j']))).toEqual(JSON.parse(JSON.stringify(fields)));
      }),
      { numRuns: 200 },
    );
  });
});

describe('the runner of a shape', () => {
  test('shapes batches in a worker thread and counts the cells that failed', async () => {
    await using stack = new AsyncDisposableStack();
    const runner = new ShapeRunner(
      { columns: [{ name: 'w', expr: '100 / words', type: 'int' }], where: 'words < 900' },
      VARIABLES,
    );
    stack.defer(() => runner.close());
    const rows = Array.from({ length: 1_000 }, (_, words) => ({ url: 'a', words, fields: null }));
    const batch = await runner.run(rows);
    expect(batch.rows).toHaveLength(900);
    expect(batch.rows[50]).toEqual({ w: 2 });
    expect([batch.kept.length, batch.kept.at(-1)]).toEqual([900, 899]);
    expect(batch).toMatchObject({ failed: 1, failures: [{ index: 0, column: 'w' }] });
  });

  test.each([
    ['more time', { name: 'x', expr: 'size(fields.map(a, fields.map(b, a == b)))', type: 'int' }],
    [
      'more memory',
      {
        name: 'x',
        expr: 'fields.map(a, url.substring(0, 900).split("")).map(l, l.map(c, c + url + c)).size()',
        type: 'int',
      },
    ],
  ] as const)(
    'a shape that takes %s than it may is ended with a reason while the event loop continues',
    async (_, column) => {
      await using stack = new AsyncDisposableStack();
      const runner = new ShapeRunner({ columns: [column] }, VARIABLES);
      stack.defer(() => runner.close());
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
      }, 20);
      stack.defer(() => clearInterval(timer));
      const row = {
        url: 'u'.repeat(20_000),
        words: 1,
        fields: Array.from({ length: 1_000 }, (_value, index) => index),
      };
      await expect(runner.run([row, row, row])).rejects.toThrow(/took longer|ended its worker/);
      expect(turns).toBeGreaterThan(5);
      await expect(runner.run([row])).rejects.toThrow(/took longer|ended its worker/);
    },
  );
});

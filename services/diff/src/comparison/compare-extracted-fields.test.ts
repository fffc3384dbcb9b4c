import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import fc from 'fast-check';
import { compareExtractedFields, compareModelValues } from './compare-extracted-fields.ts';

describe('compareExtractedFields', () => {
  it('names changes by their path', () => {
    const before = {
      price: '19',
      variants: [
        { sku: 'a', price: 1 },
        { sku: 'b', price: 2 },
      ],
      old: 'x',
    };
    const after = { price: '91', variants: [{ sku: 'a', price: 1 }, { sku: 'b', price: 3 }, { sku: 'c' }], new: true };
    expect(compareExtractedFields(before, after)).toEqual([
      { name: 'fields.new', to: 'true' },
      { name: 'fields.old', from: 'x' },
      { name: 'fields.price', from: '19', to: '91' },
      { name: 'fields.variants[1].price', from: '2', to: '3' },
      { name: 'fields.variants[2]', to: '{"sku":"c"}' },
    ]);
  });

  it('ignores a reordered list', () => {
    expect(compareExtractedFields({ list: ['a', 'b', 'c'] }, { list: ['c', 'a', 'b'] })).toEqual([]);
  });

  it('ignores fields whose selector broke', () => {
    expect(compareExtractedFields({ price: '19' }, { price: null }, new Set(['price']))).toEqual([]);
  });

  it('finds a difference exactly when values differ', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        expect(compareExtractedFields(fields, structuredClone(fields))).toEqual([]);
      }),
    );
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        (a, b) => (compareExtractedFields({ x: a }, { x: b }).length === 0) === (a === b),
      ),
    );
  });

  it('bounds the cost and the size of long, deep and many values', () => {
    const long = (word: string): string[] => Array.from({ length: 20_000 }, (_, at) => `${word}${at}`);
    let deep: unknown = 'x';
    for (let depth = 0; depth < 2_000; depth += 1) deep = { deep };
    const cpuMs = countCpuMs();
    const changes = compareExtractedFields({ long: long('a'), deep }, { long: long('b'), deep: { deep: 1 } });
    expect(cpuMs()).toBeLessThan(1_000);
    expect(changes.map(({ name }) => name)).toEqual(['fields.deep', 'fields.long']);
    expect(JSON.stringify(changes).length).toBeLessThan(10_000);
    const manyFields = Object.fromEntries(long('f').map((name) => [name, 1]));
    expect(compareExtractedFields(manyFields, {})).toHaveLength(100);
  });
});

describe('compareModelValues', () => {
  const values = (price: number, key = 'a') => ({ key, values: { price, variants: [{ sku: 'x', price }] } });

  it('names each changed value by its path', () => {
    expect(compareModelValues(values(10), values(12))).toEqual([
      { name: 'extracted.price', from: '10', to: '12' },
      { name: 'extracted.variants[0].price', from: '10', to: '12' },
    ]);
  });

  it('reports no change where the schema, the prompt or the model is another, or one extraction failed', () => {
    expect(compareModelValues(values(10), values(12, 'b'))).toEqual([]);
    expect(compareModelValues(undefined, values(12))).toEqual([]);
    expect(compareModelValues(values(10), undefined)).toEqual([]);
  });
});

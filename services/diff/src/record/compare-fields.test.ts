import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import fc from 'fast-check';
import { compareFields } from './compare-fields.ts';

describe('compareFields', () => {
  it('tells what differs by its path', () => {
    const before = {
      price: '19',
      variants: [
        { sku: 'a', price: 1 },
        { sku: 'b', price: 2 },
      ],
      old: 'x',
    };
    const after = { price: '91', variants: [{ sku: 'a', price: 1 }, { sku: 'b', price: 3 }, { sku: 'c' }], new: true };
    expect(compareFields(before, after)).toEqual([
      { name: 'fields.new', to: 'true' },
      { name: 'fields.old', from: 'x' },
      { name: 'fields.price', from: '19', to: '91' },
      { name: 'fields.variants[1].price', from: '2', to: '3' },
      { name: 'fields.variants[2]', to: '{"sku":"c"}' },
    ]);
  });

  it('takes a list whose items moved for the same list', () => {
    expect(compareFields({ list: ['a', 'b', 'c'] }, { list: ['c', 'a', 'b'] })).toEqual([]);
  });

  it('says nothing of values whose selector broke', () => {
    expect(compareFields({ price: '19' }, { price: null }, new Set(['price']))).toEqual([]);
  });

  it('finds no difference between equal values, and one between values that are not', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        expect(compareFields(fields, structuredClone(fields))).toEqual([]);
      }),
    );
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => (compareFields({ x: a }, { x: b }).length === 0) === (a === b)),
    );
  });

  it('is bounded: long lists, deep values and many changes cost and tell little', () => {
    const long = (word: string): string[] => Array.from({ length: 20_000 }, (_, at) => `${word}${at}`);
    let deep: unknown = 'x';
    for (let depth = 0; depth < 2_000; depth += 1) deep = { deep };
    const cpuMs = countCpuMs();
    const changes = compareFields({ long: long('a'), deep }, { long: long('b'), deep: { deep: 1 } });
    expect(cpuMs()).toBeLessThan(1_000);
    expect(changes.map(({ name }) => name)).toEqual(['fields.deep', 'fields.long']);
    expect(JSON.stringify(changes).length).toBeLessThan(10_000);
    const many = Object.fromEntries(long('f').map((name) => [name, 1]));
    expect(compareFields(many, {})).toHaveLength(100);
  });
});

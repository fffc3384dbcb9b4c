import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sampleOf } from './sample.ts';

const letters = [...'abcdefghijklmnopqrstuvwxyz'];

test('a sample of a seed is the same in each run', () => {
  expect(sampleOf(letters, { size: 5, seed: 20261201 })).toEqual(sampleOf(letters, { size: 5, seed: 20261201 }));
  expect(sampleOf(letters, { size: 26, seed: 1 })).not.toEqual(sampleOf(letters, { size: 26, seed: 2 }));
});

test('a sample has each item at most once, and all items where fewer exist than requested', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.integer(), (size, seed) => {
      const sample = sampleOf(letters, { size, seed });
      expect(new Set(sample).size).toBe(Math.min(size, letters.length));
    }),
  );
});

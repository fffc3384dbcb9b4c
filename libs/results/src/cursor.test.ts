import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { openCursor, openNumericCursor, sealCursor, sealNumericCursor } from './cursor.ts';

const list = { workspaceId: 'ws_a', path: '/crawl/run_a' };
const others = [
  { ...list, workspaceId: 'ws_b' },
  { ...list, path: '/crawl/run_b' },
  { ...list, path: '/crawl/run_a/links' },
];
const position = fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed());
const number = fc.integer({ min: 1, max: 2 ** 29 - 1 });

describe('a cursor', () => {
  it('returns its position in its own list only', () => {
    fc.assert(
      fc.property(position, (at) => {
        const cursor = sealCursor(list, at);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(openCursor(list, cursor)).toBe(at);
        for (const other of others) expect(openCursor(other, cursor)).toBeUndefined();
      }),
    );
  });

  it('is refused after any character was changed, added or removed', () => {
    fc.assert(
      fc.property(position, fc.nat(), fc.constantFrom(...'aZ0-_=. '), (at, index, char) => {
        const cursor = sealCursor(list, at);
        const place = index % cursor.length;
        const [before, after] = [cursor.slice(0, place), cursor.slice(place + 1)];
        for (const changed of [`${before}${char}${after}`, `${before}${after}`, `${cursor}${char}`])
          if (changed !== cursor) expect(openCursor(list, changed)).toBeUndefined();
      }),
    );
  });

  it('is refused if it is any other text', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(openCursor(list, text)).toBeUndefined()));
  });
});

describe('an integer cursor', () => {
  it('is a safe integer that returns its position in its own list only', () => {
    fc.assert(
      fc.property(number, (at) => {
        const cursor = sealNumericCursor(list, at);
        expect(Number.isSafeInteger(cursor)).toBe(true);
        expect(openNumericCursor(list, cursor)).toBe(at);
      }),
    );
    for (const other of others) expect(openNumericCursor(other, sealNumericCursor(list, 50))).toBeUndefined();
  });

  it('is refused if it is any other number than 0', () => {
    expect(openNumericCursor(list, 0)).toBe(0);
    for (const wrong of [1, 50, 16_777_216, sealNumericCursor(list, 50) + 1, Number.MAX_SAFE_INTEGER])
      expect(openNumericCursor(list, wrong)).toBeUndefined();
  });
});

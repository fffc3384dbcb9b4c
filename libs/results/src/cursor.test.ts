import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { openCursor, sealCursor } from './cursor.ts';

const list = { workspaceId: 'ws_a', path: '/crawl/run_a' };
const others = [
  { ...list, workspaceId: 'ws_b' },
  { ...list, path: '/crawl/run_b' },
  { ...list, path: '/crawl/run_a/links' },
];
const position = fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed());

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

import { describe, expect, it } from '@jest/globals';
import { readEntries, writeEntries } from './entry-document.ts';

describe('entry document', () => {
  it('is identical for the same entries in any order, and is read back sorted in batches', () => {
    const entries = ['/b', '/a', '/c'].map((url) => ({ url, lastmod: 'x', changefreq: 'daily' }));
    expect(writeEntries(entries)).toBe(writeEntries(entries.toReversed()));
    const read = [...readEntries(Buffer.from(writeEntries(entries)), 20)];
    expect(read.map((batch) => batch.map(({ url }) => url))).toEqual([['/a', '/b'], ['/c']]);
    expect(read[0]?.[0]).toEqual({ url: '/a', lastmod: 'x', changefreq: 'daily' });
  });
});

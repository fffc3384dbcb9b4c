import { describe, expect, it } from '@jest/globals';
import type { DocumentStore } from './document-store.ts';
import { RowWriter } from './row-writer.ts';

const documents: DocumentStore = {
  put: async (bytes) => ({ sha256: 'sha', bytes: bytes.length }),
  get: async () => Buffer.alloc(0),
};
const entry = { url: 'https://site.test/a', lastmod: '', changefreq: '' };

describe('the rows of a map', () => {
  it.each([
    [false, 1],
    [true, 2],
  ])('contain a URL of two files once, or once for each file if rows are per file: %j', async (perFile, expected) => {
    const rows = new RowWriter(documents, { search: '', limit: 10, perFile });
    for (const url of ['https://site.test/1.xml', 'https://site.test/2.xml', 'https://site.test/2.xml'])
      await rows.add([entry], 'sitemap', { url, section: '' });
    expect(rows.rowCount).toBe(expected);
  });
});

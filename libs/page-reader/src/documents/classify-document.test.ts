import { describe, expect, it } from '@jest/globals';
import { classifyDocument } from './classify-document.ts';

describe('classifyDocument', () => {
  const signalsOf = (kind: 'xml' | 'json' | 'ndjson' | 'pdf' | 'csv'): readonly string[] =>
    classifyDocument({ kind, words: 500, minWords: 0, shape: undefined, headers: {} }).signals;

  it('marks feeds, sitemaps and data as read by machines, and documents for readers not', () => {
    for (const kind of ['xml', 'json', 'ndjson'] as const) expect(signalsOf(kind)).toContain('machine-read');
    for (const kind of ['pdf', 'csv'] as const) expect(signalsOf(kind)).toEqual(['document']);
  });
});

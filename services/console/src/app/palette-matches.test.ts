import { describe, expect, it } from '@jest/globals';
import { matching } from './palette-matches.ts';

const entry = (text: string, detail = '') => ({ group: '', text, detail, open: () => undefined });
const entries = [
  entry('Settings'),
  entry('Café am See', 'cafe.example'),
  entry('API keys'),
  entry('Webhooks', 'set up'),
];
const found = (text: string) => matching(entries, text).map((one) => one.text);

describe('the palette', () => {
  it('finds entries by parts of their words, without regard to accents and case, best first', () => {
    expect(found('set')).toEqual(['Settings', 'Webhooks']);
    expect(found('CAFE see')).toEqual(['Café am See']);
    expect(found('ey')).toEqual(['API keys']);
    expect(found('nothing')).toEqual([]);
  });

  it('shows every entry before a text is entered', () => {
    expect(found('  ')).toHaveLength(entries.length);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type TextRun, wholeWords } from './whole-words.ts';

/** Reads `=text`, `+text` and `-text`. */
const runs = (...texts: readonly string[]): TextRun[] =>
  texts.map((text) => ({ op: text.startsWith('=') ? '=' : text.startsWith('+') ? '+' : '-', text: text.slice(1) }));
const shown = (...texts: readonly string[]): string[] => wholeWords(runs(...texts)).map(({ op, text }) => op + text);
const side = (all: readonly TextRun[], left: '+' | '-'): string =>
  all
    .filter(({ op }) => op !== left)
    .map(({ text }) => text)
    .join('');

describe('the whole words of an edit', () => {
  it('contain the sign of a currency and the parts of a number', () => {
    expect(shown('=Now €', '-65', '+49', '= a month')).toEqual(['=Now ', '-€65', '+€49', '= a month']);
    expect(shown('=from ', '-12', '+15', '=%')).toEqual(['=from ', '-12%', '+15%']);
  });

  it('contain the rest of a word, removed text first', () => {
    expect(shown('=he ', '=run', '+ning', '= home')).toEqual(['=he ', '-run', '+running', '= home']);
    expect(shown('=', '+three', '-two', '= boats')).toEqual(['-two', '+three', '= boats']);
  });

  it('join edits of one word', () => {
    expect(shown('=on ', '-12', '+13', '=/', '-05', '+06', '= at noon')).toEqual([
      '=on ',
      '-12/05',
      '+13/06',
      '= at noon',
    ]);
  });

  it('leave punctuation around a word, and text of scripts without spaces, unchanged', () => {
    expect(shown('=It is (', '-old', '+new', '=).')).toEqual(['=It is (', '-old', '+new', '=).']);
    expect(shown('=価格は', '-十', '+二十', '=円です')).toEqual(['=価格は', '-十', '+二十', '=円です']);
  });

  it('keep both texts', () => {
    const text = fc.constantFrom('€', '12', ' ', 'run', 'ning', '.', ',', '-', 'a b', ' x', 'y ', '語', '(', '');
    const run = fc.record({ op: fc.constantFrom<TextRun['op']>('=', '+', '-'), text });
    fc.assert(
      fc.property(fc.array(run, { maxLength: 12 }), (some) => {
        const whole = wholeWords(some);
        expect(side(whole, '-')).toBe(side(some, '-'));
        expect(side(whole, '+')).toBe(side(some, '+'));
      }),
    );
  });
});

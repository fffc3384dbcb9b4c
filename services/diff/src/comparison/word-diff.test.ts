import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { uniqueWords } from '../../test/sample-pages.ts';
import type { WordRun } from '../domain/page-delta.ts';
import { Deadline, OutOfTime } from './deadline.ts';
import { diffWords } from './word-diff.ts';

const unhurried = (): Deadline => new Deadline(1, () => 0);
const diff = (before: string, after: string) => diffWords(before, after, unhurried());
const without = (words: readonly WordRun[], op: string): string =>
  words
    .filter((run) => run[0] !== op)
    .map((run) => run[1])
    .join('');

/** Short texts in several scripts that share many words. */
const text = fc
  .array(
    fc.constantFrom(
      'the',
      'price',
      'is',
      '$129.00',
      '$192.00',
      ',',
      '.',
      ' ',
      '  ',
      "don't",
      '価格は百円です',
      'ราคา',
      '👩‍👩‍👧',
      'é',
      '\ud800',
    ),
    {
      maxLength: 60,
    },
  )
  .chain((words) => fc.constantFrom(' ', '').map((glue) => words.join(glue)));

describe('diffWords', () => {
  it.each([
    ['Price: $129.00', 'Price: $192.00', ['129.00'], ['192.00']],
    ['Open Mon 9-17', 'Open Mon 7-19', ['9-17'], ['7-19']],
    ['The item is now here', 'The item is nowhere', ['now here'], ['nowhere']],
    ['Version v1.20 of it', 'Version v2.10 of it', ['v1.20'], ['v2.10']],
    ['You may not sell', 'You may sell', [' not'], []],
    ['say “yes” now', 'say “no” now', ['yes'], ['no']],
    ['価格は百円です', '価格は二百円です', ['百'], ['二百']],
    ['one,two', 'one, two', ['two'], [' two']],
  ])('compares %j with %j', (before, after, removed, added) => {
    const { words } = diff(before, after);
    expect(words.filter(([op]) => op === '-').map(([, text]) => text)).toEqual(removed);
    expect(words.filter(([op]) => op === '+').map(([, text]) => text)).toEqual(added);
  });

  it('returns runs that join to the later text without removals and to the earlier text without additions', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { words } = diff(before, after);
        expect(without(words, '-')).toBe(after);
        expect(without(words, '+')).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  it('finds no change when texts are equal or differ only in the amount of white space', () => {
    fc.assert(
      fc.property(text, (same) => {
        expect(diff(same, same)).toMatchObject({ isChange: false, wordsAdded: 0, wordsRemoved: 0 });
        expect(diff(same, same.replaceAll(' ', '   ')).isChange).toBe(false);
      }),
    );
  });

  it('is symmetric in the difference of added and removed words', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [there, back] = [diff(before, after), diff(after, before)];
        expect(there.wordsAdded - there.wordsRemoved).toBe(back.wordsRemoved - back.wordsAdded);
      }),
    );
  });

  it('joins two edits separated only by a comma', () => {
    const { words } = diff('we sell apples, pears and plums', 'we sell nuts, figs and plums');
    expect(words).toEqual([
      ['=', 'we sell '],
      ['-', 'apples, pears'],
      ['+', 'nuts, figs'],
      ['=', ' and plums'],
    ]);
  });

  it('aligns sentences first in long texts', () => {
    const sentences = Array.from(
      { length: 400 },
      (_, at) => `Sentence ${at} says what ${uniqueWords(6, `s${at}x`)} mean.`,
    );
    const edited = sentences.with(200, 'Sentence 200 says nothing.');
    const { wordsAdded, wordsRemoved, words } = diff(sentences.join(' '), edited.join(' '));
    expect([wordsAdded, wordsRemoved]).toEqual([1, 8]);
    expect(without(words, '-')).toBe(edited.join(' '));
  });

  it('throws OutOfTime after the deadline', () => {
    let now = 0;
    const deadline = new Deadline(2, () => now++);
    const shuffled = (step: number): string =>
      Array.from({ length: 1_900 }, (_, at) => `w${(at * step) % 1_901}`).join(' ');
    expect(() => diffWords(shuffled(7), shuffled(11), deadline)).toThrow(OutOfTime);
  });
});

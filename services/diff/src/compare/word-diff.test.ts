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

/** Texts of a few words and signs in several scripts, so that they share much and differ in places. */
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

describe('words of an edited text', () => {
  it.each([
    ['Price: $129.00', 'Price: $192.00', ['129.00'], ['192.00']],
    ['Open Mon 9-17', 'Open Mon 7-19', ['9-17'], ['7-19']],
    ['The item is now here', 'The item is nowhere', ['now here'], ['nowhere']],
    ['Version v1.20 of it', 'Version v2.10 of it', ['v1.20'], ['v2.10']],
    ['You may not sell', 'You may sell', [' not'], []],
    ['say “yes” now', 'say “no” now', ['yes'], ['no']],
    ['価格は百円です', '価格は二百円です', ['百'], ['二百']],
    ['one,two', 'one, two', ['two'], [' two']],
  ])('%j to %j', (before, after, removed, added) => {
    const { words } = diff(before, after);
    expect(words.filter(([op]) => op === '-').map(([, said]) => said)).toEqual(removed);
    expect(words.filter(([op]) => op === '+').map(([, said]) => said)).toEqual(added);
  });

  it('are the later text without what was removed, and the earlier without what was added', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { words } = diff(before, after);
        expect(without(words, '-')).toBe(after);
        expect(without(words, '+')).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  it('are none that differ where the texts are equal, or differ in how much space there is', () => {
    fc.assert(
      fc.property(text, (same) => {
        expect(diff(same, same)).toMatchObject({ isChange: false, wordsAdded: 0, wordsRemoved: 0 });
        expect(diff(same, same.replaceAll(' ', '   ')).isChange).toBe(false);
      }),
    );
  });

  it('count the same both ways round', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [there, back] = [diff(before, after), diff(after, before)];
        expect(there.wordsAdded - there.wordsRemoved).toBe(back.wordsRemoved - back.wordsAdded);
      }),
    );
  });

  it('are told as one edit where only a comma parts two', () => {
    const { words } = diff('we sell apples, pears and plums', 'we sell nuts, figs and plums');
    expect(words).toEqual([
      ['=', 'we sell '],
      ['-', 'apples, pears'],
      ['+', 'nuts, figs'],
      ['=', ' and plums'],
    ]);
  });

  it('of a text too long for it are found sentence by sentence', () => {
    const sentences = Array.from(
      { length: 400 },
      (_, at) => `Sentence ${at} says what ${uniqueWords(6, `s${at}x`)} mean.`,
    );
    const edited = sentences.with(200, 'Sentence 200 says nothing.');
    const { wordsAdded, wordsRemoved, words } = diff(sentences.join(' '), edited.join(' '));
    expect([wordsAdded, wordsRemoved]).toEqual([1, 8]);
    expect(without(words, '-')).toBe(edited.join(' '));
  });

  it('are given up when the time is over', () => {
    let now = 0;
    const deadline = new Deadline(2, () => now++);
    const shuffled = (step: number): string =>
      Array.from({ length: 1_900 }, (_, at) => `w${(at * step) % 1_901}`).join(' ');
    expect(() => diffWords(shuffled(7), shuffled(11), deadline)).toThrow(OutOfTime);
  });
});

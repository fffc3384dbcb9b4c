import { describe, expect, it } from '@jest/globals';
import { type Block, BlockKind, Landmark, type PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { countCpuMs } from '@tidemark/testkit';
import fc from 'fast-check';
import { block, pageOf, readingOf, uniqueWords } from '../../test/sample-pages.ts';
import type { PageDelta } from '../domain/page-delta.ts';
import { comparePages } from './compare-pages.ts';

const compare = (before: PageBlocks, after: PageBlocks): PageDelta =>
  comparePages(before, after, { deadlineMs: 5_000 });
const ops = ({ blocks }: PageDelta): string[] => blocks.map(({ op }) => op);
const row = (text: string): Block => block(text, { kind: BlockKind.BLOCK_KIND_ROW });

const [INTRO, RULES, PRICES, PAYING, ENDING] = [
  'These terms apply to all who use the service.',
  'You may not sell what you find here to others.',
  'The monthly price of the service is 129 euros.',
  'Payment is due within fourteen days of the bill.',
  'Either side may end the contract at any time.',
];

const paragraph = fc
  .array(fc.constantFrom('tide', 'harbour', 'storm', '12', '13', ',', 'and'), { minLength: 1, maxLength: 12 })
  .map((words) => words.join(' '));
const reading = fc.array(paragraph, { maxLength: 12 }).map((texts) => readingOf(...texts));

describe('comparePages', () => {
  it('finds no difference between equal pages', () => {
    fc.assert(
      fc.property(reading, (page) => {
        expect(compare(page, page)).toEqual({
          blocks: [],
          positions: [],
          fields: [],
          wordsAdded: 0,
          wordsRemoved: 0,
          isReordered: false,
          isDegraded: false,
        });
      }),
    );
  });

  it('gives for every edited block the later text when removed runs are left out', () => {
    fc.assert(
      fc.property(reading, reading, (before, after) => {
        for (const { op, words, after: block } of compare(before, after).blocks)
          if (op === 'edited' || op === 'added')
            expect(
              words
                .filter((run) => run[0] !== '-')
                .map((run) => run[1])
                .join(''),
            ).toBe(block?.text);
      }),
    );
  });

  it('is symmetric in the difference of added and removed words', () => {
    fc.assert(
      fc.property(reading, reading, (before, after) => {
        const [there, back] = [compare(before, after), compare(after, before)];
        expect(there.wordsAdded - there.wordsRemoved).toBe(back.wordsRemoved - back.wordsAdded);
        expect(there.blocks.length === 0).toBe(back.blocks.length === 0);
      }),
    );
  });

  it('lists added, removed and edited blocks with section and anchor in reading order', () => {
    const delta = compare(
      readingOf(INTRO, RULES, PRICES, ENDING),
      readingOf(INTRO, PRICES.replace('129', '149'), PAYING, ENDING),
    );
    expect(delta.blocks).toMatchObject([
      { op: 'removed', before: { text: RULES }, wordsRemoved: 10, section: 'Terms', anchor: 'main>p' },
      { op: 'edited', wordsAdded: 1, wordsRemoved: 1, isNumericOnly: true },
      { op: 'added', after: { text: PAYING }, wordsAdded: 9 },
    ]);
    expect(delta).toMatchObject({ wordsAdded: 10, wordsRemoved: 11, isReordered: false, isDegraded: false });
  });

  it('lists a block at another position as moved and counts no words', () => {
    const delta = compare(
      readingOf(INTRO, RULES, PRICES, PAYING, ENDING),
      readingOf(INTRO, PAYING, RULES, PRICES, ENDING),
    );
    expect(ops(delta)).toEqual(['moved']);
    expect(delta).toMatchObject({ wordsAdded: 0, wordsRemoved: 0, isReordered: true });
  });

  it('does not call a page reordered when its order is content: ranked rows and pages of a few lines', () => {
    const table = [row('1 | Ada'), row('2 | Bo'), row('3 | Cy'), row('4 | Di'), row('5 | Ed')];
    const [first, second, ...rest] = table;
    const swapped = [second, first, ...rest].filter((one) => one !== undefined);
    expect(compare(pageOf(table), pageOf(swapped)).isReordered).toBe(false);
    expect(compare(readingOf('Plan A', 'Plan B'), readingOf('Plan B', 'Plan A'))).toMatchObject({
      isReordered: false,
      blocks: [{ op: 'moved' }],
    });
  });

  it('pairs a short value with the one that replaced it', () => {
    const value = (text: string) => pageOf([block(INTRO), block(text, { anchor: 2 }), block(ENDING)]);
    expect(compare(value('4,099'), value('4,120')).blocks).toMatchObject([{ op: 'edited', isNumericOnly: true }]);
  });

  it('finds no change when text is only split into other blocks', () => {
    const joined = [INTRO, RULES, PRICES].join(' ');
    expect(ops(compare(readingOf(joined, ENDING), readingOf(INTRO, RULES, PRICES, ENDING)))).toEqual([]);
    expect(ops(compare(readingOf(INTRO, RULES, PRICES, ENDING), readingOf(joined, ENDING)))).toEqual([]);
  });

  it('finds the edited words when text is edited and split differently at once', () => {
    const parts = Array.from({ length: 12 }, (_, at) => `Part ${at} holds ${uniqueWords(30, `p${at}x`)}.`);
    const onePage = readingOf(parts.join(' '));
    const delta = compare(onePage, readingOf(...parts.with(5, `${parts[5]} And one more sentence.`)));
    expect(delta.blocks).toMatchObject([{ op: 'edited', wordsAdded: 4, wordsRemoved: 0 }]);
  });

  it('lists volatile blocks without counting their words', () => {
    const restless = (text: string) => pageOf([block(INTRO), block(text, { landmark: Landmark.LANDMARK_ASIDE })]);
    const delta = comparePages(restless('17 people read this now'), restless('18 people read this now'), {
      deadlineMs: 5_000,
      isVolatile: ({ landmark }) => landmark === Landmark.LANDMARK_ASIDE,
    });
    expect(delta).toMatchObject({
      wordsAdded: 0,
      wordsRemoved: 0,
      blocks: [{ op: 'edited', isVolatile: true, wordsAdded: 1 }],
    });
  });

  it('lists head changes, and of several values only those added or removed', () => {
    const head = (...fields: [string, string][]) =>
      pageOf(
        [],
        fields.map(([name, value]) => ({ name, value })),
      );
    const delta = compare(
      head(['title', 'Old'], ['robots', 'noindex'], ['hreflang', 'de /de'], ['hreflang', 'fr /fr']),
      head(['title', 'New'], ['hreflang', 'de /de'], ['hreflang', 'es /es']),
    );
    expect(delta.fields).toEqual([
      { name: 'title', from: 'Old', to: 'New' },
      { name: 'hreflang', from: 'fr /fr', to: 'es /es' },
      { name: 'robots', from: 'noindex' },
    ]);
  });

  it('lists no head change when text became a heading or ceased to be one', () => {
    const plain = pageOf([block('Terms of Use'), block('You agree to them.')]);
    const headed = pageOf(plain.blocks, [
      { name: 'title', value: 'Terms of Use' },
      { name: 'h1', value: 'Terms of Use' },
    ]);
    expect(compare(plain, headed).fields).toEqual([]);
    expect(compare(headed, plain).fields).toEqual([]);
  });

  it('lists a heading with new text and a replaced heading', () => {
    const headed = (heading: string): PageBlocks =>
      pageOf([block('Terms of Use'), block('Privacy')], [{ name: 'h1', value: heading }]);
    expect(compare(pageOf([block('Privacy')]), headed('Terms of Use')).fields).toEqual([
      { name: 'h1', to: 'Terms of Use' },
    ]);
    expect(compare(headed('Terms of Use'), headed('Privacy')).fields).toEqual([
      { name: 'h1', from: 'Terms of Use', to: 'Privacy' },
    ]);
  });
});

describe('comparePages with a deadline', () => {
  const instant = { deadlineMs: -1 };

  it('returns replaced blocks and isDegraded after the deadline', () => {
    const delta = comparePages(readingOf(INTRO, RULES), readingOf(INTRO, PRICES, PAYING), instant);
    expect(delta).toMatchObject({ isDegraded: true, wordsAdded: 18, wordsRemoved: 10 });
    expect(ops(delta)).toEqual(['replaced', 'replaced']);
  });

  const shuffled = (count: number, step: number): string[] =>
    Array.from({ length: count }, (_, at) => `block ${(at * step) % count}`);
  /** As many blocks of maximum length as make a megabyte. */
  const full = (text: string): PageBlocks =>
    readingOf(...Array.from({ length: 125 }, (_, at) => `${at} ${text.slice(0, 7_990)}`));
  it.each([
    ['50,000 blocks in another order', readingOf(...shuffled(50_000, 7)), readingOf(...shuffled(49_999, 11))],
    [
      '20,000 blocks without a match',
      readingOf(...shuffled(20_000, 1)),
      readingOf(...shuffled(20_000, 1).map((text) => `${text}!`)),
    ],
    ['a megabyte without a match', full(uniqueWords(2_000, 'a')), full(uniqueWords(2_000, 'b'))],
    ['a megabyte of one repeated word', full('a '.repeat(4_000)), full('a '.repeat(3_990))],
    ['a megabyte of two words', full('a b '.repeat(2_000)), full('b b a '.repeat(1_334))],
    ['a megabyte without spaces', full('語'.repeat(8_000)), full('文語'.repeat(4_000))],
  ])('finishes in time for %s', (_, before, after) => {
    const cpuMs = countCpuMs();
    const delta = comparePages(before, after, { deadlineMs: 1_000 });
    // The deadline is checked between units of work; writing the result follows.
    expect(cpuMs()).toBeLessThan(5_000);
    expect(delta.blocks.length).toBeGreaterThan(0);
  });
});

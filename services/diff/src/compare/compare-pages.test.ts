import { describe, expect, it } from '@jest/globals';
import { type Block, BlockKind, Landmark, type PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { countCpuMs } from '@tidemark/testkit';
import fc from 'fast-check';
import { block, pageOf, readingOf, strangeWords } from '../../test/made-readings.ts';
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

describe('a comparison of two readings', () => {
  it('of equal pages finds nothing', () => {
    fc.assert(
      fc.property(reading, (page) => {
        expect(compare(page, page)).toEqual({
          blocks: [],
          fields: [],
          wordsAdded: 0,
          wordsRemoved: 0,
          isReordered: false,
          isDegraded: false,
        });
      }),
    );
  });

  it('tells of every edited block its later text without what was removed', () => {
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

  it('told backwards, adds what it removed', () => {
    fc.assert(
      fc.property(reading, reading, (before, after) => {
        const [there, back] = [compare(before, after), compare(after, before)];
        expect(there.wordsAdded - there.wordsRemoved).toBe(back.wordsRemoved - back.wordsAdded);
        expect(there.blocks.length === 0).toBe(back.blocks.length === 0);
      }),
    );
  });

  it('says which block was added, removed and edited, under which heading, in reading order', () => {
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

  it('calls what is said elsewhere moved, and counts no words for it', () => {
    const delta = compare(
      readingOf(INTRO, RULES, PRICES, PAYING, ENDING),
      readingOf(INTRO, PAYING, RULES, PRICES, ENDING),
    );
    expect(ops(delta)).toEqual(['moved']);
    expect(delta).toMatchObject({ wordsAdded: 0, wordsRemoved: 0, isReordered: true });
  });

  it('calls no page reordered whose order is what it says: ranked rows, and pages of a few lines', () => {
    const table = [row('1 | Ada'), row('2 | Bo'), row('3 | Cy'), row('4 | Di'), row('5 | Ed')];
    const [first, second, ...rest] = table;
    const swapped = [second, first, ...rest].filter((one) => one !== undefined);
    expect(compare(pageOf(table), pageOf(swapped)).isReordered).toBe(false);
    expect(compare(readingOf('Plan A', 'Plan B'), readingOf('Plan B', 'Plan A'))).toMatchObject({
      isReordered: false,
      blocks: [{ op: 'moved' }],
    });
  });

  it('tells a link that leads elsewhere, though it reads the same', () => {
    const link = (to: string) => pageOf([block('See the dataset.', { links: [to] })]);
    const delta = compare(link('https://a.example/1'), link('https://a.example/2'));
    expect(delta.blocks).toMatchObject([
      {
        op: 'edited',
        wordsAdded: 0,
        before: { links: ['https://a.example/1'] },
        after: { links: ['https://a.example/2'] },
      },
    ]);
  });

  it('takes a short value in place of another for its edit', () => {
    const value = (text: string) => pageOf([block(INTRO), block(text, { anchor: 2 }), block(ENDING)]);
    expect(compare(value('4,099'), value('4,120')).blocks).toMatchObject([{ op: 'edited', isNumericOnly: true }]);
  });

  it('finds no change in text that is only cut into other blocks', () => {
    const joined = [INTRO, RULES, PRICES].join(' ');
    expect(ops(compare(readingOf(joined, ENDING), readingOf(INTRO, RULES, PRICES, ENDING)))).toEqual([]);
    expect(ops(compare(readingOf(INTRO, RULES, PRICES, ENDING), readingOf(joined, ENDING)))).toEqual([]);
  });

  it('finds the words that were edited in text that is cut into other blocks at the same time', () => {
    const parts = Array.from({ length: 12 }, (_, at) => `Part ${at} holds ${strangeWords(30, `p${at}x`)}.`);
    const whole = readingOf(parts.join(' '));
    const delta = compare(whole, readingOf(...parts.with(5, `${parts[5]} And one more sentence.`)));
    expect(delta.blocks).toMatchObject([{ op: 'edited', wordsAdded: 4, wordsRemoved: 0 }]);
  });

  it('tells what is known to change by itself, and counts it nowhere', () => {
    const restless = (text: string) => pageOf([block(INTRO), block(text, { landmark: Landmark.LANDMARK_ASIDE })]);
    const delta = comparePages(restless('17 people read this now'), restless('18 people read this now'), {
      deadlineMs: 5_000,
      volatile: ({ landmark }) => landmark === Landmark.LANDMARK_ASIDE,
    });
    expect(delta).toMatchObject({
      wordsAdded: 0,
      wordsRemoved: 0,
      blocks: [{ op: 'edited', isVolatile: true, wordsAdded: 1 }],
    });
  });

  it('tells what the head says otherwise, of sets only what came and went', () => {
    const head = (...facts: [string, string][]) =>
      pageOf(
        [],
        facts.map(([name, value]) => ({ name, value })),
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

  it('tells nothing where words of the page became its heading, or none any more', () => {
    const plain = pageOf([block('Terms of Use'), block('You agree to them.')]);
    const headed = pageOf(plain.blocks, [
      { name: 'title', value: 'Terms of Use' },
      { name: 'h1', value: 'Terms of Use' },
    ]);
    expect(compare(plain, headed).fields).toEqual([]);
    expect(compare(headed, plain).fields).toEqual([]);
  });

  it('tells of a heading that is new to the page, and of one put in the place of another', () => {
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

describe('a comparison that would take too long', () => {
  const instant = { deadlineMs: -1 };

  it('tells which blocks were replaced, and that it is degraded', () => {
    const delta = comparePages(readingOf(INTRO, RULES), readingOf(INTRO, PRICES, PAYING), instant);
    expect(delta).toMatchObject({ isDegraded: true, wordsAdded: 18, wordsRemoved: 10 });
    expect(ops(delta)).toEqual(['replaced', 'replaced']);
  });

  const shuffled = (count: number, step: number): string[] =>
    Array.from({ length: count }, (_, at) => `block ${(at * step) % count}`);
  /** As long as blocks are cut, and as many as make a megabyte. */
  const full = (text: string): PageBlocks =>
    readingOf(...Array.from({ length: 125 }, (_, at) => `${at} ${text.slice(0, 7_990)}`));
  it.each([
    ['50,000 blocks in another order', readingOf(...shuffled(50_000, 7)), readingOf(...shuffled(49_999, 11))],
    [
      '20,000 blocks that share nothing',
      readingOf(...shuffled(20_000, 1)),
      readingOf(...shuffled(20_000, 1).map((text) => `${text}!`)),
    ],
    ['a megabyte that share nothing', full(strangeWords(2_000, 'a')), full(strangeWords(2_000, 'b'))],
    ['a megabyte of one word, once more', full('a '.repeat(4_000)), full('a '.repeat(3_990))],
    ['a megabyte of two words', full('a b '.repeat(2_000)), full('b b a '.repeat(1_334))],
    ['a megabyte without spaces', full('語'.repeat(8_000)), full('文語'.repeat(4_000))],
  ])('is done in time, or says so: %s', (_, before, after) => {
    const cpuMs = countCpuMs();
    const delta = comparePages(before, after, { deadlineMs: 1_000 });
    // The clock is looked at between pieces of work; what is left is to write the answer.
    expect(cpuMs()).toBeLessThan(5_000);
    expect(delta.blocks.length).toBeGreaterThan(0);
  });
});

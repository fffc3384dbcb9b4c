import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PageWriter, type WrittenBlock } from '../../test/fixtures/written-history.ts';
import { readingOf } from '../../test/sample-pages.ts';
import type { BlameState, BlockHistory } from './blame-state.ts';
import { contentPageOf } from './content-page.ts';
import { firstBlame, nextBlame } from './next-blame.ts';

const TIDE = 'The tide gauge at the north pier is read every ten minutes';
const FEE = 'A berth for one night costs twelve crowns and includes water';
const OFFICE = 'The office opens at eight and closes at five on weekdays';

/** Follows a page through versions that consist of these paragraphs. */
function follow(versions: readonly (readonly string[])[], options: Parameters<typeof nextBlame>[2] = {}): BlameState {
  const pages = versions.map((texts) => contentPageOf(readingOf(...texts)));
  const [first = contentPageOf(readingOf())] = pages;
  let state = firstBlame(0, first);
  for (const [index, after] of pages.entries()) {
    const before = pages[index - 1];
    if (before !== undefined) state = nextBlame(state, { version: index, before, after }, options);
  }
  return state;
}

describe('the history of the texts of a page', () => {
  it('keeps the origin of an edited block, and dates the new words alone', () => {
    const { blocks } = follow([[TIDE], [TIDE], [TIDE.replace('ten', 'twelve')]]);
    expect(blocks).toMatchObject([{ origin: 0, lastEdit: 2, edits: 1, moves: 0 }]);
    expect(blocks[0]?.words).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]);
  });

  it('follows a block that moves', () => {
    const { blocks } = follow([
      [TIDE, FEE, OFFICE],
      [FEE, OFFICE, TIDE],
    ]);
    expect(blocks.map(({ origin, moves }) => [origin, moves])).toEqual([
      [0, 0],
      [0, 0],
      [0, 1],
    ]);
  });

  it('gives a text that left and came back its history, and states when it was missing', () => {
    const { blocks } = follow([[TIDE, FEE], [TIDE], [TIDE], [TIDE, FEE]]);
    expect(blocks[1]).toMatchObject({ origin: 0, edits: 0, returned: { leftAt: 1, at: 3 } });
  });

  it('gives a text that was edited and edited back its history', () => {
    const { blocks } = follow([[FEE], [FEE.replace('twelve', 'fourteen')], [FEE]]);
    expect(blocks[0]).toMatchObject({ origin: 0, lastEdit: 0, edits: 0, returned: { leftAt: 1, at: 2 } });
  });

  it('follows text that is split into blocks, and text that is merged', () => {
    const split = follow([[`${TIDE}. ${FEE}.`], [`${TIDE}.`, `${FEE}.`]]);
    expect(split.blocks.map(({ origin }) => origin)).toEqual([0, 0]);
    expect(new Set(split.blocks.flatMap(({ words }) => words))).toEqual(new Set([0]));
    const merged = follow([[`${TIDE}.`, `${FEE}.`], [`${TIDE}. ${FEE}.`]]);
    expect(new Set(merged.blocks.flatMap(({ words }) => words))).toEqual(new Set([0]));
  });

  it('does not take a short text for one that returned unless the block next to it stayed', () => {
    const alone = follow([['Back to top', TIDE], [TIDE], ['Back to top', FEE]]);
    expect(alone.blocks[0]).toMatchObject({ origin: 2 });
    const nextToKept = follow([['Back to top', TIDE], [TIDE], ['Back to top', TIDE]]);
    expect(nextToKept.blocks[0]).toMatchObject({ origin: 0, returned: { leftAt: 1, at: 2 } });
  });

  it('marks new texts as approximate where a step has no time, and keeps equal ones', () => {
    let clock = 0;
    const { blocks } = follow(
      [
        [TIDE, FEE],
        [TIDE, `${FEE} and power`],
      ],
      { now: () => clock++ * 1_000 },
    );
    expect(blocks).toMatchObject([
      { origin: 0, isApproximate: false },
      { origin: 1, isApproximate: true },
    ]);
  });

  it('counts no edits where the blocks of the two versions are cut by different rules', () => {
    const [before, after] = [[TIDE, FEE], [`${TIDE} ${FEE}`]].map((texts) => contentPageOf(readingOf(...texts)));
    if (before === undefined || after === undefined) throw new Error('two pages are made');
    const recut = { ...after, version: before.version + 1 };
    const { blocks, left } = nextBlame(firstBlame(0, before), { version: 1, before, after: recut });
    expect(blocks).toMatchObject([{ origin: 0, lastEdit: 0, edits: 0 }]);
    expect(left).toEqual([]);
  });

  it('agrees with the author of a page about 99 % of its blocks and words', () => {
    const seeds = fc.sample(fc.integer(), 8);
    const shares = sharesOf(seeds.flatMap(pairsOf));
    for (const [name, share] of Object.entries(shares))
      expect({ name, seeds, isRight: share >= 0.99 }).toEqual({ name, seeds, isRight: true });
  });
});

interface BlockPair {
  readonly written: WrittenBlock;
  readonly found: BlockHistory | undefined;
}

/** Writes 50 versions of a page and follows them. */
function pairsOf(seed: number): BlockPair[] {
  const writer = new PageWriter({ seed, blocks: 80 });
  let current = writer.current;
  let before = contentPageOf(current.page);
  let state = firstBlame(0, before);
  for (let version = 1; version < 50; version += 1) {
    current = writer.next();
    const after = contentPageOf(current.page);
    state = nextBlame(state, { version, before, after });
    before = after;
  }
  expect(state.blocks).toHaveLength(current.blocks.length);
  return current.blocks.map((written, index) => ({ written, found: state.blocks[index] }));
}

function sharesOf(pairs: readonly BlockPair[]) {
  const shareOf = (areRight: readonly boolean[]) => areRight.filter(Boolean).length / areRight.length;
  const returned = pairs.filter(({ written }) => written.returned !== undefined);
  return {
    origin: shareOf(pairs.map(({ written, found }) => found?.origin === written.origin)),
    lastEdit: shareOf(pairs.map(({ written, found }) => found?.lastEdit === written.lastEdit)),
    returned: shareOf(
      returned.map(
        ({ written, found }) =>
          found?.returned?.at === written.returned?.at && found?.returned?.leftAt === written.returned?.leftAt,
      ),
    ),
    words: shareOf(
      pairs.flatMap(({ written, found }) => written.words.map(({ version }, index) => found?.words[index] === version)),
    ),
  };
}

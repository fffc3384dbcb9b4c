import { createHash } from 'node:crypto';
import { type Block, BlockKind, Landmark, type PageBlocks } from '@tidemark/contracts/page/v1/blocks';

export interface HostilePair {
  readonly name: string;
  readonly before: PageBlocks;
  readonly after: PageBlocks;
}

const blockOf = (text: string): Block => ({
  hash: createHash('sha1').update(text).digest().subarray(0, 8),
  text,
  mask: '',
  landmark: Landmark.LANDMARK_MAIN,
  kind: BlockKind.BLOCK_KIND_PARAGRAPH,
  section: 0,
  anchor: 1,
  links: [],
  linkTexts: [],
});
const pageOf = (texts: readonly string[]): PageBlocks => ({
  version: 1,
  blocks: texts.map(blockOf),
  sections: [],
  anchors: ['main>p'],
  head: [],
});

/** Returns a deterministic number below `most`, so that every run compares the same pairs. */
function chooser(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * most);
  };
}
const many = (count: number, textOf: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => textOf(at));

/** Pairs of the largest stored size that no shortcut of the comparison applies to. */
export function hostilePairs(): HostilePair[] {
  const [one, other] = [chooser(1), chooser(2)];
  const few = (choose: (most: number) => number, words: number): string => many(words, () => `w${choose(8)}`).join(' ');
  const numbered = many(20_000, (at) => `A paragraph of its own, of which this is number ${at}.`);
  return [
    {
      name: '20,000 blocks in reverse order',
      before: pageOf(numbered),
      after: pageOf(numbered.toReversed()),
    },
    {
      name: '20,000 blocks, each edited a little',
      before: pageOf(numbered),
      after: pageOf(many(20_000, (at) => `A paragraph of its own, and this one is number ${at} again.`)),
    },
    {
      name: '4,000 blocks of the same eight words, shuffled',
      before: pageOf(many(4_000, () => few(one, 60))),
      after: pageOf(many(4_000, () => few(other, 60))),
    },
    {
      name: '500 blocks of 8,000 characters, the same eight words',
      before: pageOf(many(500, () => few(one, 2_600))),
      after: pageOf(many(500, () => few(other, 2_600))),
    },
    {
      name: '13 blocks cut again into 4,000, every third word another',
      before: pageOf(many(13, (at) => many(2_000, (word) => `t${at}x${word}`).join(' '))),
      after: pageOf(
        many(4_000, (at) =>
          many(7, (word) => (word % 3 === 0 ? `new${at}` : `t${at % 13}x${(at * 7 + word) % 2_000}`)).join(' '),
        ),
      ),
    },
    {
      name: '50,000 blocks with no word in common',
      before: pageOf(many(50_000, (at) => `before${at} stands alone${at}`)),
      after: pageOf(many(50_000, (at) => `after${at} is another${at}`)),
    },
  ];
}

import type { Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { BlockChange, PageDelta, WordRun } from '../domain/page-delta.ts';
import { linkChangesOf } from './link-changes.ts';
import { isSelfUpdating } from './self-updating-edit.ts';
import { countWords } from './tokens.ts';
import { anchorOf, sectionOf } from './unmatched-blocks.ts';
import type { WordDiff } from './word-diff.ts';

/** Returns whether a block is known to be volatile. */
export type IsVolatile = (block: Block, reading: PageBlocks) => boolean;

/** Both readings of a page, and which blocks are known to be volatile. */
export interface Readings {
  readonly before: PageBlocks;
  readonly after: PageBlocks;
  readonly isVolatile: IsVolatile;
}

/** Creates block changes. */
export class ChangeWriter {
  readonly #readings: Readings;
  readonly #places = new Map<PageBlocks, Map<string, number>>();

  constructor(readings: Readings) {
    this.#readings = readings;
  }

  added(after: Block): BlockChange {
    return this.#change('added', { after }, { words: runs('+', after.text), wordsAdded: countWords(after.text) });
  }

  removed(before: Block): BlockChange {
    return this.#change(
      'removed',
      { before },
      { words: runs('-', before.text), wordsRemoved: countWords(before.text) },
    );
  }

  moved(before: Block, after: Block): BlockChange {
    return this.#change('moved', { before, after }, { words: runs('=', after.text) });
  }

  /** Returns undefined if nothing visible differs. */
  edited(before: Block, after: Block, diff: WordDiff): BlockChange | undefined {
    const links = linkChangesOf(before, after);
    if (!diff.isChange && links.length === 0) return undefined;
    if (!diff.isChange)
      return { ...this.#change('relinked', { before, after }, { words: runs('=', after.text) }), links };
    const isNumericOnly = digitless(before.text) === digitless(after.text);
    return {
      ...this.#change('edited', { before, after }, diff),
      isNumericOnly,
      ...(links.length === 0 ? {} : { links }),
    };
  }

  /** Creates the change of a block that was not compared word by word. */
  replaced(before: Block | undefined, after: Block | undefined): BlockChange {
    return this.#change(
      'replaced',
      { ...(before && { before }), ...(after && { after }) },
      {
        words: [...runs('-', before?.text ?? ''), ...runs('+', after?.text ?? '')],
        wordsAdded: countWords(after?.text ?? ''),
        wordsRemoved: countWords(before?.text ?? ''),
      },
    );
  }

  #change(
    op: BlockChange['op'],
    blocks: Pick<BlockChange, 'before' | 'after'>,
    details: Partial<Pick<BlockChange, 'words' | 'wordsAdded' | 'wordsRemoved'>>,
  ): BlockChange {
    const { before, after, isVolatile } = this.#readings;
    const reading = blocks.after ? after : before;
    const block = blocks.after ?? blocks.before;
    const isChangeVolatile =
      (blocks.before !== undefined && isVolatile(blocks.before, before)) ||
      (blocks.after !== undefined && isVolatile(blocks.after, after)) ||
      (op === 'edited' &&
        blocks.before !== undefined &&
        blocks.after !== undefined &&
        isSelfUpdating(blocks.before, blocks.after));
    return {
      op,
      ...blocks,
      section: block ? sectionOf(reading, block) : '',
      anchor: block ? anchorOf(reading, block) : '',
      words: details.words ?? [],
      wordsAdded: details.wordsAdded ?? 0,
      wordsRemoved: details.wordsRemoved ?? 0,
      isNumericOnly: false,
      ...(isChangeVolatile ? { isVolatile: true } : {}),
      ...(block !== undefined && this.#sharesPlace(block, reading) ? { sharesPlace: true } : {}),
    };
  }

  #sharesPlace(block: Block, reading: PageBlocks): boolean {
    let places = this.#places.get(reading);
    if (places === undefined) {
      places = new Map();
      for (const one of reading.blocks) places.set(placeOf(one), (places.get(placeOf(one)) ?? 0) + 1);
      this.#places.set(reading, places);
    }
    return (places.get(placeOf(block)) ?? 0) > 1;
  }
}

const placeOf = ({ anchor, section, kind, landmark }: Block): string => `${anchor} ${section} ${kind} ${landmark}`;

const runs = (op: WordRun[0], text: string): WordRun[] => (text === '' ? [] : [[op, text]]);

const digitless = (text: string): string => text.replace(/\p{Nd}+(?:[.,:'’\u00a0\u202f]\p{Nd}+)*/gu, '0');

/** Sums the words of all changes that are not volatile. */
export function totalsOf(blocks: readonly BlockChange[]): Pick<PageDelta, 'wordsAdded' | 'wordsRemoved'> {
  const counted = blocks.filter(({ isVolatile }) => isVolatile !== true);
  return {
    wordsAdded: counted.reduce((sum, { wordsAdded }) => sum + wordsAdded, 0),
    wordsRemoved: counted.reduce((sum, { wordsRemoved }) => sum + wordsRemoved, 0),
  };
}

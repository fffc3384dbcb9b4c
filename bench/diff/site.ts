import { type Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { escapeTags } from '@tidemark/html';
import type { Compared } from '@tidemark/page-reader';
import { comparisonHashes, type PageReading, readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { isMain } from '../../services/diff/src/volatility/block-traits.ts';
import { readTexts } from '../archive/texts.ts';

/** One page in twenty changes with each generation. */
const CHANGED_EVERY = 20;
const BASES = 250;
/** Shorter texts have no sentence to edit. */
const EDITED_WORDS = 20;

/** A page as stored by a capture. */
export interface MadeReading {
  readonly bodies: Uint8Array;
  readonly compared: Compared;
  readonly title: string;
  readonly words: number;
}

/** A page that others are based on. */
interface Base {
  readonly markdown: string;
  readonly title: string;
  readonly words: number;
  readonly blocks: PageBlocks;
  /** Index of the block that is edited where a page changes. */
  readonly edited: number;
}

/** Returns the generation in which a page changes; below 2: none. */
const changesWith = (page: number): number => page % CHANGED_EVERY;

/** Returns how many pages change with a generation, 2 to 19. */
export const changedIn = (pages: number, generation: number): number =>
  Array.from({ length: pages }, (_, page) => page).filter((page) => changesWith(page) === generation).length;

/** A site of any size: each page is one of a set with a unique sentence, and some change with each generation. */
export class MadeSite {
  readonly #bases: readonly Base[];
  /** Description of the pages' source. */
  readonly from: string;

  constructor() {
    const texts = readTexts(BASES);
    this.#bases = texts.flatMap(({ html, markdown, title, words }) => {
      const { blocks } = read(html);
      const edited = blocks?.blocks.findIndex(isEditable) ?? -1;
      return blocks === undefined || edited === -1 ? [] : [{ markdown, title, words, blocks, edited }];
    });
    this.from = `${this.#bases.length} generated pages`;
  }

  /** Returns a page as read in a generation, from 1. */
  reading(page: number, generation: number): MadeReading {
    const base = this.#bases[page % this.#bases.length];
    if (base === undefined) throw new Error('there are no texts');
    const isEdited = changesWith(page) > 1 && changesWith(page) <= generation;
    const own = blockOf(`Page ${page} of this site is the only one to say so in these words.`);
    const blocks: PageBlocks = {
      ...base.blocks,
      blocks: [
        own,
        ...base.blocks.blocks.flatMap((block, at) => (isEdited && at === base.edited ? edits(block, page) : block)),
      ],
    };
    const markdown = `${base.markdown}\n\n${own.text}\n${isEdited ? `\nRevised ${page}.\n` : ''}`;
    const bodies = PageBodies.encode({ markdown, blocks: Buffer.from(PageBlocks.encode(blocks).finish()) }).finish();
    const compared = comparisonHashes({ ...EMPTY, blocks });
    if (compared === undefined) throw new Error('a page gave no blocks');
    return { bodies, compared, title: base.title, words: base.words };
  }
}

const read = (html: string): PageReading =>
  readPage({
    html,
    url: 'https://example.com/page',
    content: USUAL_CONTENT,
    outputs: new Set(),
    cut: { volatileSelectors: [] },
  });
const EMPTY = read('<main></main>');

const isEditable = (block: Block): boolean => isMain(block) && block.text.split(' ').length >= EDITED_WORDS;

/** Builds a block from a paragraph of the main part. */
function blockOf(text: string): Block {
  const block = read(`<main><p>${escapeTags(text)}</p></main>`).blocks?.blocks[0];
  if (block === undefined) throw new Error('a text gave no block');
  return { ...block, section: 0, anchor: 1 };
}

/** Replaces three words and adds a paragraph. Every page changes differently, so that the record does not group them. */
function edits(block: Block, page: number): Block[] {
  const words = block.text.split(' ');
  words.splice(Math.floor(words.length / 2), 3, `harbour${page}`, `mooring${page}`, `estuary${page}`);
  const { hash, text, mask } = blockOf(words.join(' '));
  const added = blockOf(`What page ${page} adds: the gauge at pier${page} was read twice by observer${page}.`);
  return [
    { ...block, hash, text, mask },
    { ...added, section: block.section, anchor: block.anchor },
  ];
}

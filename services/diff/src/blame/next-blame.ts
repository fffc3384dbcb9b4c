import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { alignBlocks, type BlockAlignment, keyOf } from '../comparison/align-blocks.ts';
import { Deadline, OutOfTime } from '../comparison/deadline.ts';
import { pairBlocks } from '../comparison/pair-blocks.ts';
import { tokensOf } from '../comparison/tokens.ts';
import type { UnmatchedBlock } from '../comparison/unmatched-blocks.ts';
import type { BlameState, BlockHistory, LeftText } from './blame-state.ts';
import { carryBetween, carryWithin, type WordPool } from './carry-words.ts';

/** Time limit of one step, ms: after it, blocks are followed by their hash alone. */
const STEP_MS = 150;
/** With more words in changed blocks, words are not followed between blocks. */
const MAX_POOLED_WORDS = 20_000;
/** Maximum number of texts that are remembered after they left, the newest ones. */
const MAX_LEFT = 20_000;
/** Shorter texts occur by chance: they return only next to a block that stayed. */
const MIN_RETURNING_WORDS = 4;

/** The next version of a page, whose number is `version`. Both pages are contents (`contentPageOf`). */
export interface VersionStep {
  readonly version: number;
  readonly before: PageBlocks;
  readonly after: PageBlocks;
}

export interface StepOptions {
  readonly deadlineMs?: number;
  readonly now?: () => number;
}

const countWords = (text: string): number => tokensOf(text).reduce((words, { isWord }) => words + (isWord ? 1 : 0), 0);

const newBlock = (words: number, version: number, isApproximate = false): BlockHistory => ({
  origin: version,
  lastEdit: version,
  edits: 0,
  moves: 0,
  isApproximate,
  words: Array<number>(words).fill(version),
});

/** Returns the state after the first version of a page: every text is new. */
export const firstBlame = (version: number, { blocks }: PageBlocks): BlameState => ({
  version,
  blocks: blocks.map(({ text }) => newBlock(countWords(text), version)),
  left: [],
});

/**
 * Returns the state after the next version of a page. Blocks with the same text keep their history wherever they are; edited blocks keep
 * their origin, and each word its version; a text that left before gets its history back.
 */
export function nextBlame(state: BlameState, next: VersionStep, options: StepOptions = {}): BlameState {
  const { deadlineMs = STEP_MS, now } = options;
  const deadline = new Deadline(deadlineMs, now);
  const { before, after } = next;
  const step = new Step(state, next);
  try {
    const alignment = alignBlocks(before, after, deadline);
    step.keep(alignment);
    step.restore(alignment.unmatchedAfter, alignment);
    step.followEdits(alignment, deadline);
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    step.keepByHash();
  }
  return step.end();
}

/** One step from a version to the next: assigns a history to each later block. */
class Step {
  readonly #version: number;
  readonly #state: BlameState;
  readonly #before: PageBlocks;
  readonly #after: PageBlocks;
  readonly #histories: (BlockHistory | undefined)[];
  readonly #left: Map<string, LeftText[]>;
  /** The blocks are cut by other rules: what differs is no edit of the page. */
  readonly #isRecut: boolean;
  #isApproximate = false;

  constructor(state: BlameState, { version, before, after }: VersionStep) {
    this.#version = version;
    this.#state = state;
    this.#before = before;
    this.#after = after;
    this.#histories = Array<BlockHistory | undefined>(after.blocks.length).fill(undefined);
    this.#left = Map.groupBy(state.left, ({ key }) => key);
    this.#isRecut = before.version !== after.version;
  }

  /** Blocks with the same text keep their history. */
  keep({ same, moved }: BlockAlignment): void {
    for (const [from, to] of same.entries()) if (to !== -1) this.#histories[to] = this.#state.blocks[from];
    for (const [from, to] of moved) {
      const history = this.#state.blocks[from];
      this.#histories[to] = history && { ...history, moves: history.moves + 1 };
    }
  }

  /** Texts that left before get their history back. */
  restore(blocks: readonly UnmatchedBlock[], { same }: BlockAlignment): void {
    const kept = new Set(same.filter((to) => to !== -1));
    for (const { index, tokens } of blocks) {
      const words = tokens.reduce((sum, { isWord }) => sum + (isWord ? 1 : 0), 0);
      const isNextToKept = kept.has(index - 1) || kept.has(index + 1);
      if (words >= MIN_RETURNING_WORDS || isNextToKept) this.#restoreBlock(index);
    }
  }

  #restoreBlock(index: number): void {
    const block = this.#after.blocks[index];
    const text = block && this.#left.get(keyOf(block))?.pop();
    if (text === undefined) return;
    this.#histories[index] = { ...text.history, returned: { leftAt: text.leftAt, at: this.#version } };
  }

  /** Edited blocks keep their origin, and their words their versions; so do texts that were split, merged or moved between blocks. */
  followEdits({ unmatchedBefore, unmatchedAfter }: BlockAlignment, deadline: Deadline): void {
    const changed = unmatchedAfter.filter(({ index }) => this.#histories[index] === undefined);
    const pools: WordPool = { before: [], after: [] };
    const paired = pairBlocks(unmatchedBefore, changed, deadline);
    const edited = new Map(paired.map(({ before, after }) => [after, before]));
    const carriedFrom = new Map<UnmatchedBlock, ReadonlySet<number>>();
    for (const block of changed) {
      const old = edited.get(block);
      const history = old && this.#state.blocks[old.index];
      if (old === undefined || history === undefined) {
        pools.after.push({ block, words: Array<number | undefined>(wordsIn(block)).fill(undefined) });
        continue;
      }
      const { words, taken } = carryWithin(old, block, history.words, deadline);
      carriedFrom.set(old, taken);
      pools.after.push({ block, words, pairedWith: history });
    }
    for (const block of unmatchedBefore) {
      const history = this.#state.blocks[block.index];
      if (history !== undefined) pools.before.push({ block, history, taken: carriedFrom.get(block) ?? new Set() });
    }
    const pooled =
      unmatchedBefore.reduce((sum, block) => sum + wordsIn(block), 0) +
      changed.reduce((sum, block) => sum + wordsIn(block), 0);
    if (pooled > MAX_POOLED_WORDS) this.#isApproximate = true;
    const sources = pooled > MAX_POOLED_WORDS ? new Map<UnmatchedBlock, BlockHistory>() : carryBetween(pools, deadline);
    for (const { block, words, pairedWith } of pools.after) {
      const source = pairedWith ?? sources.get(block);
      this.#histories[block.index] = source === undefined ? undefined : this.#edited(source, words);
    }
  }

  #edited(source: BlockHistory, words: readonly (number | undefined)[]): BlockHistory {
    const version = this.#version;
    const dated = words.map((word) => word ?? version);
    if (this.#isRecut) return { ...source, words: dated };
    return { ...source, words: dated, edits: source.edits + 1, lastEdit: version };
  }

  /** Follows blocks by the hash of their text alone. */
  keepByHash(): void {
    this.#isApproximate = true;
    const byKey = Map.groupBy(this.#state.blocks.entries(), ([index]) => {
      const block = this.#before.blocks[index];
      return block === undefined ? undefined : keyOf(block);
    });
    const unused = new Map([...byKey].map(([key, blocks]) => [key, blocks.values()]));
    for (const [index, block] of this.#after.blocks.entries()) {
      this.#histories[index] ??= unused.get(keyOf(block))?.next().value?.[1];
      if (this.#histories[index] === undefined) this.#restoreBlock(index);
    }
  }

  end(): BlameState {
    const blocks = this.#after.blocks.map(
      ({ text }, index) =>
        this.#histories[index] ?? newBlock(countWords(text), this.#version, this.#isApproximate || this.#isRecut),
    );
    return { version: this.#version, blocks, left: this.#leftNow() };
  }

  /** Adds the texts that this version no longer has. Of a page that is cut by other rules nothing left. */
  #leftNow(): readonly LeftText[] {
    const remaining = new Set([...this.#left.values()].flat());
    const stayed = this.#state.left.filter((text) => remaining.has(text));
    if (this.#isRecut) return stayed;
    const present = new Set(this.#after.blocks.map(keyOf));
    const gone = this.#before.blocks.flatMap((block, index): LeftText[] => {
      const history = this.#state.blocks[index];
      const key = keyOf(block);
      return history === undefined || present.has(key) ? [] : [{ key, history, leftAt: this.#version }];
    });
    return [...stayed, ...gone].slice(-MAX_LEFT);
  }
}

const wordsIn = ({ tokens }: UnmatchedBlock): number => tokens.reduce((sum, { isWord }) => sum + (isWord ? 1 : 0), 0);

import type { Deadline } from './deadline.ts';
import { OutOfTime } from './deadline.ts';
import { IdMap, matchSequences } from './sequence-diff.ts';
import type { Token } from './tokens.ts';
import { sharedOf, type UnmatchedBlock } from './unmatched-blocks.ts';
import { type WordDiff, wordDiffOf } from './word-diff.ts';

/** Time limit for comparing words across block boundaries, ms. */
const RESPLIT_TIMEOUT_MS = 1_000;
/** If blocks report more than this multiple of the words that differ, the text was split differently. */
const OVERREPORTED_FACTOR = 2;
const OVERREPORTED_WORDS = 4;

/** A later block whose text was at least partly in other blocks before. */
export interface ResplitBlock {
  readonly after: UnmatchedBlock;
  /** The earlier block in which its text begins; undefined: the text is new. */
  readonly before: UnmatchedBlock | undefined;
  readonly diff: WordDiff;
}

export interface Resplit {
  readonly blocks: readonly ResplitBlock[];
  /** Earlier blocks without remaining text. */
  readonly removed: readonly UnmatchedBlock[];
  /** Words added and removed. */
  readonly words: number;
}

/**
 * Whether the reported words exceed the differing words so far that the same text must have been split into other
 * blocks.
 */
export function isOverreported(
  before: readonly UnmatchedBlock[],
  after: readonly UnmatchedBlock[],
  words: number,
): boolean {
  const [old, now] = [allWords(before), allWords(after)];
  const differing = old.length + now.length - 2 * sharedOf(old, now);
  return words > OVERREPORTED_FACTOR * differing + OVERREPORTED_WORDS;
}

const allWords = (blocks: readonly UnmatchedBlock[]): Uint32Array =>
  Uint32Array.from(blocks.flatMap(({ words }) => [...words])).sort();

/** Compares words across block boundaries. Undefined after the time limit. */
export function resplit(
  before: readonly UnmatchedBlock[],
  after: readonly UnmatchedBlock[],
  deadline: Deadline,
): Resplit | undefined {
  try {
    return resplitWithin(before, after, deadline.within(RESPLIT_TIMEOUT_MS));
  } catch (error) {
    if (error instanceof OutOfTime) return undefined;
    throw error;
  }
}

interface OwnedToken {
  readonly token: Token;
  readonly owner: UnmatchedBlock;
}

/** Tokens of one later block, aligned with the earlier tokens. */
interface AlignedTokens {
  readonly ranges: { isEqual: boolean; before: Token[]; after: Token[] }[];
  before: UnmatchedBlock | undefined;
}

function resplitWithin(
  before: readonly UnmatchedBlock[],
  after: readonly UnmatchedBlock[],
  deadline: Deadline,
): Resplit {
  const [xs, ys] = [before.flatMap(spacedTokens), after.flatMap(ownedTokens)];
  const ids = new IdMap();
  const keys = (tokens: readonly OwnedToken[]): Uint32Array => ids.all(tokens.map(({ token }) => token.text));
  const [old, now] = [keys(xs), keys(ys)];
  deadline.check();
  const matches = matchSequences(old, now, deadline);
  deadline.check();
  const keptBlocks = new Set(xs.flatMap(({ owner }, at) => (matches[at] === -1 ? [] : [owner])));
  const removed = before.filter((block) => !keptBlocks.has(block));
  const aligned = alignTokens(xs, ys, { matches, isRemoved: (owner) => !keptBlocks.has(owner) });
  const blocks = after.flatMap((block): ResplitBlock[] => {
    const own = aligned.get(block);
    return own === undefined ? [] : [{ after: block, before: own.before, diff: wordDiffOf(own.ranges) }];
  });
  const words =
    blocks.reduce((sum, { diff }) => sum + diff.wordsAdded + diff.wordsRemoved, 0) +
    removed.reduce((sum, { words }) => sum + words.length, 0);
  return { blocks, removed, words };
}

const ownedTokens = (owner: UnmatchedBlock): OwnedToken[] => owner.tokens.map((token) => ({ token, owner }));
/** Returns a block's tokens; its first token gets the space that separates it from the previous block. */
const spacedTokens = (owner: UnmatchedBlock): OwnedToken[] =>
  owner.tokens.map((token, at) => ({ token: at === 0 ? { ...token, space: ' ' } : token, owner }));

/**
 * Assigns every token to a later block: tokens of the later text to their own block, removed tokens to the block in which the text
 * continues. `matches[x]` is the index in `ys` of the token that equals `xs[x]`, or -1; both only grow. Removed tokens of a block
 * without remaining text (`isRemoved`) are left out, because the block is reported as a whole.
 */
function alignTokens(
  xs: readonly OwnedToken[],
  ys: readonly OwnedToken[],
  { matches, isRemoved }: { readonly matches: Int32Array; readonly isRemoved: (owner: UnmatchedBlock) => boolean },
): Map<UnmatchedBlock, AlignedTokens> {
  const aligned = new Map<UnmatchedBlock, AlignedTokens>();
  const put = (owner: UnmatchedBlock, old: OwnedToken | undefined, now: OwnedToken | undefined): void => {
    const own = aligned.get(owner) ?? { ranges: [], before: undefined };
    aligned.set(owner, own);
    own.before ??= old?.owner;
    const isEqual = old !== undefined && now !== undefined;
    const last = own.ranges.at(-1);
    const range = last?.isEqual === isEqual ? last : { isEqual, before: [], after: [] };
    if (range !== last) own.ranges.push(range);
    const isFirst = own.ranges.length === 1 && range.before.length === 0;
    if (old) range.before.push(isFirst ? { ...old.token, space: '' } : old.token);
    if (now) range.after.push(now.token);
  };
  let y = 0;
  for (const [x, old] of xs.entries()) {
    const match = matches[x] ?? -1;
    for (; y < match; y++) putNew(ys[y], put);
    const now = match === -1 ? undefined : ys[y++];
    // Removed text belongs to the block in which the text continues, or else to the last block.
    const owner = (now ?? ys[y === 0 ? 0 : y - 1])?.owner;
    if (owner !== undefined && !(now === undefined && isRemoved(old.owner))) put(owner, old, now);
  }
  for (; y < ys.length; y++) putNew(ys[y], put);
  return aligned;
}

function putNew(
  now: OwnedToken | undefined,
  put: (owner: UnmatchedBlock, old: undefined, now: OwnedToken) => void,
): void {
  if (now !== undefined) put(now.owner, undefined, now);
}

import type { Deadline } from './deadline.ts';
import { OutOfTime } from './deadline.ts';
import { type LooseBlock, sharedOf } from './loose-blocks.ts';
import { Ids, matchSequences } from './sequence-diff.ts';
import type { Token } from './tokens.ts';
import { tellStretches, type WordDiff } from './word-diff.ts';

/** Milliseconds one look across the borders of blocks may take. */
const RECUT_MS = 1_000;
/** Where blocks tell of this many times the words that differ at all, their borders are what changed. */
const OVERTOLD = 2;
const OVERTOLD_WORDS = 4;

/** A block of the later reading whose text was, at least in part, in other blocks before. */
export interface RecutBlock {
  readonly after: LooseBlock;
  /** Where its text begins in the earlier reading; undefined: it is new. */
  readonly before: LooseBlock | undefined;
  readonly diff: WordDiff;
}

export interface Recut {
  readonly blocks: readonly RecutBlock[];
  /** Blocks of the earlier reading nothing is left of. */
  readonly removed: readonly LooseBlock[];
  /** Words added and removed together. */
  readonly words: number;
}

/** Whether so many words are told of as changed that the same text must have been cut into other blocks. */
export function isOvertold(before: readonly LooseBlock[], after: readonly LooseBlock[], words: number): boolean {
  const [old, now] = [wholeBag(before), wholeBag(after)];
  const differing = old.length + now.length - 2 * sharedOf(old, now);
  return words > OVERTOLD * differing + OVERTOLD_WORDS;
}

const wholeBag = (blocks: readonly LooseBlock[]): Uint32Array =>
  Uint32Array.from(blocks.flatMap(({ bag }) => [...bag])).sort();

/** Compares the words of some blocks across their borders. Undefined where that would take too long. */
export function recut(
  before: readonly LooseBlock[],
  after: readonly LooseBlock[],
  deadline: Deadline,
): Recut | undefined {
  try {
    return recutWithin(before, after, deadline.within(RECUT_MS));
  } catch (error) {
    if (error instanceof OutOfTime) return undefined;
    throw error;
  }
}

interface OwnedToken {
  readonly token: Token;
  readonly owner: LooseBlock;
}

/** Tokens of one block of the later reading, side by side with what stood there before. */
interface Gathered {
  readonly stretches: { isEqual: boolean; before: Token[]; after: Token[] }[];
  before: LooseBlock | undefined;
}

function recutWithin(before: readonly LooseBlock[], after: readonly LooseBlock[], deadline: Deadline): Recut {
  const [xs, ys] = [before.flatMap(parted), after.flatMap(owned)];
  const ids = new Ids();
  const keys = (tokens: readonly OwnedToken[]): Uint32Array => ids.all(tokens.map(({ token }) => token.text));
  const [old, now] = [keys(xs), keys(ys)];
  deadline.check();
  const matches = matchSequences(old, now, deadline);
  deadline.check();
  const kept = new Set(xs.flatMap(({ owner }, at) => (matches[at] === -1 ? [] : [owner])));
  const removed = before.filter((block) => !kept.has(block));
  const gathered = gather(xs, ys, { matches, isGone: (owner) => !kept.has(owner) });
  const blocks = after.flatMap((block): RecutBlock[] => {
    const own = gathered.get(block);
    return own === undefined ? [] : [{ after: block, before: own.before, diff: tellStretches(own.stretches) }];
  });
  const words =
    blocks.reduce((sum, { diff }) => sum + diff.wordsAdded + diff.wordsRemoved, 0) +
    removed.reduce((sum, { bag }) => sum + bag.length, 0);
  return { blocks, removed, words };
}

const owned = (owner: LooseBlock): OwnedToken[] => owner.tokens.map((token) => ({ token, owner }));
/** A block's first token, where it goes on another block, has the space that parted the two. */
const parted = (owner: LooseBlock): OwnedToken[] =>
  owner.tokens.map((token, at) => ({ token: at === 0 ? { ...token, space: ' ' } : token, owner }));

function gather(
  xs: readonly OwnedToken[],
  ys: readonly OwnedToken[],
  { matches, isGone }: { readonly matches: Int32Array; readonly isGone: (owner: LooseBlock) => boolean },
): Map<LooseBlock, Gathered> {
  const gathered = new Map<LooseBlock, Gathered>();
  const put = (owner: LooseBlock, old: OwnedToken | undefined, now: OwnedToken | undefined): void => {
    const own = gathered.get(owner) ?? { stretches: [], before: undefined };
    gathered.set(owner, own);
    own.before ??= old?.owner;
    const isEqual = old !== undefined && now !== undefined;
    const last = own.stretches.at(-1);
    const stretch = last?.isEqual === isEqual ? last : { isEqual, before: [], after: [] };
    if (stretch !== last) own.stretches.push(stretch);
    const isFirst = own.stretches.length === 1 && stretch.before.length === 0;
    if (old) stretch.before.push(isFirst ? { ...old.token, space: '' } : old.token);
    if (now) stretch.after.push(now.token);
  };
  let y = 0;
  for (const [x, old] of xs.entries()) {
    const match = matches[x] ?? -1;
    for (; y < match; y++) putNew(ys[y], put);
    const now = match === -1 ? undefined : ys[y++];
    // What is gone is told where the text goes on, or where it ended.
    const owner = (now ?? ys[y === 0 ? 0 : y - 1])?.owner;
    if (owner !== undefined && !(now === undefined && isGone(old.owner))) put(owner, old, now);
  }
  for (; y < ys.length; y++) putNew(ys[y], put);
  return gathered;
}

function putNew(now: OwnedToken | undefined, put: (owner: LooseBlock, old: undefined, now: OwnedToken) => void): void {
  if (now !== undefined) put(now.owner, undefined, now);
}

import type { Deadline } from '../comparison/deadline.ts';
import { IdMap, matchSequences } from '../comparison/sequence-diff.ts';
import type { UnmatchedBlock } from '../comparison/unmatched-blocks.ts';
import type { BlockHistory } from './blame-state.ts';

/** Fewer words in common are chance. */
const MIN_CARRIED_WORDS = 4;
/** Share of a text's words that must come from other blocks. */
const MIN_CARRIED_SHARE = 0.5;

const wordsOf = ({ tokens }: UnmatchedBlock): string[] => tokens.flatMap(({ text, isWord }) => (isWord ? [text] : []));

/**
 * Carries the versions of words from a block to its edited form.
 * @returns the versions of the later words, undefined for new ones, and the indexes of the earlier words that are in it
 * @throws OutOfTime
 */
export function carryWithin(
  before: UnmatchedBlock,
  after: UnmatchedBlock,
  versions: readonly number[],
  deadline: Deadline,
) {
  const ids = new IdMap();
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const matches = matchSequences(ids.all(old), ids.all(now), deadline);
  const words = Array<number | undefined>(now.length).fill(undefined);
  const taken = new Set<number>();
  for (const [from, to] of matches.entries()) {
    if (to === -1) continue;
    words[to] = versions[from];
    taken.add(from);
  }
  return { words, taken };
}

/** The words of changed blocks that no edit explains. */
export interface WordPool {
  readonly before: {
    readonly block: UnmatchedBlock;
    readonly history: BlockHistory;
    /** Indexes of words that an edited block took over. */
    readonly taken: ReadonlySet<number>;
  }[];
  readonly after: {
    readonly block: UnmatchedBlock;
    /** Version of each word; undefined: not known yet. */
    readonly words: (number | undefined)[];
    readonly pairedWith?: BlockHistory;
  }[];
}

/**
 * Carries versions of words between blocks, where text was split, merged or moved into other blocks. Sets `words` of the later blocks.
 * @returns for each later block that is not paired and consists largely of such words, the history of the block that gave most of them
 * @throws OutOfTime
 */
export function carryBetween({ before, after }: WordPool, deadline: Deadline): Map<UnmatchedBlock, BlockHistory> {
  const ids = new IdMap();
  const sources = before.flatMap(({ block, history, taken }) =>
    wordsOf(block).flatMap((word, index) => (taken.has(index) ? [] : [{ id: ids.of(word), index, history }])),
  );
  const targets = after.flatMap((owner) =>
    wordsOf(owner.block).flatMap((word, index) =>
      owner.words[index] === undefined ? [{ id: ids.of(word), index, owner }] : [],
    ),
  );
  const matches = matchSequences(
    Uint32Array.from(sources, ({ id }) => id),
    Uint32Array.from(targets, ({ id }) => id),
    deadline,
  );
  const found = new Map<WordPool['after'][number], { index: number; version: number; history: BlockHistory }[]>();
  for (const [from, to] of matches.entries()) {
    const [source, target] = [sources[from], targets[to]];
    if (source === undefined || target === undefined) continue;
    const version = source.history.words[source.index];
    if (version === undefined) continue;
    const carried = found.get(target.owner) ?? [];
    carried.push({ index: target.index, version, history: source.history });
    found.set(target.owner, carried);
  }
  const origins = new Map<UnmatchedBlock, BlockHistory>();
  for (const [owner, carried] of found) {
    const unknown = owner.words.filter((word) => word === undefined).length;
    if (carried.length < Math.max(MIN_CARRIED_WORDS, unknown * MIN_CARRIED_SHARE)) continue;
    for (const { index, version } of carried) owner.words[index] = version;
    if (owner.pairedWith === undefined) origins.set(owner.block, mostFrequent(carried.map(({ history }) => history)));
  }
  return origins;
}

/** @throws RangeError for an empty list */
function mostFrequent<Item>(items: readonly Item[]): Item {
  const counts = new Map<Item, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  if (most === undefined) throw new RangeError('no items');
  return most[0];
}

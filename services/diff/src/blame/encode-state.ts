import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { BlameState, BlockHistory, LeftText } from './blame-state.ts';

/** Versions of words as runs: version, length, version, length, … */
type Runs = readonly number[];
type StoredBlock = readonly [
  origin: number,
  lastEdit: number,
  edits: number,
  moves: number,
  isApproximate: 0 | 1,
  words: Runs,
  leftAt?: number,
  returnedAt?: number,
];
interface StoredState {
  readonly version: number;
  readonly blocks: readonly StoredBlock[];
  readonly left: readonly (readonly [key: string, leftAt: number, block: StoredBlock])[];
}

/** Encodes a state for storage: compressed JSON. */
export function encodeState({ version, blocks, left }: BlameState): Buffer {
  const stored: StoredState = {
    version,
    blocks: blocks.map(toStored),
    left: left.map(({ key, leftAt, history }) => [
      Buffer.from(key, 'latin1').toString('base64url'),
      leftAt,
      toStored(history),
    ]),
  };
  return deflateRawSync(JSON.stringify(stored), { level: 9 });
}

/** Decodes a state that `encodeState` encoded. */
export function decodeState(bytes: Uint8Array): BlameState {
  const { version, blocks, left }: StoredState = JSON.parse(inflateRawSync(bytes).toString());
  return {
    version,
    blocks: blocks.map(toHistory),
    left: left.map(
      ([key, leftAt, block]): LeftText => ({
        key: Buffer.from(key, 'base64url').toString('latin1'),
        leftAt,
        history: toHistory(block),
      }),
    ),
  };
}

function toStored({ origin, lastEdit, edits, moves, isApproximate, words, returned }: BlockHistory): StoredBlock {
  const runs: number[] = [];
  for (const word of words) {
    if (runs.at(-2) === word) runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1;
    else runs.push(word, 1);
  }
  const block = [origin, lastEdit, edits, moves, isApproximate ? 1 : 0, runs] as const;
  return returned === undefined ? block : [...block, returned.leftAt, returned.at];
}

function toHistory([origin, lastEdit, edits, moves, isApproximate, runs, leftAt, at]: StoredBlock): BlockHistory {
  const words = runs.flatMap((version, index) =>
    index % 2 === 0 ? Array<number>(runs[index + 1] ?? 0).fill(version) : [],
  );
  const history = { origin, lastEdit, edits, moves, isApproximate: isApproximate === 1, words };
  return leftAt === undefined || at === undefined ? history : { ...history, returned: { leftAt, at } };
}

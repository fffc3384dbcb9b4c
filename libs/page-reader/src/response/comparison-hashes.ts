import { hash } from 'node:crypto';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { contentHash, textHash } from '../blocks/content-hash.ts';
import type { PageReading } from '../page/read-page.ts';
import type { Compared } from './compared.ts';

const HASH_BYTES = 16;

/** Returns the hashes that a reading with blocks is compared by; undefined without blocks. */
export function comparisonHashes({ blocks, fields = {}, matchedIncludes }: PageReading): Compared | undefined {
  if (blocks === undefined) return undefined;
  const withValue = Object.keys(fields).filter((name) => isValue(fields[name]));
  return {
    contentHash: contentHash(blocks),
    textHash: textHash(blocks),
    comparedHash: comparedHash(blocks, fields),
    blocksVersion: blocks.version,
    matched: { fields: withValue, include: [...matchedIncludes] },
  };
}

/** Hashes everything that is compared: the blocks in order, the head and the fields. */
function comparedHash({ blocks, head }: PageBlocks, fields: Readonly<Record<string, unknown>>): Buffer {
  const values = head.map(({ name, value }) => [name, value]);
  const inOrder = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  const [count, rest] = [Buffer.from(`${blocks.length}\n`), Buffer.from(JSON.stringify([values, inOrder]))];
  // One call for all blocks: the overhead of a call exceeds the hashing.
  const compared = Buffer.concat([count, ...blocks.map((block) => block.hash), rest]);
  return hash('sha256', compared, 'buffer').subarray(0, HASH_BYTES);
}

const isValue = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : (value ?? null) !== null);

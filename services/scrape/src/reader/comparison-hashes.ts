import { hash } from 'node:crypto';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { contentHash } from '../content/blocks/content-hash.ts';
import type { PageReading } from '../content/read-page.ts';
import type { Compared } from '../domain/compared.ts';

const HASH_BYTES = 16;

/** What a reading that was cut into blocks is compared by; undefined: it was not. */
export function compareBy({ blocks, fields = {}, matchedIncludes }: PageReading): Compared | undefined {
  if (blocks === undefined) return undefined;
  const withValue = Object.keys(fields).filter((name) => isValue(fields[name]));
  return {
    contentHash: contentHash(blocks),
    comparedHash: comparedHash(blocks, fields),
    blocksVersion: blocks.version,
    matched: { fields: withValue, include: [...matchedIncludes] },
  };
}

/** Two readings that share it differ in nothing that is compared: no block in its place, nothing the head says, no field. */
function comparedHash({ blocks, head }: PageBlocks, fields: Readonly<Record<string, unknown>>): Buffer {
  const facts = head.map(({ name, value }) => [name, value]);
  const inOrder = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  const [count, rest] = [Buffer.from(`${blocks.length}\n`), Buffer.from(JSON.stringify([facts, inOrder]))];
  // One call for all: a call costs more than what it adds.
  const compared = Buffer.concat([count, ...blocks.map((block) => block.hash), rest]);
  return hash('sha256', compared, 'buffer').subarray(0, HASH_BYTES);
}

const isValue = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : (value ?? null) !== null);

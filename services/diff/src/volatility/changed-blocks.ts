import { createHash } from 'node:crypto';
import type { BlockChange } from '../domain/page-delta.ts';
import { anchorOf } from './block-traits.ts';

/** Returns the changed blocks by anchor, before and after. A text without similar words is reported as removed and added. */
export function chainsOf(
  template: string,
  changes: readonly BlockChange[],
): [anchor: string, chain: readonly [string, string]][] {
  const removed = new Map<string, string[]>();
  for (const change of changes)
    if (change.before !== undefined && change.after === undefined) {
      const anchor = anchorOf(template, change);
      removed.set(anchor, [...(removed.get(anchor) ?? []), hashText(change.before.hash)]);
    }
  return changes.flatMap((change): [string, readonly [string, string]][] => {
    if (change.after === undefined) return [];
    const anchor = anchorOf(template, change);
    const before = change.before === undefined ? removed.get(anchor)?.shift() : hashText(change.before.hash);
    return before === undefined ? [] : [[anchor, [before, hashText(change.after.hash)]]];
  });
}

/** A list of the head is followed by its page. */
export function pageChain(page: Uint8Array): readonly [string, string] {
  const key = createHash('sha1').update(page).digest('base64url').slice(0, 11);
  return [key, key];
}

/** Whether no other block of the page has the place of the changed one. */
export const isAlone = ({ sharesPlace }: BlockChange): boolean => sharesPlace !== true;

/** Returns the hash of a block as it is stored. */
export const hashText = (hash: Uint8Array | undefined): string =>
  hash === undefined ? '' : Buffer.from(hash).toString('base64url');

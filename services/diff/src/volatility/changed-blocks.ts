import { createHash } from 'node:crypto';
import type { BlockChange, FieldChange } from '../domain/page-delta.ts';
import { anchorOf } from './block-traits.ts';

/** A block of a page that changed, followed from text to text. */
export interface ChangedBlock {
  /** Identifies the page and the text of the block in the earlier and in the later reading. A block that only one reading has keeps its key. */
  readonly before: string;
  readonly after: string;
  /** What the later reading shows; empty: the block is gone. */
  readonly shows: string;
  /** It is or was a price, a headline or the like: no evidence, and no end of the evidence there is. */
  readonly isGuarded?: true;
}

/** Returns the changed blocks of a page, each with its anchor. A text without similar words is reported as removed and added. */
export function changedBlocks(
  { template, pageKey }: { readonly template: string; readonly pageKey: string },
  changes: readonly BlockChange[],
  isGuarded: (change: BlockChange) => boolean = () => false,
): [anchor: string, block: ChangedBlock][] {
  const page = pageHash(pageKey);
  const removed = Map.groupBy(
    changes.filter(({ after }) => after === undefined),
    (change) => anchorOf(template, change),
  );
  const later = changes.flatMap((change): [string, ChangedBlock][] => {
    if (change.after === undefined) return [];
    const anchor = anchorOf(template, change);
    const shows = hashText(change.after.hash);
    const replaced = change.before === undefined ? removed.get(anchor)?.shift() : undefined;
    const before = hashText((change.before ?? replaced?.before ?? change.after).hash);
    const block = { before: `${page}.${before}`, after: `${page}.${shows}`, shows };
    const isOneGuarded = isGuarded(change) || (replaced !== undefined && isGuarded(replaced));
    return [[anchor, isOneGuarded ? { ...block, isGuarded: true } : block]];
  });
  const gone = [...removed].flatMap(([anchor, left]) =>
    left.map((change): [string, ChangedBlock] => {
      const key = `${page}.${hashText(change.before?.hash)}`;
      const block = { before: key, after: key, shows: '' };
      return [anchor, isGuarded(change) ? { ...block, isGuarded: true } : block];
    }),
  );
  return [...later, ...gone];
}

/** Returns the change of a list of the head, which is followed by its page. */
export function changedField(pageKey: string, { to = '' }: Pick<FieldChange, 'to'>): ChangedBlock {
  const key = pageHash(pageKey);
  return { before: key, after: key, shows: createHash('sha1').update(to).digest('base64url').slice(0, 11) };
}

/** Whether no other block of the page has the place of the changed one. */
export const isAlone = ({ sharesPlace }: BlockChange): boolean => sharesPlace !== true;

/** Returns the hash of a block as it is stored. */
export const hashText = (hash: Uint8Array | undefined): string =>
  hash === undefined ? '' : Buffer.from(hash).toString('base64url');

/** Returns a short hash of a page key. */
export const pageHash = (pageKey: string): string => createHash('sha1').update(pageKey).digest('base64url').slice(0, 8);

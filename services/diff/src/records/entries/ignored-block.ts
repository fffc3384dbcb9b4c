import type { BlockChange, FieldChange } from '../../domain/page-delta.ts';
import type { Ignored } from '../../volatility/volatility-model.ts';
import { digest, type EntryOrigin, landmarkOf } from './entry.ts';

/** A change of a record that was ignored, with both texts. */
export interface IgnoredBlock extends Ignored {
  readonly id: string;
  readonly pageKey: string;
  readonly url: string;
  readonly op: BlockChange['op'];
  /** Nearest heading above; empty: none. */
  readonly section: string;
  /** As in entries. */
  readonly landmark: string;
  /** Name of a list of the head; empty: it is a block. */
  readonly field: string;
  /** Null: the reading does not have it. */
  readonly before: string | null;
  readonly after: string | null;
  /** Only the beginnings of the texts are stored. */
  readonly truncated: boolean;
}

/** An ignored change of a page, before it has an id. */
export type IgnoredContent = Omit<IgnoredBlock, 'id'>;

/** Characters stored of each text. */
export const MAX_IGNORED_CHARS = 5_000;

type PageUrl = Pick<IgnoredBlock, 'pageKey' | 'url'>;

/** A change of a block that is ignored, and why. */
export interface IgnoredChange {
  readonly change: BlockChange;
  readonly why: Ignored;
}

/** Returns the ignored changes of a page. A text that replaces one without similar words at its place is one change. */
export function ignoredBlocks({ pageKey, url }: PageUrl, changes: readonly IgnoredChange[]): IgnoredContent[] {
  const keyOf = ({ why }: IgnoredChange): string => `${why.place} ${why.reason}`;
  const isOnly = (side: 'added' | 'removed') => (one: IgnoredChange) => one.change.op === side;
  const removed = Map.groupBy(changes.filter(isOnly('removed')), keyOf);
  const replacedBy = new Map<IgnoredChange, IgnoredChange>();
  for (const added of changes.filter(isOnly('added'))) {
    const old = removed.get(keyOf(added))?.shift();
    if (old !== undefined) replacedBy.set(added, old);
  }
  const replaced = new Set(replacedBy.values());
  return changes
    .filter((one) => !replaced.has(one))
    .map((one) => {
      const { after, section, op } = one.change;
      const old = replacedBy.get(one);
      const before = one.change.before ?? old?.change.before;
      return {
        ...one.why,
        pageKey,
        url,
        op: old === undefined ? op : 'replaced',
        section,
        landmark: landmarkOf(after ?? before),
        field: '',
        ...shortened(before?.text, after?.text),
      };
    });
}

export const ignoredField = (
  { pageKey, url }: PageUrl,
  { name, from, to }: FieldChange,
  ignored: Ignored,
): IgnoredContent => ({
  ...ignored,
  pageKey,
  url,
  op: from === undefined ? 'added' : to === undefined ? 'removed' : 'edited',
  section: '',
  landmark: '',
  field: name,
  ...shortened(from, to),
});

/** Adds a deterministic id. @param position 1-based position in the record */
export const makeIgnoredBlock = (
  { projectId, runId }: EntryOrigin,
  position: number,
  content: IgnoredContent,
): IgnoredBlock => ({
  ...content,
  id: `ign_${digest([projectId, runId, position, content.pageKey, content.place])}`,
});

function shortened(
  before: string | undefined,
  after: string | undefined,
): Pick<IgnoredBlock, 'before' | 'after' | 'truncated'> {
  const isLong = (text: string | undefined): boolean => (text?.length ?? 0) > MAX_IGNORED_CHARS;
  return {
    before: before?.slice(0, MAX_IGNORED_CHARS) ?? null,
    after: after?.slice(0, MAX_IGNORED_CHARS) ?? null,
    truncated: isLong(before) || isLong(after),
  };
}

import type { EntryFilter } from '@tidemark/contracts/diff/v1/diff';
import { CHANGED_KINDS, type EntryKind } from '../records/entries/entry.ts';

/** Returns the kinds that a filter selects; without a filter all. */
export function kindsOf(filter: EntryFilter | undefined): readonly EntryKind[] | 'all' {
  if (filter === undefined) return 'all';
  return filter === 'changed' ? CHANGED_KINDS : [filter];
}

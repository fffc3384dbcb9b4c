import type { EntryFilter } from '@tidemark/contracts/diff/v1/diff';
import { CHANGED_KINDS, DOUBTFUL_KINDS, type EntryKind } from '../records/entries/entry.ts';

/** Returns the kinds that a filter selects; without a filter all. */
export function kindsOf(filter: EntryFilter | undefined): readonly EntryKind[] | 'all' {
  if (filter === undefined) return 'all';
  if (filter === 'changed') return CHANGED_KINDS;
  return filter === 'doubtful' ? DOUBTFUL_KINDS : [filter];
}

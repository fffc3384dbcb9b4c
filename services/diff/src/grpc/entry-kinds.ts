import { AppError } from '@tidemark/errors';
import { CHANGED_KINDS, ENTRY_KINDS, type EntryKind } from '../records/entries/entry.ts';

/** Returns the kinds that a request names: one of them, `changed`, or an empty text for all. @throws AppError validation */
export function kindsOf(kind: string): readonly EntryKind[] | 'all' {
  if (kind === '') return 'all';
  if (kind === 'changed') return CHANGED_KINDS;
  const known = ENTRY_KINDS.find((one) => one === kind);
  if (known === undefined) throw new AppError('validation', `kind: unknown kind "${kind}"`);
  return [known];
}

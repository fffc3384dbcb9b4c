/** Which readings show that something changes by itself: recaptures a few seconds apart, or runs. */
export type SelfChangeSource = 'recaptures' | 'runs';

/** Evidence that a block, or every block of a place, changes without an edit. */
export interface SelfChange {
  /** Comparisons in a row in which it changed. Recaptures that differ count as `PROOF`. */
  readonly count: number;
  readonly by: SelfChangeSource;
  /** Time of the proof, ISO 8601; absent: not proven. */
  readonly since?: string;
  /** What the last two recaptures agree on. A run that still shows it proves edits. Empty: the block was gone. */
  readonly editedTo?: string;
}

/** Number of comparisons in a row in which something changes by itself rather than by edits. */
export const PROOF = 3;
/** Further changes let it stay unchanged in more comparisons, up to five, before it counts as edited again. */
const MAX_COUNT = 8;

/** Whether the evidence proves that it changes by itself. Decides for recaptures and runs alike. */
export const changesByItself = (evidence: SelfChange | undefined): evidence is SelfChange =>
  evidence !== undefined && evidence.count >= PROOF;

/** Whether a run that shows this text proves that the differences of the recaptures were edits. */
export const isEdit = (evidence: SelfChange | undefined, shows: string): boolean => evidence?.editedTo === shows;

/** Returns the evidence after a comparison of runs in which it changed to what it now `shows`. @param at time of the later run */
export function afterChange(evidence: SelfChange | undefined, shows: string, at: string): SelfChange {
  if (evidence === undefined || isEdit(evidence, shows)) return { count: 1, by: 'runs' };
  const { by, since } = evidence;
  const count = Math.min(evidence.count + 1, MAX_COUNT);
  return count < PROOF ? { count, by } : { count, by, since: since ?? at };
}

/**
 * Returns the evidence after a comparison of runs in which it did not change; undefined: it shows no more than edits.
 * What was just proven is refuted by one such comparison.
 */
export function afterNoChange({ count, by, since }: SelfChange): SelfChange | undefined {
  if (count - 1 < PROOF) return undefined;
  return { count: count - 1, by, ...(since === undefined ? {} : { since }) };
}

/** Returns the evidence of recaptures that differ. @param editedTo what the last two show, if they are equal */
export const provenByRecaptures = (at: string, editedTo?: string): SelfChange => ({
  count: PROOF,
  by: 'recaptures',
  since: at,
  ...(editedTo === undefined ? {} : { editedTo }),
});

/**
 * Whether a place changes by itself on all pages of a template: it did on at least two of them, and on at least half of
 * those read.
 */
export const isWide = (changedPages: number, readPages: number): boolean =>
  changedPages >= 2 && changedPages * 2 >= readPages;

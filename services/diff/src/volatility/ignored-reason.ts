import type { Settings } from '@tidemark/project-config';
import type { BlockChange } from '../domain/page-delta.ts';

/** Why a change is ignored: it is listed apart and is no change of the page. */
export type IgnoredReason =
  /** A `volatile_selectors` of the configuration matches the block. */
  | 'volatile_selector'
  /** Only ages, counters, timestamps or the current date differ. */
  | 'self_updating'
  /** Only random parts of link targets differ, on several links of the page. */
  | 'rotating_links'
  /** It differed between two recaptures a few seconds apart. */
  | 'recaptures_differ'
  /** It changed in three comparisons of runs in a row. */
  | 'changed_in_three_comparisons'
  /** A person chose to ignore the place. */
  | 'overruled';

/** A person's decision about a place: `report` its changes, or `ignore` them. */
export type Override = 'report' | 'ignore';

/** Decisions by place, from the configuration of the run. */
export type Overrides = ReadonlyMap<string, Override>;

/** Returns why a comparison alone, without any history, ignores a change; undefined: it does not. */
export function knownReason({ isVolatile, before, after, op }: BlockChange): IgnoredReason | undefined {
  if (isVolatile !== true) return undefined;
  if (before?.isVolatile === true || after?.isVolatile === true) return 'volatile_selector';
  return op === 'relinked' ? 'rotating_links' : 'self_updating';
}

/** Returns the decisions in a configuration. */
export const overridesIn = ({ volatile_overrides: listed = [] }: Settings): Overrides =>
  new Map(listed.map(({ place, ignore }) => [place, ignore ? 'ignore' : 'report']));

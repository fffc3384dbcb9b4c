import type { PageDelta } from './page-delta.ts';
import type { PageStates } from './page-states.ts';

/** A page that differs from its last good reading, before volatile and folded changes are removed. */
export interface ComparedPage {
  readonly pageKey: string;
  readonly url: string;
  readonly title: string;
  readonly delta: PageDelta;
  /** Share of the page's blocks that differ, 0 to 1. */
  readonly changedShare: number;
  /** False: only boilerplate and head values may differ. */
  readonly isContentEdited: boolean;
  readonly template: string;
  readonly baselineRunId: string;
  readonly verdicts: readonly [before: string, after: string];
  readonly links?: 'orphaned' | 'linked';
  readonly pageStates: PageStates;
}

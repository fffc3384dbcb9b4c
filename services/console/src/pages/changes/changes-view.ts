import type { LAYOUTS } from '../../parts/diff/layouts.ts';

export const KINDS = ['added', 'removed', 'modified', 'template', 'withheld', 'unverified'] as const;
/** What the changes are counted from: the run before, or what was reviewed last. */
export const SINCE = ['run', 'review'] as const;
export const VIEWS = ['words', 'page', 'markup', 'screenshots'] as const;
/** The part of the URL that chooses the record, its entries and their presentation. */
export interface ChangesView {
  readonly run?: string | undefined;
  /** By default the last run. */
  readonly since?: (typeof SINCE)[number] | undefined;
  readonly kind?: (typeof KINDS)[number] | undefined;
  readonly unreviewed?: true | undefined;
  /** Id of the shown entry. */
  readonly change?: string | undefined;
  /** The ignored changes are shown in place of the changes. */
  readonly ignored?: true | undefined;
  /** By default the words. */
  readonly view?: (typeof VIEWS)[number] | undefined;
  /** By default unified. */
  readonly layout?: (typeof LAYOUTS)[number] | undefined;
  /** The unchanged text is shown too. */
  readonly all?: true | undefined;
}

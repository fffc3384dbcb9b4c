export const USES = ['fields', 'include_selectors', 'exclude_selectors', 'volatile_selectors'] as const;
export type Use = (typeof USES)[number];
export const FIELD_TYPES = ['string', 'number', 'boolean', 'date', 'url', 'html', 'markdown'] as const;

/** The part of the URL that chooses the page and what a selector is for. */
export interface PickerView {
  /** By default the start page of the project. */
  readonly url?: string | undefined;
  readonly run?: string | undefined;
  readonly use?: Use | undefined;
  readonly selector?: string | undefined;
}

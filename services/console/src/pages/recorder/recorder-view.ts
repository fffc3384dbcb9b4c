/** What a click on the picture does. */
export const MODES = ['record', 'pick'] as const;
export type Mode = (typeof MODES)[number];

/** The part of the URL that chooses the page and what a click does. */
export interface RecorderView {
  /** By default the start page of the project. */
  readonly url?: string | undefined;
  readonly mode?: Mode | undefined;
}

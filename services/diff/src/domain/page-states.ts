/** What alert rules read of one reading of a page. */
export interface PageSide {
  readonly title: string;
  readonly language: string;
  /** 0: no response. */
  readonly httpStatus: number;
  readonly words: number;
  /** The content of the page; absent: it was refused, or its content was not loaded. */
  readonly content?: SideContent;
}

/** Values of a page, by name. Long ones are cut. */
export interface SideContent {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly extracted: Readonly<Record<string, unknown>>;
  readonly head: Readonly<Record<string, string>>;
  readonly product: Readonly<Record<string, unknown>>;
}

/** What alert rules read of a page beside its entry: the last good reading, and the reading of the run. */
export interface PageStates {
  readonly before?: PageSide;
  readonly after?: PageSide;
  /** The run before could not read the page. */
  readonly wasUnread?: true;
}

/** What readers want of a page beside its forms: what to keep, what to leave out, what to pick out by name. */
export interface ContentOptions {
  readonly onlyMainContent: boolean;
  /** CSS: what matches is the content, where anything does; the rest of the page is left out. */
  readonly includeSelectors: readonly string[];
  /** CSS: what matches is left out, whatever else would keep it. */
  readonly excludeSelectors: readonly string[];
  /** Cookie notices, newsletter and app banners are left out, of the whole page too. */
  readonly removeBanners: boolean;
  /** Images held in the page itself (`data:`) are left out of markdown and clean html. */
  readonly removeBase64Images: boolean;
  /** Named values picked out of the whole page. */
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** Tells what was left out, and why. */
  readonly explain: boolean;
}

/** How one named value is read out of a page. */
export interface FieldRule {
  /** CSS, or XPath where it begins with `/` or an opening parenthesis. */
  readonly selector: string;
  /** An attribute's value instead of the text; empty: the text. */
  readonly attribute: string;
  readonly type: string;
  /** All matches as a list instead of the first. */
  readonly many: boolean;
}

/** Something the filters left out of the content. */
export interface RemovedPart {
  /** Such as `banner`, `navigation`, `exclude_selectors`, `base64 image`. */
  readonly reason: string;
  /** A CSS path a reader can find it by. */
  readonly selector: string;
  readonly words: number;
  /** How it begins. */
  readonly text: string;
}

/** Read as most pages are. */
export const USUAL_CONTENT: ContentOptions = {
  onlyMainContent: true,
  includeSelectors: [],
  excludeSelectors: [],
  removeBanners: true,
  removeBase64Images: true,
  fields: {},
  explain: false,
};

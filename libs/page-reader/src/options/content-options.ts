/** Options for the content of a page. */
export interface ContentOptions {
  readonly onlyMainContent: boolean;
  /** CSS. If any selector matches, only the matched elements are the content. */
  readonly includeSelectors: readonly string[];
  /** CSS. Matched elements are always omitted. */
  readonly excludeSelectors: readonly string[];
  /** Omits cookie notices, newsletter and app banners, also if the whole page is the content. */
  readonly removeBanners: boolean;
  /** Omits `data:` images from markdown and clean html. */
  readonly removeBase64Images: boolean;
  /** Omits the first heading of the main content from markdown and text if it repeats the page's title. */
  readonly omitTitleHeading: boolean;
  /** Named values extracted from the whole page. */
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** Lists what was omitted and why. */
  readonly explain: boolean;
}

/** How one named value is extracted. */
export interface FieldRule {
  /** CSS, or XPath if it starts with `/`, an opening parenthesis or a function call. */
  readonly selector: string;
  /** Returns this attribute's value instead of the text. */
  readonly attribute?: string | undefined;
  readonly type: string;
  /** Returns all matches as a list instead of the first. */
  readonly many: boolean;
}

/** Something that was omitted from the content. */
export interface RemovedPart {
  /** Such as `banner`, `navigation`, `exclude_selectors`, `base64 image`. */
  readonly reason: string;
  /** A CSS path that selects the element. */
  readonly selector: string;
  readonly words: number;
  /** Its first characters. */
  readonly text: string;
}

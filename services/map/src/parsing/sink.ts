/** Receives what a parser finds. */
export interface Sink {
  /** A URL as written in the file; `base` is what it is relative to, if not the file. @returns false if no more is accepted */
  entry(loc: string, lastmod: string, changefreq: string, base?: string): boolean;
  /** A file listed in an index. @returns false if no more is accepted */
  child(loc: string): boolean;
  /** An alternate of an entry: another language, an image or a video. */
  alternate(): void;
}

/** Parses a document from chunks of text. */
export interface Parser {
  /** @returns false if the rest of the document is not needed */
  write(text: string): boolean;
  end(): ParseResult;
}

export interface ParseResult {
  readonly kind: 'sitemap' | 'index' | 'text' | 'feed' | 'page' | 'unknown';
  /** The first problem, as a sentence for the user; undefined if there is none. */
  readonly error: string | undefined;
}

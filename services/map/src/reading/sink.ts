/** Where a reader puts what it finds, and hears whether there is room for more. */
export interface Sink {
  /** An address as it is written, and what it is relative to where that isn't the file. @returns false where no more is wanted */
  entry(loc: string, lastmod: string, changefreq: string, base?: string): boolean;
  /** A file of an index. @returns false where no more is wanted */
  child(loc: string): boolean;
  /** Something told of beside the addresses: another language, an image, a video. */
  alternate(): void;
}

/** What a reader makes of the characters it is given. */
export interface Reader {
  /** @returns false where nothing more is to be read */
  write(text: string): boolean;
  end(): ReadOutcome;
}

export interface ReadOutcome {
  readonly kind: 'sitemap' | 'index' | 'text' | 'feed' | 'page' | 'unknown';
  /** The first thing that is wrong, in words; undefined where nothing is. */
  readonly error: string | undefined;
}

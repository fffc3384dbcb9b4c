import type { ContentOptions, CutOptions, RemovedPart } from '../content/read-page.ts';
import type { Compared } from '../domain/compared.ts';
import type { PageGraph } from '../domain/page-graph.ts';
import type { Classification } from '../domain/verdict/classification.ts';

/** An answer to be read: bytes in, everything the page row and the formats need out. */
export interface ReadTask {
  readonly body: Uint8Array;
  readonly contentType: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly requestedUrl: string;
  readonly landedUrl: string;
  readonly rendered: boolean;
  readonly minWords: number;
  /** Languages that are read; none: every one. */
  readonly languages: readonly string[];
  readonly content: ContentOptions;
  /** The page is cut into blocks, to be compared with other readings; absent: it is not. */
  readonly cut?: CutOptions;
  /** Whether documents are read beside pages: PDF, Office files, data, images. */
  readonly parseDocuments: boolean;
  readonly formats: readonly string[];
  /**
   * What its taker goes on with: the bodies where somebody waits for them, what a crawl follows, neither; bodies that are kept nowhere;
   * or the verdict and no more.
   */
  readonly output: 'bodies' | 'graph' | 'none' | 'unstored' | 'verdict';
}

export interface ReadResult {
  readonly classification: Classification;
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly words: number;
  readonly charset: string;
  /** PageBodies bytes: what was asked for, and the head. */
  readonly bodies: Uint8Array;
  /** Where it was cut into blocks and is no refusal. */
  readonly compared: Compared | undefined;
  /** Where it is wanted and the answer was read as a page. */
  readonly graph: PageGraph | undefined;
  /** Tells whether two readings say the same: hash of the main content's text. */
  readonly textHash: string;
  readonly removed: readonly RemovedPart[];
  /** Milliseconds in decoding, and in parsing and writing. */
  readonly decodeMs: number;
  readonly readMs: number;
}

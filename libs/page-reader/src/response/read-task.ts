import type { Product } from '@tidemark/contracts/page/v1/product';
import type { CutOptions } from '../blocks/cut-page.ts';
import type { SiteBlocks } from '../main/site-blocks.ts';
import type { ContentOptions, RemovedPart } from '../options/content-options.ts';
import type { Classification } from '../verdict/classification.ts';
import type { Compared } from './compared.ts';
import type { PageGraph } from './page-graph.ts';

/** A response to be read into everything that the page row and the outputs need. */
export interface ReadTask {
  readonly body: Uint8Array;
  readonly contentType: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly requestedUrl: string;
  readonly landedUrl: string;
  readonly rendered: boolean;
  readonly minWords: number;
  /** Accepted languages; empty: all. */
  readonly languages: readonly string[];
  readonly content: ContentOptions;
  /** Cuts the page into blocks for comparisons; absent: no blocks. */
  readonly cut?: CutOptions;
  /** Blocks that repeat over the site of a run's page; absent: the page is read by itself. */
  readonly site?: SiteBlocks;
  /** Reads documents as well as pages: PDF, Office files, data, images. */
  readonly parseDocuments: boolean;
  readonly formats: readonly string[];
  /**
   * What is returned: the bodies, for a waiting client; the links, for a crawl; neither; bodies that the thread does
   * not store; or only the verdict.
   */
  readonly output: 'bodies' | 'graph' | 'none' | 'unstored' | 'verdict';
  /** The bodies are returned and not stored yet: an extraction is added to them. */
  readonly isExtracted?: true;
}

export interface ReadResult {
  readonly classification: Classification;
  readonly title: string | undefined;
  readonly language: string | undefined;
  readonly words: number;
  /** Undefined: the page is not about a product, or is a refusal. */
  readonly product: Product | undefined;
  readonly charset: string;
  /** Encoded PageBodies message with the requested outputs and the head. */
  readonly bodies: Uint8Array;
  /** Present if blocks were requested and the page is not a refusal. */
  readonly compared: Compared | undefined;
  /** Present if requested and the response was read as a page. */
  readonly graph: PageGraph | undefined;
  /** Hash of the main content's text; equal if two readings have the same content. */
  readonly textHash: string;
  readonly removed: readonly RemovedPart[];
  /** Milliseconds for decoding, and for parsing and writing. */
  readonly decodeMs: number;
  readonly readMs: number;
}

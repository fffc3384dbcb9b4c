import type { DocumentKind } from '../domain/media-type.ts';

/** What a document says about itself, for `head.document`. */
export interface DocumentFacts {
  readonly kind: string;
  readonly author?: string;
  readonly created?: string;
  readonly modified?: string;
  readonly generator?: string;
  readonly subject?: string;
  readonly keywords?: string;
  readonly pages?: number;
  readonly slides?: number;
  readonly sheets?: readonly string[];
  readonly rows?: number;
  readonly columns?: number;
  readonly items?: number;
  readonly format?: string;
  readonly width?: number;
  readonly height?: number;
}

/** A document turned into simple html, so that one writer makes every form of it. */
export interface DocumentContent {
  readonly html: string;
  readonly title?: string;
  readonly language?: string;
  readonly facts: DocumentFacts;
  /** What was left out and why, such as `document cut after 500 pages`. */
  readonly notes: readonly string[];
  /** Forms the document has of its own, instead of those written from the html. */
  readonly text?: string;
  readonly markdown?: string;
  readonly shape?: 'table' | 'listing';
}

export interface DocumentInput {
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  readonly url: string;
}

/** How much of one document is read. */
export interface DocumentLimits {
  readonly unpackedBytes: number;
  readonly entries: number;
  /** Unpacked bytes of a part for each packed one: deflate cannot do better than 1,032, and office files rarely reach 100. */
  readonly ratio: number;
  readonly pages: number;
  readonly rows: number;
  readonly columns: number;
  readonly cells: number;
  readonly textChars: number;
  /** Milliseconds after which no further page is begun. */
  readonly readMs: number;
}

export const DOCUMENT_LIMITS: DocumentLimits = {
  unpackedBytes: 100 * 1024 * 1024,
  entries: 10_000,
  ratio: 500,
  pages: 500,
  rows: 10_000,
  columns: 500,
  cells: 100_000,
  textChars: 10_000_000,
  readMs: 5_500,
};

/** The file is not what it says it is, or more than a reader should bear: a fact about the document. */
export class BrokenDocument extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BrokenDocument';
  }
}

/** The file opens with a password only. */
export class ProtectedDocument extends Error {
  constructor() {
    super('the document is protected by a password');
    this.name = 'ProtectedDocument';
  }
}

/** A value with the keys that have something to say. */
export function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> };
export function defined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));
}

import type { DocumentKind } from './media-type.ts';

/** Properties of a document, for `head.document`. */
export interface DocumentProperties {
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

/** A document converted to simple html, from which all outputs are written. */
export interface DocumentContent {
  readonly html: string;
  readonly title?: string;
  readonly language?: string;
  readonly properties: DocumentProperties;
  /** What was omitted and why, such as `document cut after 500 pages`. */
  readonly notes: readonly string[];
  /** Outputs of the document itself, used instead of those written from the html. */
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

/** Limits for reading one document. */
export interface DocumentLimits {
  readonly unpackedBytes: number;
  readonly entries: number;
  /** Maximum ratio of unpacked to packed bytes per part. Deflate cannot exceed 1,032; office files rarely reach 100. */
  readonly ratio: number;
  readonly pages: number;
  readonly rows: number;
  readonly columns: number;
  readonly cells: number;
  readonly textChars: number;
  /** Milliseconds after which no further page is started. */
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

/** The file is invalid or exceeds a limit. This is a property of the document, not an error of this service. */
export class BrokenDocument extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BrokenDocument';
  }
}

/** The file requires a password. */
export class ProtectedDocument extends Error {
  constructor() {
    super('the document is protected by a password');
    this.name = 'ProtectedDocument';
  }
}

/** Returns the object without undefined and empty values. */
export function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> };
export function defined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));
}

import { type BlobStore, openBlobs } from '@tidemark/blobs';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { codeOf, messageOf } from '@tidemark/errors';
import type { ContentOptions, CutOptions } from '@tidemark/page-reader';
import {
  type ContentPreview,
  matchSelectors,
  previewContent,
  type Reread,
  rereadHtml,
  type SelectorMatch,
} from '@tidemark/page-reader';

/** A query over a page whose bodies are stored. The thread that runs it reads them. */
export interface StoredTask {
  /** Hash of the bodies; undefined: an empty page, to validate selectors. */
  readonly sha256: string | undefined;
  /** Size of the bodies; absent: unknown, treated as small. */
  readonly bytes?: number;
  readonly query: MatchQuery | HtmlQuery;
}

export interface MatchQuery {
  readonly selectors: readonly string[];
  readonly samples: number;
}

/** Applies content options to a page. */
export interface HtmlQuery {
  readonly url: string;
  readonly content: ContentOptions;
  /** Returns what a capture of a compared run would have found; absent: returns a preview. */
  readonly cut?: CutOptions;
}

export type StoredResult =
  | { readonly matched: readonly SelectorMatch[] }
  | { readonly preview: ContentPreview }
  | { readonly reread: Reread }
  /** The page has no stored html. */
  | { readonly noHtml: true }
  /** The bodies could not be read: the code, such as `not_found` or `unavailable`, and the message. */
  | { readonly unreadable: string; readonly code: string };

type Loaded = { readonly html: string | undefined } | Extract<StoredResult, { unreadable: string }>;

/** Runs queries over stored pages. The bodies of the next query are loaded while the current one runs. */
export class StoredPages {
  readonly #blobUrl: string | undefined;
  #blobs: BlobStore | undefined;

  constructor(blobUrl: string | undefined) {
    this.#blobUrl = blobUrl;
  }

  /** Starts reading the bodies. Never rejects. */
  load({ sha256 }: StoredTask): Promise<Loaded> {
    if (sha256 === undefined) return Promise.resolve({ html: '' });
    return this.#read(sha256)
      .then((bytes) => ({ html: PageBodies.decode(bytes).rawHtml }))
      .catch((error: unknown) => ({ unreadable: messageOf(error), code: codeOf(error) || 'internal' }));
  }

  async #read(sha256: string): Promise<Buffer> {
    if (this.#blobUrl === undefined) throw new Error('no blob store is configured');
    this.#blobs ??= openBlobs(this.#blobUrl);
    return this.#blobs.get(sha256);
  }

  run({ query }: StoredTask, loaded: Loaded): StoredResult {
    if ('unreadable' in loaded) return loaded;
    const { html } = loaded;
    if (html === undefined) return { noHtml: true };
    if ('selectors' in query) return { matched: matchSelectors(html, query.selectors, query.samples) };
    const { url, content, cut } = query;
    const contentType = MARKUP.test(html) ? undefined : 'text/plain';
    if (cut === undefined) return { preview: previewContent(html, url, contentType, content) };
    return { reread: rereadHtml({ html, url, content, cut, ...(contentType === undefined ? {} : { contentType }) }) };
  }
}

/** A body without any tag is plain text. */
const MARKUP = /<[a-z!/?]/i;

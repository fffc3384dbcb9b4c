import { type BlobStore, openBlobs } from '@tidemark/blobs';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { codeOf, messageOf } from '@tidemark/errors';
import type { CutOptions } from '../content/blocks/cut-page.ts';
import { type ContentPreview, previewContent } from '../content/preview-content.ts';
import { type Matched, matchSelectors } from '../content/selectors/match-selectors.ts';
import type { ContentOptions } from '../domain/content-options.ts';
import { type Reread, rereadHtml } from './reread-html.ts';

/** A question about a page whose bodies are stored: they are read on the thread that answers it. */
export interface StoredTask {
  /** The name of the bodies; undefined: of no page, to see which selectors can be used at all. */
  readonly sha256: string | undefined;
  readonly ask: MatchQuestion | HtmlQuestion;
}

export interface MatchQuestion {
  readonly selectors: readonly string[];
  readonly samples: number;
}

/** What content options make of a page. */
export interface HtmlQuestion {
  readonly url: string;
  readonly content: ContentOptions;
  /** What a capture of a compared run would have found there; absent: what somebody who tries the options wants to see. */
  readonly cut?: CutOptions;
}

export type StoredAnswer =
  | { readonly matched: readonly Matched[] }
  | { readonly preview: ContentPreview }
  | { readonly reread: Reread }
  /** There is no html to be asked about. */
  | { readonly noHtml: true }
  /** The bodies could not be had: `not_found`, `unavailable` and the like, and why. */
  | { readonly unreadable: string; readonly code: string };

type Loaded = { readonly html: string | undefined } | Extract<StoredAnswer, { unreadable: string }>;

/** Answers questions about stored pages; what is asked next is already being fetched while a page is read. */
export class StoredPages {
  readonly #blobUrl: string | undefined;
  #blobs: BlobStore | undefined;

  constructor(blobUrl: string | undefined) {
    this.#blobUrl = blobUrl;
  }

  /** Begins to read the bodies. Never rejects. */
  load({ sha256 }: StoredTask): Promise<Loaded> {
    if (sha256 === undefined) return Promise.resolve({ html: '' });
    return this.#read(sha256)
      .then((bytes) => ({ html: PageBodies.decode(bytes).rawHtml }))
      .catch((error: unknown) => ({ unreadable: messageOf(error), code: codeOf(error) || 'internal' }));
  }

  async #read(sha256: string): Promise<Buffer> {
    if (this.#blobUrl === undefined) throw new Error('there is no store to read from');
    this.#blobs ??= openBlobs(this.#blobUrl);
    return this.#blobs.get(sha256);
  }

  answer({ ask }: StoredTask, loaded: Loaded): StoredAnswer {
    if ('unreadable' in loaded) return loaded;
    const { html } = loaded;
    if (html === undefined) return { noHtml: true };
    if ('selectors' in ask) return { matched: matchSelectors(html, ask.selectors, ask.samples) };
    const { url, content, cut } = ask;
    const contentType = MARKUP.test(html) ? undefined : 'text/plain';
    if (cut === undefined) return { preview: previewContent(html, url, contentType, content) };
    return { reread: rereadHtml({ html, url, content, cut, ...(contentType === undefined ? {} : { contentType }) }) };
  }
}

/** What holds no tag at all is shown as text, by its lines. */
const MARKUP = /<[a-z!/?]/i;

import type { Documents } from './documents.ts';
import type { Entry, Row, SiteFile, Source } from './domain/tree.ts';
import { UrlBook } from './domain/url-book.ts';

/** Rows kept together in one document. */
export const ROWS_A_DOCUMENT = 5_000;
/** Bytes of documents in one answer; the rest is read page by page. */
export const MAX_ANSWER_BYTES = 24 * 1024 * 1024;
/** Addresses told apart in one map. */
const MAX_URLS = 1_000_000;

/** The rows of a map: each address once, the first file that declares it wins; those that match, up to the limit. Kept as they come. */
export class RowBook {
  /** Names of the documents kept, in order. */
  readonly kept: string[] = [];
  /** The first documents themselves, as many as an answer holds. */
  readonly documents: Buffer[] = [];
  rows = 0;
  readonly #blobs: Documents;
  readonly #seen = new UrlBook();
  readonly #search: string;
  readonly #limit: number;
  #open: Row[] = [];
  #answerBytes = 0;

  constructor(blobs: Documents, { search, limit }: { readonly search: string; readonly limit: number }) {
    this.#blobs = blobs;
    this.#search = search.toLowerCase();
    this.#limit = limit;
  }

  /** Addresses told apart so far. */
  get urls(): number {
    return this.#seen.size;
  }

  get isFull(): boolean {
    return this.#seen.size >= MAX_URLS;
  }

  async take(
    entries: readonly Entry[],
    source: Source,
    { url: file, section }: Pick<SiteFile, 'url' | 'section'>,
  ): Promise<void> {
    for (const { url, lastmod, changefreq } of entries) {
      if (this.isFull) return;
      if (!this.#seen.add(url) || this.rows >= this.#limit) continue;
      if (this.#search !== '' && !url.toLowerCase().includes(this.#search)) continue;
      this.rows += 1;
      this.#open.push({ url, lastmod, changefreq, source, file, section });
      if (this.#open.length === ROWS_A_DOCUMENT) await this.finish();
    }
  }

  /** Keeps the rows that are not kept yet. */
  async finish(): Promise<void> {
    if (this.#open.length === 0) return;
    const document = Buffer.from(JSON.stringify(this.#open));
    this.#open = [];
    this.#answerBytes += document.length;
    if (this.#answerBytes <= MAX_ANSWER_BYTES) this.documents.push(document);
    this.kept.push((await this.#blobs.put(document)).sha256);
  }
}

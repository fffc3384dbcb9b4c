import type { MapOptions } from '../domain/job.ts';
import type { Entry, Row, SiteFile, Source } from '../domain/tree.ts';
import { UrlTable } from '../domain/url-table.ts';
import type { DocumentStore } from './document-store.ts';

export const ROWS_PER_DOCUMENT = 5_000;
/** Total size of the row documents in one response; a client reads further rows with ListMapRows. */
export const MAX_RESPONSE_BYTES = 24 * 1024 * 1024;
const MAX_URLS = 1_000_000;

/**
 * Collects the rows of a map and writes them to the document store in batches. Each URL gives one row, from the first file that lists
 * it, or from each such file with `perFile`, if it matches `search` and the map has fewer than `limit` rows.
 */
export class RowWriter {
  /** SHA-256 of the stored documents, in order. */
  readonly documentNames: string[] = [];
  /** The first stored documents, up to `MAX_RESPONSE_BYTES`. */
  readonly firstDocuments: Buffer[] = [];
  rowCount = 0;
  readonly #documents: DocumentStore;
  readonly #seen = new UrlTable();
  readonly #search: string;
  readonly #limit: number;
  readonly #perFile: boolean;
  #pending: Row[] = [];
  #responseBytes = 0;

  constructor(
    documents: DocumentStore,
    { search, limit, perFile = false }: Pick<MapOptions, 'search' | 'limit' | 'perFile'>,
  ) {
    this.#documents = documents;
    this.#search = search.toLowerCase();
    this.#limit = limit;
    this.#perFile = perFile;
  }

  /** Distinct URLs added so far, including those without a row. */
  get urlCount(): number {
    return this.#seen.size;
  }

  get isFull(): boolean {
    return this.#seen.size >= MAX_URLS;
  }

  async add(
    entries: readonly Entry[],
    source: Source,
    { url: file, section }: Pick<SiteFile, 'url' | 'section'>,
  ): Promise<void> {
    for (const { url, lastmod, changefreq } of entries) {
      if (this.isFull) return;
      if (!this.#seen.add(this.#perFile ? `${file} ${url}` : url) || this.rowCount >= this.#limit) continue;
      if (this.#search !== '' && !url.toLowerCase().includes(this.#search)) continue;
      this.rowCount += 1;
      this.#pending.push({ url, lastmod, changefreq, source, file, section });
      if (this.#pending.length === ROWS_PER_DOCUMENT) await this.flush();
    }
  }

  /** Stores the pending rows as a document. */
  async flush(): Promise<void> {
    if (this.#pending.length === 0) return;
    const document = Buffer.from(JSON.stringify(this.#pending));
    this.#pending = [];
    this.#responseBytes += document.length;
    if (this.#responseBytes <= MAX_RESPONSE_BYTES) this.firstDocuments.push(document);
    this.documentNames.push((await this.#documents.put(document)).sha256);
  }
}

import type { DocumentStore } from '../documents/document-store.ts';
import { CHANGES_PER_DOCUMENT } from '../domain/snapshot.ts';
import type { Row } from '../domain/tree.ts';

/** Writes one set of changes to the document store in batches of one document. */
export class ChangeWriter {
  readonly documentNames: string[] = [];
  count = 0;
  readonly #documents: DocumentStore;
  #pending: Row[] = [];

  constructor(documents: DocumentStore) {
    this.#documents = documents;
  }

  /** @returns true if a document is full; the caller must then call `flush` */
  add(row: Row): boolean {
    this.count += 1;
    this.#pending.push(row);
    return this.#pending.length === CHANGES_PER_DOCUMENT;
  }

  /** Stores the pending changes as a document. */
  async flush(): Promise<void> {
    if (this.#pending.length === 0) return;
    const document = Buffer.from(JSON.stringify(this.#pending));
    this.#pending = [];
    this.documentNames.push((await this.#documents.put(document)).sha256);
  }
}

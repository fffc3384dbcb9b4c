import type { Documents } from '../documents.ts';
import { CHANGES_A_DOCUMENT } from '../domain/snapshot.ts';
import type { Row } from '../domain/tree.ts';

/** One set of changes, kept as it comes: in memory there is never more than a document of it. */
export class ChangeLog {
  readonly kept: string[] = [];
  count = 0;
  readonly #documents: Documents;
  #open: Row[] = [];

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** @returns whether a document is full, and is to be kept before more comes */
  add(row: Row): boolean {
    this.count += 1;
    this.#open.push(row);
    return this.#open.length === CHANGES_A_DOCUMENT;
  }

  /** Keeps what is not kept yet. */
  async keep(): Promise<void> {
    if (this.#open.length === 0) return;
    const document = Buffer.from(JSON.stringify(this.#open));
    this.#open = [];
    this.kept.push((await this.#documents.put(document)).sha256);
  }
}

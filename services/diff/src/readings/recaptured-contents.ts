import type { RecapturedContent } from '../store/recaptured-page-store.ts';

/** Maximum size of recaptured blocks held per record. */
const MAX_HELD_BYTES = 64 * 1_024 * 1_024;

/** Contents of recaptured pages, held in memory until the record is written. */
export class RecapturedContents {
  readonly #contents = new Map<string, RecapturedContent>();
  #bytes = 0;

  /** Holds the content of a reading; false: the limit is reached. */
  add(pageId: string, content: RecapturedContent): boolean {
    if (this.#bytes + content.blocks.length > MAX_HELD_BYTES) return false;
    this.#bytes += content.blocks.length;
    this.#contents.set(pageId, content);
    return true;
  }

  /** Returns the content of a recaptured page by the id of its reading. */
  find(pageId: string): RecapturedContent | undefined {
    return this.#contents.get(pageId);
  }
}

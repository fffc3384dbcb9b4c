import type { CDPSession } from 'puppeteer-core';

/** Loading state of one document of the main frame. */
export interface DocumentState {
  readonly loaderId: string;
  readonly isParsed: boolean;
  readonly isLoaded: boolean;
}

const NONE: DocumentState = { loaderId: '', isParsed: false, isLoaded: false };

/** Tracks the current document of a tab's main frame. */
export class DocumentTracker {
  #current = NONE;
  #changed = Promise.withResolvers<void>();

  constructor(session: CDPSession, mainFrameId: string) {
    session.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
      if (frameId !== mainFrameId) return;
      const previous = this.#current.loaderId === loaderId ? this.#current : undefined;
      const isLoaded = previous?.isLoaded === true || name === 'load';
      const isParsed = isLoaded || previous?.isParsed === true || name === 'DOMContentLoaded';
      // Ignores late events of a replaced document.
      if (previous === undefined && name !== 'init' && name !== 'commit') return;
      this.#current = { loaderId, isParsed, isLoaded };
      this.#changed.resolve();
      this.#changed = Promise.withResolvers<void>();
    });
  }

  get current(): DocumentState {
    return this.#current;
  }

  /** Discards the current document, so that `until` waits for the next one. */
  reset(): void {
    this.#current = NONE;
  }

  /** Resolves when the current document satisfies the test. Without a timeout: the caller sets one. */
  async until(test: (state: DocumentState) => boolean): Promise<DocumentState> {
    while (!test(this.#current)) await this.#changed.promise;
    return this.#current;
  }
}

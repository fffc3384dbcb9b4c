import type { CDPSession } from 'puppeteer-core';

/** How far one document of the main frame has come. */
export interface DocumentState {
  readonly loaderId: string;
  readonly isParsed: boolean;
  readonly isLoaded: boolean;
}

const NONE: DocumentState = { loaderId: '', isParsed: false, isLoaded: false };

/** Follows the documents that replace each other in a tab's main frame. */
export class Documents {
  #current = NONE;
  #changed = Promise.withResolvers<void>();

  constructor(session: CDPSession, mainFrameId: string) {
    session.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
      if (frameId !== mainFrameId) return;
      const known = this.#current.loaderId === loaderId ? this.#current : undefined;
      const isLoaded = known?.isLoaded === true || name === 'load';
      const isParsed = isLoaded || known?.isParsed === true || name === 'DOMContentLoaded';
      // Late news of a document that has been left must not bring it back.
      if (known === undefined && name !== 'init' && name !== 'commit') return;
      this.#current = { loaderId, isParsed, isLoaded };
      this.#changed.resolve();
      this.#changed = Promise.withResolvers<void>();
    });
  }

  get current(): DocumentState {
    return this.#current;
  }

  /** Forgets the document shown, so that `until` speaks of the ones to come. */
  forget(): void {
    this.#current = NONE;
  }

  /** Resolves once the document shown satisfies the test. Unbounded: whoever waits holds the clock. */
  async until(test: (state: DocumentState) => boolean): Promise<DocumentState> {
    while (!test(this.#current)) await this.#changed.promise;
    return this.#current;
  }
}

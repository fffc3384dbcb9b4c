import { within } from '@tidemark/deadline';
import type { Logger } from './logger.ts';

export interface CachedValueDeps<T> {
  readonly load: () => Promise<T>;
  /** Milliseconds between two loads; ten times as often until the first one succeeds. */
  readonly everyMs: number;
  /** Message logged where a load fails. */
  readonly failed: string;
  readonly log: Logger;
}

/** The latest value of something that changes rarely, loaded again in the background. Reading it costs nothing. */
export class CachedValue<T> {
  readonly #deps: CachedValueDeps<T>;
  #current: T | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: CachedValueDeps<T>) {
    this.#deps = deps;
  }

  /** Undefined until a load has succeeded. */
  get current(): T | undefined {
    return this.#current;
  }

  /** Loads once and then repeatedly. Resolves after the first load or after `withinMs`; never rejects. */
  async start(withinMs: number): Promise<void> {
    await within(this.#reload(), withinMs, () => undefined);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #reload(): Promise<void> {
    const { load, everyMs, failed, log } = this.#deps;
    try {
      this.#current = await load();
    } catch (error) {
      log.debug({ err: error }, failed);
    }
    if (this.#isClosed) return;
    const afterMs = this.#current === undefined ? everyMs / 10 : everyMs;
    this.#timer = setTimeout(() => void this.#reload(), afterMs).unref();
  }
}

import type { Trap } from './trap-detector.ts';

/** Traps reported per run. */
export const MAX_TRAPS = 100;

/** The traps of a run, with the URLs that one batch of page results cuts off. */
export class RunTraps {
  readonly #stored: ReadonlySet<string>;
  readonly #traps: Map<string, Trap>;
  #isChanged = false;

  /** `stored`: the traps that the run has. */
  constructor(stored: readonly Trap[]) {
    this.#traps = new Map(stored.map((trap) => [trap.pattern, trap]));
    this.#stored = new Set(this.#traps.keys());
  }

  /** Counts URLs of a pattern that are cut off. Patterns beyond `MAX_TRAPS` are not reported. */
  cut(pattern: string, urls: number, why: string): void {
    this.#isChanged = true;
    const known = this.#traps.get(pattern);
    if (known !== undefined) this.#traps.set(pattern, { pattern, urls: known.urls + urls, why: known.why });
    else if (this.#traps.size < MAX_TRAPS) this.#traps.set(pattern, { pattern, urls, why });
  }

  /** Counts URLs that exceed the frontier's limit. */
  overflow(urls: number): void {
    this.cut('*', urls, 'more URLs than the page limit allows');
  }

  /** Returns the traps to store; undefined if nothing was cut off. */
  get changed(): readonly Trap[] | undefined {
    return this.#isChanged ? [...this.#traps.values()] : undefined;
  }

  /** Returns those of `changed` that the run does not have yet. */
  get added(): readonly Trap[] {
    if (this.#traps.size === this.#stored.size) return [];
    return [...this.#traps.values()].filter(({ pattern }) => !this.#stored.has(pattern));
  }
}

import type { Locator } from 'playwright-core';

/** Counts the clicks of a task: each click, each chosen option and each submitted form is one; typing is none. */
export class Clicks {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  async on(target: Locator): Promise<void> {
    this.#count += 1;
    await target.click();
  }

  async choose(target: Locator, value: string): Promise<void> {
    this.#count += 1;
    await target.selectOption(value);
  }
}

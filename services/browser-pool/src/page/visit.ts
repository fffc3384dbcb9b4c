import type { Tab } from '../chromium/tab.ts';
import type { Activity } from './activity.ts';
import { type Budget, TimeIsUp } from './budget.ts';
import type { ActionOutcome } from './order.ts';
import { settle } from './settle.ts';
import { failWhereNothingLanded } from './unreadable.ts';

/** Kept back from everything that waits, so that what is there can still be read. */
const READ_RESERVE_MS = 1_500;
const WARNINGS_MAX = 50;

/** One render under way: the tab, what is known of its page, and the time left. */
export class Visit {
  readonly tab: Tab;
  readonly activity: Activity;
  readonly budget: Budget;
  /** What came of the actions so far. */
  readonly outcomes: ActionOutcome[] = [];
  readonly #reserveMs: number;
  readonly #warnings = new Set<string>();

  constructor(tab: Tab, activity: Activity, budget: Budget) {
    this.tab = tab;
    this.activity = activity;
    this.budget = budget;
    this.#reserveMs = Math.min(READ_RESERVE_MS, budget.remainingMs / 5);
  }

  /** Milliseconds that may still be waited, what reading takes set aside. */
  get spareMs(): number {
    return Math.max(0, this.budget.remainingMs - this.#reserveMs);
  }

  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /** Tells the reader something about the page, once. */
  warn(text: string): void {
    if (this.#warnings.size < WARNINGS_MAX) this.#warnings.add(text);
  }

  /** Waits until the page has settled, `mostMs` at most where given. @throws TimeIsUp, EndlessRedirects, Unreadable */
  async settle(mostMs?: number): Promise<void> {
    const reserveMs =
      mostMs === undefined ? this.#reserveMs : Math.max(this.#reserveMs, this.budget.remainingMs - mostMs);
    const isSettled = await settle(this.tab, this.activity, this.budget, reserveMs);
    if (!isSettled && mostMs === undefined) this.warn('the page was still changing when it was read');
    failWhereNothingLanded(this.tab, this.activity);
  }

  /**
   * Runs an expression beside the page's own scripts; undefined where the document was replaced under it or nothing
   * came in time.
   */
  async ask(expression: string, mostMs: number): Promise<unknown> {
    try {
      return await this.budget.within(this.tab.evaluate(expression), mostMs);
    } catch {
      return undefined;
    }
  }

  /** Waits for the promise, so long at most, and goes on either way: a page may never acknowledge what was done to it. */
  async patiently(promise: Promise<unknown>, mostMs: number): Promise<void> {
    await this.budget.within(promise, Math.min(mostMs, this.spareMs)).catch((error: unknown) => {
      if (!(error instanceof TimeIsUp)) throw error;
    });
  }
}

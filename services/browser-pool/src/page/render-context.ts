import type { Tab } from '../chromium/tab.ts';
import type { NetworkActivity } from './network-activity.ts';
import type { ActionResult } from './render-task.ts';
import { DeadlineExceeded, type TimeBudget } from './time-budget.ts';
import { throwIfNavigationFailed } from './unreadable-page.ts';
import { waitUntilStable } from './wait-until-stable.ts';

/** Time reserved for reading the page, ms; waits must end before it. */
const READ_RESERVE_MS = 1_500;
const MAX_WARNINGS = 50;

/** State of one render: the tab, its network activity, and the remaining time. */
export class RenderContext {
  readonly tab: Tab;
  readonly activity: NetworkActivity;
  readonly budget: TimeBudget;
  /** Results of the actions so far. */
  readonly actionResults: ActionResult[] = [];
  readonly #reserveMs: number;
  readonly #warnings = new Set<string>();

  constructor(tab: Tab, activity: NetworkActivity, budget: TimeBudget) {
    this.tab = tab;
    this.activity = activity;
    this.budget = budget;
    this.#reserveMs = Math.min(READ_RESERVE_MS, budget.remainingMs / 5);
  }

  /** Milliseconds left for waits, without the time reserved for reading. */
  get spareMs(): number {
    return Math.max(0, this.budget.remainingMs - this.#reserveMs);
  }

  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /** Adds a warning to the response; duplicates are ignored. */
  warn(text: string): void {
    if (this.#warnings.size < MAX_WARNINGS) this.#warnings.add(text);
  }

  /** Waits until the page is stable, for at most `maxMs` if given. @throws DeadlineExceeded, EndlessRedirects, UnreadablePage */
  async waitUntilStable(maxMs?: number): Promise<void> {
    const reserveMs =
      maxMs === undefined ? this.#reserveMs : Math.max(this.#reserveMs, this.budget.remainingMs - maxMs);
    const isStable = await waitUntilStable(this.tab, this.activity, this.budget, reserveMs);
    if (!isStable && maxMs === undefined) this.warn('the page was still changing when it was read');
    throwIfNavigationFailed(this.tab, this.activity);
  }

  /** Evaluates an expression in the isolated world; undefined if it failed, timed out, or the document was replaced. */
  async tryEvaluate(expression: string, maxMs: number): Promise<unknown> {
    try {
      return await this.budget.within(this.tab.evaluate(expression), maxMs);
    } catch {
      return undefined;
    }
  }

  /** Waits for the promise for at most `maxMs` and ignores a timeout: a page may never acknowledge input. */
  async waitUpTo(promise: Promise<unknown>, maxMs: number): Promise<void> {
    await this.budget.within(promise, Math.min(maxMs, this.spareMs)).catch((error: unknown) => {
      if (!(error instanceof DeadlineExceeded)) throw error;
    });
  }
}

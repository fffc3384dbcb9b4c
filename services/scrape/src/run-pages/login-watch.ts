import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { LRUCache } from 'lru-cache';
import { loginStateOf } from '../domain/login.ts';

/** Number of pages in a row that require a login after which the run's login counts as dead. */
const IN_A_ROW = 3;
const RUNS_MAX = 10_000;

/** A page of a run, as it has ended. */
export interface EndedPage {
  readonly runId: string;
  readonly loginId: string | undefined;
  /** The run's first page: a site that requires a login does so there. */
  readonly isHome: boolean;
  readonly row: PageRow;
}

/**
 * Detects from the pages of a run that its login has stopped working. That ends the run, so a single page that this account
 * may not see is not enough.
 */
export class LoginWatch {
  readonly #inARow = new LRUCache<string, number>({ max: RUNS_MAX });

  /** @returns true if the run's login is dead, by this page and those before it */
  see({ runId, loginId, isHome, row }: EndedPage): boolean {
    if (loginId === undefined) return false;
    const sight = loginStateOf(row);
    if (sight === 'gone') return true;
    if (sight === 'works') this.#inARow.delete(runId);
    if (sight !== 'signed_out') return false;
    const inARow = (this.#inARow.get(runId) ?? 0) + 1;
    this.#inARow.set(runId, inARow);
    return isHome || inARow >= IN_A_ROW;
  }
}

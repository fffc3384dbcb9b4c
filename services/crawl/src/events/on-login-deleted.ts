import type { LoginDeleted } from '@tidemark/contracts/scrape/v1/events';
import type { ReceivedEvent } from '@tidemark/service';
import type { LoginStore } from '../store/runs/login-store.ts';

interface OnLoginDeletedDeps {
  readonly logins: Pick<LoginStore, 'endRunsWith'>;
  /** Claims runs that need cleanup without waiting for the next poll. */
  readonly claimRuns: () => void;
}

/** Ends unfinished runs that use a deleted login: signed out, they would read different pages. Safe to repeat. */
export function makeOnLoginDeleted({ logins, claimRuns }: OnLoginDeletedDeps) {
  return async (batch: readonly ReceivedEvent<LoginDeleted>[]): Promise<void> => {
    await logins.endRunsWith(batch.map(({ event }) => event));
    claimRuns();
  };
}

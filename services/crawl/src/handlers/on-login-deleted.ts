import type { LoginDeleted } from '@tidemark/contracts/scrape/v1/events';
import type { ReceivedEvent } from '@tidemark/service';
import type { LoginStore } from '../store/runs/login-store.ts';

interface OnLoginDeletedDeps {
  readonly logins: Pick<LoginStore, 'endRunsWith'>;
  /** Has runs looked for that are to be tidied up. */
  readonly claimRuns: () => void;
}

/** Runs under way with a login that is gone end at once: what they would read signed out is another site. Safe to repeat. */
export function makeOnLoginDeleted({ logins, claimRuns }: OnLoginDeletedDeps) {
  return async (batch: readonly ReceivedEvent<LoginDeleted>[]): Promise<void> => {
    await logins.endRunsWith(batch.map(({ event }) => event));
    claimRuns();
  };
}

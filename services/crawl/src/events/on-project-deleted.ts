import type { ProjectDeleted } from '@tidemark/contracts/projects/v1/events';
import type { ReceivedEvent } from '@tidemark/service';
import type { DiscardStore } from '../store/retention/discard-store.ts';

interface OnProjectDeletedDeps {
  readonly discards: Pick<DiscardStore, 'recordDeleted'>;
  /** Claims runs that need cleanup without waiting for the next poll. */
  readonly claimRuns: () => void;
  /** Starts a retention sweep. */
  readonly sweep: () => void;
}

/** Cancels the runs of deleted projects at once and discards them in the background. Safe to repeat. */
export function makeOnProjectDeleted({ discards, claimRuns, sweep }: OnProjectDeletedDeps) {
  return async (batch: readonly ReceivedEvent<ProjectDeleted>[]): Promise<void> => {
    await discards.recordDeleted(batch.map(({ event }) => event));
    claimRuns();
    sweep();
  };
}

import type { ProjectDeleted } from '@tidemark/contracts/projects/v1/events';
import type { ReceivedEvent } from '@tidemark/service';
import type { DiscardStore } from '../store/retention/discard-store.ts';

interface OnProjectDeletedDeps {
  readonly discards: Pick<DiscardStore, 'recordDeleted'>;
  /** Has runs looked for that are to be tidied up. */
  readonly claimRuns: () => void;
  /** Has what nobody keeps thrown away. */
  readonly sweep: () => void;
}

/** A deleted project's runs are called off at once and thrown away in the background. Safe to repeat. */
export function makeOnProjectDeleted({ discards, claimRuns, sweep }: OnProjectDeletedDeps) {
  return async (batch: readonly ReceivedEvent<ProjectDeleted>[]): Promise<void> => {
    await discards.recordDeleted(batch.map(({ event }) => event));
    claimRuns();
    sweep();
  };
}

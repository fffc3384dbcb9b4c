import type { ProjectDeleted } from '@tidemark/contracts/projects/v1/events';
import type { ReceivedEvent } from '@tidemark/service';
import type { DiscardStore } from './store/discard-store.ts';

interface HearDeletedDeps {
  readonly discards: Pick<DiscardStore, 'noteDeleted'>;
  /** Has runs looked for that are to be tidied up. */
  readonly look: () => void;
  /** Has what nobody keeps thrown away. */
  readonly clear: () => void;
}

/** A deleted project's runs are called off at once and thrown away in the background. Safe to repeat. */
export function makeHearDeleted({ discards, look, clear }: HearDeletedDeps) {
  return async (batch: readonly ReceivedEvent<ProjectDeleted>[]): Promise<void> => {
    await discards.noteDeleted(batch.map(({ event }) => event));
    look();
    clear();
  };
}

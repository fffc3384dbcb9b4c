import { type Logger, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type { DiscardStore } from '../store/discard-store.ts';

export interface RetentionSweepDeps {
  readonly discards: DiscardStore;
  /** Advances the collection of some blobs. @returns the number of blobs processed */
  readonly collect: () => Promise<number>;
  /** Returns true if all recent events have been consumed: a delayed row may reference a blob. */
  readonly isCaughtUp: () => Promise<boolean>;
  readonly retentionDays: number;
  readonly now: () => number;
  readonly everyMs: number;
  readonly log: Logger;
}

const DAY_MS = 86_400_000;

/** Deletes expired data in the background, in small batches: first pages, then unreferenced blobs. */
export function openRetentionSweep({
  discards,
  collect,
  isCaughtUp,
  retentionDays,
  now,
  everyMs,
  log,
}: RetentionSweepDeps): PeriodicTask {
  const sweep = async (isOpen: () => boolean): Promise<void> => {
    const before = new Date(now() - retentionDays * DAY_MS);
    await repeatUntilDone(() => discards.discardBatch(), isOpen);
    await repeatUntilDone(() => discards.expireBatch(before), isOpen);
    const allKeyed = await repeatUntilDone(() => discards.keyBatch(), isOpen);
    // A page without blob keys may reference any blob.
    if (allKeyed && (await isCaughtUp())) await repeatUntilDone(async () => (await collect()) > 0, isOpen);
  };
  return new PeriodicTask({
    everyMs,
    run: sweep,
    failed: 'retention sweep failed, will retry',
    log,
  });
}

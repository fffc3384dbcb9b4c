import { type Logger, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type { DiscardStore } from '../store/discard-store.ts';

export interface RetentionSweepDeps {
  readonly discards: DiscardStore;
  /** Takes some blobs one step further. @returns how many were looked at */
  readonly collect: () => Promise<number>;
  /** Whether every fact told of late has been heard: a row on its way may name a blob. */
  readonly isCaughtUp: () => Promise<boolean>;
  readonly retentionDays: number;
  readonly now: () => number;
  readonly everyMs: number;
  readonly log: Logger;
}

const DAY_MS = 86_400_000;

/** Throws away what has had its time, in the background and in small pieces: pages first, and then the blobs nobody names any more. */
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
    await repeatUntilDone(() => discards.discardSome(), isOpen);
    await repeatUntilDone(() => discards.expireSome(before), isOpen);
    const allKeyed = await repeatUntilDone(() => discards.keySome(), isOpen);
    // A page from before may name anything until it has been looked at.
    if (allKeyed && (await isCaughtUp())) await repeatUntilDone(async () => (await collect()) > 0, isOpen);
  };
  return new PeriodicTask({
    everyMs,
    run: sweep,
    failed: 'what has had its time could not be thrown away; the next round tries',
    log,
  });
}

import { type Logger, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type { DiscardStore } from '../store/discard-store.ts';

export interface JanitorDeps {
  readonly discards: DiscardStore;
  /** Takes some blobs one step further. @returns how many were looked at */
  readonly collect: () => Promise<number>;
  /** Whether every fact told of late has been heard: a row on its way may name a blob. */
  readonly hasHeardAll: () => Promise<boolean>;
  readonly retentionDays: number;
  readonly now: () => number;
  readonly everyMs: number;
  readonly log: Logger;
}

const DAY_MS = 86_400_000;

/** Throws away what has had its time, in the background and in small pieces: pages first, and then the blobs nobody names any more. */
export function openJanitor({
  discards,
  collect,
  hasHeardAll,
  retentionDays,
  now,
  everyMs,
  log,
}: JanitorDeps): PeriodicTask {
  const round = async (goesOn: () => boolean): Promise<void> => {
    const before = new Date(now() - retentionDays * DAY_MS);
    await repeatUntilDone(() => discards.discardSome(), goesOn);
    await repeatUntilDone(() => discards.expireSome(before), goesOn);
    const allKeyed = await repeatUntilDone(() => discards.keySome(), goesOn);
    // A page from before may name anything until it has been looked at.
    if (allKeyed && (await hasHeardAll())) await repeatUntilDone(async () => (await collect()) > 0, goesOn);
  };
  return new PeriodicTask({
    everyMs,
    run: round,
    failed: 'what has had its time could not be thrown away; the next round tries',
    log,
  });
}

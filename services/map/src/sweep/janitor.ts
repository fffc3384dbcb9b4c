import { inPieces, type Logger, Rounds } from '@tidemark/service';
import type { DiscardStore } from '../store/discard-store.ts';

export interface JanitorDeps {
  readonly discards: DiscardStore;
  /** Takes some documents one step further. @returns how many were looked at */
  readonly collect: () => Promise<number>;
  readonly snapshotDays: number;
  readonly everyMs: number;
  readonly log: Logger;
}

/** Throws away what has had its time, in the background and in small pieces: maps, snapshots, and then documents nobody names any more. */
export function openJanitor({ discards, collect, snapshotDays, everyMs, log }: JanitorDeps): Rounds {
  const round = async (goesOn: () => boolean): Promise<void> => {
    await inPieces(() => discards.discardMaps(), goesOn);
    await inPieces(() => discards.discardSnapshot(snapshotDays), goesOn);
    await inPieces(async () => (await collect()) > 0, goesOn);
  };
  return new Rounds({
    everyMs,
    round,
    failed: 'what has had its time could not be thrown away; the next round tries',
    log,
  });
}

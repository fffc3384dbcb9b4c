import { inPieces } from '@tidemark/service';
import type { Discards } from './discards.ts';

const DAY_MS = 86_400_000;

/** One round of forgetting: deliveries that ended `days` ago, and receivers of jobs that have none left. */
export async function forgetOld(
  discards: Discards,
  { now, days }: { readonly now: Date; readonly days: number },
  goesOn: () => boolean,
): Promise<void> {
  const before = new Date(now.getTime() - days * DAY_MS);
  await inPieces(() => discards.forgetEnded(before), goesOn);
  await inPieces(() => discards.forgetJobs(before), goesOn);
}

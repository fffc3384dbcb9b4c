import { repeatUntilDone } from '@tidemark/service';
import type { Discards } from './discards.ts';

const DAY_MS = 86_400_000;

/** One round of forgetting: deliveries that ended `days` ago, receivers of jobs that have none left, and which projects are gone. */
export async function forgetOld(
  discards: Discards,
  { now, days }: { readonly now: Date; readonly days: number },
  goesOn: () => boolean,
): Promise<void> {
  const before = new Date(now.getTime() - days * DAY_MS);
  let after: string | undefined = '';
  await repeatUntilDone(async () => {
    after = await discards.forgetEnded(before, after ?? '');
    return after !== undefined;
  }, goesOn);
  await repeatUntilDone(() => discards.forgetJobs(before), goesOn);
  await discards.forgetDeleted();
}

import { repeatUntilDone } from '@tidemark/service';
import type { RetentionStore } from './retention-store.ts';

const DAY_MS = 86_400_000;

/** Deletes deliveries that ended `days` ago, job receivers without deliveries, and old marks of deleted projects. */
export async function deleteExpired(
  retention: RetentionStore,
  { now, days }: { readonly now: Date; readonly days: number },
  isOpen: () => boolean,
): Promise<void> {
  const before = new Date(now.getTime() - days * DAY_MS);
  let after: string | undefined = '';
  await repeatUntilDone(async () => {
    after = await retention.deleteEnded(before, after ?? '');
    return after !== undefined;
  }, isOpen);
  await repeatUntilDone(() => retention.deleteJobReceivers(before), isOpen);
  await retention.deleteProjectMarks();
}

import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { ReceivedEvent } from '@tidemark/service';
import { findingOfRun } from './login.ts';
import type { RunLogins } from './run-logins.ts';

/** Handles event.run.finished: updates the state of the session a run used. Idempotent, in any order of events. */
export function makeOnRunFinished(runLogins: Pick<RunLogins, 'note'>) {
  return async (batch: readonly ReceivedEvent<RunFinished>[]): Promise<void> => {
    for (const { event: run } of batch) {
      const finding = findingOfRun(run);
      if (finding !== undefined) await runLogins.note(run, finding, run.finishedAt ?? new Date(0));
    }
  };
}

import type { PeriodicTask } from '@tidemark/service';
import type { Arrivals } from '../pages/arrivals.ts';

/** Starts a scan of the worker, and resolves the waits for these runs. */
export type WakeRuns = (events: readonly { readonly runId: string }[]) => void;

export function makeWakeRuns({
  worker,
  arrivals,
}: {
  readonly worker: Pick<PeriodicTask, 'runNow'>;
  readonly arrivals: Pick<Arrivals, 'announce'>;
}): WakeRuns {
  return (events) => {
    void worker.runNow();
    arrivals.announce(events.map(({ runId }) => runId));
  };
}

import { type Logger, type Outbox, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type { AlertStore } from '../store/alert-store.ts';

interface Deps {
  readonly alerts: AlertStore;
  readonly outbox: Pick<Outbox, 'send'>;
  readonly everyMs: number;
  readonly log: Logger;
}

/** Publishes alerts of used credits periodically, so that charges need no statement for them. */
export function openAlertSweep({ alerts, outbox, everyMs, log }: Deps): PeriodicTask {
  return new PeriodicTask({
    everyMs,
    log,
    failed: 'alerts of used credits failed, will retry',
    run: (isOpen) =>
      repeatUntilDone(async () => {
        const events = await alerts.publish();
        outbox.send(events);
        return events.length > 0;
      }, isOpen),
  });
}

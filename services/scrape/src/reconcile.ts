import { inTrace, type Logger } from '@tidemark/service';
import { creditsToLease, type Rung, rungsFor } from './domain/ladder.ts';
import type { JobRunner } from './job-runner.ts';
import type { CreditWish } from './lease-credits.ts';
import type { JobStore } from './store/job-store.ts';

const EVERY_MS = 2_000;
const TAKE_AT_ONCE = 20;
const FORGET_EVERY_MS = 3_600_000;

/**
 * Brings every accepted job to its end, whoever died: keeps the leases of our own jobs, stops those that were cancelled
 * elsewhere, and takes over those nobody has renewed.
 */
export function reconcile(deps: {
  jobs: JobStore;
  runner: JobRunner;
  ladder: readonly Rung[];
  leaseCredits: (wish: CreditWish) => Promise<number>;
  log: Logger;
}): { close(): void } {
  const { jobs, runner, log } = deps;
  let under = false;

  async function keepOurs(): Promise<void> {
    const ids = runner.recordedIds;
    if (ids.length === 0) return;
    const still = await jobs.renew(ids);
    for (const id of ids) if (!still.has(id)) runner.stop(id);
  }

  async function takeOver(): Promise<void> {
    const slots = Math.min(runner.freeSlots, TAKE_AT_ONCE);
    if (slots === 0) return;
    for (const { job, trace } of await jobs.takeOver(slots)) {
      log.info(
        { job: job.id, attempts: job.attempts, request_id: job.requestId },
        'took over a job whose process went silent',
      );
      const { want, least } = creditsToLease(rungsFor(deps.ladder, job.options), job.options.maxCredits);
      // Its credits may still be set aside: then this answers with what is.
      const granted = await deps.leaseCredits({ id: job.captureId, workspaceId: job.workspaceId, want, least });
      void inTrace(trace, () => runner.run(job, granted, Promise.resolve()));
    }
  }

  const timer = setInterval(() => {
    if (under) return;
    under = true;
    Promise.allSettled([keepOurs(), takeOver()])
      .then((results) => {
        for (const result of results)
          if (result.status === 'rejected')
            log.warn({ err: result.reason }, 'jobs could not be looked after; the next round tries');
      })
      .finally(() => {
        under = false;
      });
  }, EVERY_MS);
  const forgetting = setInterval(
    () =>
      jobs
        .forgetOldKeys()
        .catch((error: unknown) => log.warn({ err: error }, 'old idempotency keys stay a while longer')),
    FORGET_EVERY_MS,
  );

  return {
    close() {
      clearInterval(timer);
      clearInterval(forgetting);
    },
  };
}

import { AttemptRunner, type ClaimedJob, newInstanceName, openJobReconciler } from '@tidemark/jobs';
import type { Sync } from '../domain/sync.ts';
import { SyncQueue } from '../store/sync-queue.ts';
import { SyncAttempts, type SyncAttemptsDeps } from './sync-attempts.ts';
import { failureOf } from './sync-failure.ts';

export interface SyncRunnerDeps extends Omit<SyncAttemptsDeps, 'queue'> {
  readonly maxRunning: number;
}

/** A sync as a job: its claims are the attempts that ended without a result. */
interface SyncJob {
  readonly id: string;
  readonly workspaceId: string;
  readonly requestId: string;
  readonly status: string;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly sync: Sync;
}

interface Ended {
  readonly job: SyncJob;
}

const toJob = (sync: Sync): SyncJob => ({
  ...{ id: sync.id, workspaceId: sync.workspaceId, requestId: sync.requestId, status: sync.status },
  ...{ attempts: sync.claims, createdAt: sync.createdAt, sync },
});

/**
 * Runs queued syncs. A sync belongs to the instance that holds its lease; another instance continues it when the lease expires, and a sync
 * that ends five processes fails.
 */
export function openSyncRunner(deps: SyncRunnerDeps) {
  const { log } = deps;
  const queue = new SyncQueue(deps.pool, newInstanceName());
  const attempts = new SyncAttempts({ ...deps, queue });
  const fail = async (job: SyncJob, reason: string): Promise<Ended | undefined> =>
    (await attempts.fail(job.sync, failureOf('internal', reason))) ? { job } : undefined;
  const runner = new AttemptRunner<SyncJob, Ended>({
    jobs: { find: async () => undefined },
    leases: queue,
    failJob: fail,
    log,
    maxRunning: deps.maxRunning,
    maxQueued: deps.maxRunning,
  });
  const attempt = async (job: SyncJob, stop: AbortSignal): Promise<Ended | undefined> =>
    (await attempts.attempt(job.sync, stop)) ? { job } : undefined;
  const reconciler = openJobReconciler<SyncJob>({
    runner,
    renew: (ids) => queue.renew(ids),
    claimExpired: async (limit, except) =>
      (await queue.claim(limit, except)).map((sync): ClaimedJob<SyncJob> => ({ job: toJob(sync), trace: {} })),
    resume: (job) => {
      // A sync that ends frees its destination and its place: the next one is claimed at once.
      void runner.run(job, (signal) => attempt(job, signal)).then(() => reconciler.runNow());
    },
    failJob: (job) => fail(job, 'every process that wrote the sync ended'),
    log,
  });
  return {
    queue,
    /** Claims due syncs without waiting for the next poll. */
    wake: (): void => void reconciler.runNow(),
    close: async (): Promise<void> => {
      await reconciler.close();
      await runner.close();
    },
  };
}

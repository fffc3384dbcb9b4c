import { JobAttempts, makeSettleFailure, newInstanceName, openJobReconciler } from '@tidemark/jobs';
import { isPoison, poisonReason } from '@tidemark/leased-work';
import type { Logger, OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import type { Sync } from '../domain/sync.ts';
import type { SourcePeers } from '../download/peers.ts';
import type { DestinationStore } from '../store/destination-store.ts';
import { SyncQueue } from '../store/sync-queue.ts';
import { SyncAttempts } from './sync-attempts.ts';
import { failureOf } from './sync-failure.ts';
import type { WriteSync } from './write-sync.ts';

export interface SyncRunnerDeps {
  readonly pool: pg.Pool;
  readonly destinations: DestinationStore;
  readonly peers: SourcePeers;
  readonly writeSync: WriteSync;
  /** Sends events whose rows are committed. */
  readonly publish: (events: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
  readonly log: Logger;
  readonly maxRunning: number;
}

/** A sync that has ended. */
interface Ended {
  readonly job: Sync;
}

/**
 * Runs queued syncs. A sync belongs to the instance that holds its lease; another instance continues it when the lease expires, and a sync
 * that ends five processes fails.
 */
export function openSyncRunner({
  pool,
  destinations,
  peers,
  writeSync,
  publish,
  now,
  log,
  maxRunning,
}: SyncRunnerDeps) {
  const queue = new SyncQueue(pool, newInstanceName());
  const attempts = new SyncAttempts({ pool, queue, destinations, peers, writeSync, publish, now, log });
  const fail = async (job: Sync, reason: string): Promise<Ended | undefined> =>
    (await attempts.fail(job, failureOf('internal', reason))) ? { job } : undefined;
  const settleFailure = makeSettleFailure<Sync, Ended>({
    jobs: { find: async () => undefined },
    leases: queue,
    policy: queue.policy,
    failJob: fail,
    log,
  });
  const running = new JobAttempts({ leases: queue, log, maxRunning, maxQueued: maxRunning });
  const run = async (job: Sync): Promise<void> => {
    using attempt = running.begin(job);
    if (attempt === undefined) return;
    try {
      await attempt.acquireSlot();
      await attempts.attempt(job, attempt.signal);
    } catch (error) {
      if (!attempt.signal.aborted) await settleFailure(job, error);
    }
  };
  const reconciler = openJobReconciler<Sync>({
    attempts: running,
    renew: (ids) => queue.renew(ids),
    claimExpired: async (limit, except) =>
      (await queue.claim(limit, except)).map((job) => ({ job, isPoison: isPoison(job.interruptions), trace: {} })),
    resume: (job) => {
      // A sync that ends frees its destination and its place: the next one is claimed at once.
      void run(job).then(() => reconciler.runNow());
    },
    failJob: (job) => fail(job, poisonReason('wrote the sync')),
    log,
  });
  return {
    queue,
    /** Claims due syncs without waiting for the next poll. */
    wake: (): void => void reconciler.runNow(),
    close: async (): Promise<void> => {
      await reconciler.close();
      await running.close();
    },
  };
}

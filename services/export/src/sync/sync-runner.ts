import { AttemptRunner, type ClaimedJob, newInstanceName, openJobReconciler } from '@tidemark/jobs';
import { inTransaction, type Logger, type OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import type { SyncAttempt } from '../destinations/driver.ts';
import { retryAfterSeconds, type Sync, type SyncFailure } from '../domain/sync.ts';
import type { SourcePeers } from '../download/peers.ts';
import type { DestinationStore } from '../store/destination-store.ts';
import { SyncQueue } from '../store/sync-queue.ts';
import { endSync, retrySync, type SyncEnd } from '../store/sync-store.ts';
import { readRunRecord } from './run-record.ts';
import { failureOf, SyncNotReady, toSyncFailure } from './sync-failure.ts';
import { type WriteDeps, writeSync } from './write-sync.ts';

/** Longest attempt, ms. */
const ATTEMPT_MS = 6 * 3_600_000;
/** Delay before a sync looks again for the record of its run, s. The event of the record makes it due at once. */
const NOT_READY_SECONDS = 10;
const NO_COUNTS = { read: 0, written: 0, unchanged: 0, deleted: 0, skipped: 0, bytes: 0 };

export interface SyncRunnerDeps extends WriteDeps {
  readonly pool: pg.Pool;
  readonly destinations: DestinationStore;
  readonly peers: SourcePeers;
  readonly maxRunning: number;
  readonly publish: (events: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
  readonly log: Logger;
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
  const { pool, destinations, log } = deps;
  const queue = new SyncQueue(pool, newInstanceName());

  /** Stores the end of a sync. @returns undefined if this instance no longer holds its lease */
  const end = async (job: SyncJob, result: SyncEnd): Promise<Ended | undefined> => {
    const held = { id: job.id, owner: queue.owner };
    const events = await inTransaction(pool, (client) => endSync(client, held, result));
    if (events === undefined) return undefined;
    deps.publish(events);
    return { job };
  };
  const fail = (job: SyncJob, failure: SyncFailure): Promise<Ended | undefined> =>
    end(job, {
      ...{ status: failure.code === 'not_found' ? 'cancelled' : 'error', counts: NO_COUNTS },
      ...{ location: '', warnings: [], failure },
    });

  const runner = new AttemptRunner<SyncJob, Ended>({
    jobs: { find: async () => undefined },
    leases: queue,
    failJob: (job, reason) => fail(job, failureOf('internal', reason)),
    log,
    maxRunning: deps.maxRunning,
    maxQueued: deps.maxRunning,
  });

  const handleFailure = async (job: SyncJob, failure: SyncFailure): Promise<Ended | undefined> => {
    const { id, sync } = job;
    log.warn({ sync: id, destination: sync.destinationId, failure, attempts: sync.attempts }, 'sync attempt failed');
    const delay = failure.code === 'temporary' ? retryAfterSeconds(sync.attempts) : undefined;
    // A scrape waits for its sync, and its destination is not blocked by it: the delays are those of any sync.
    if (delay === undefined) return fail(job, failure);
    await retrySync(pool, { id, owner: queue.owner }, failure, delay);
    return undefined;
  };

  const attempt = async (job: SyncJob, stop: AbortSignal): Promise<Ended | undefined> => {
    const { sync } = job;
    const signal = AbortSignal.any([stop, AbortSignal.timeout(ATTEMPT_MS)]);
    let secrets: readonly string[] = [];
    try {
      const destination = await destinations.findForSync(sync.workspaceId, sync.destinationId);
      if (destination === undefined) return undefined;
      if (destination.status === 'paused' || destination.connectionId === undefined)
        return await end(job, { ...CANCELLED, failure: failureOf('invalid', 'the destination is paused') });
      const context = { peers: deps.peers, call: callFor(sync), signal };
      const record =
        sync.sourceKind === 'run' && sync.projectId !== ''
          ? await readRunRecord(sync, context, deps.now())
          : { isWholeSite: false, warning: undefined };
      const outcome = await writeSync(deps, {
        ...{ sync, destination, record, context },
        attempt: toAttempt(queue, sync, { signal, parts: await queue.partsOf(sync.id) }),
        onSecrets: (values) => {
          secrets = values;
        },
      });
      const { status, location, warnings, ...counts } = outcome;
      return await end(job, { status, counts, location, warnings, failure: undefined });
    } catch (error) {
      if (stop.aborted) throw error;
      if (error instanceof SyncNotReady) {
        await queue.release(sync.id, NOT_READY_SECONDS, true);
        return undefined;
      }
      return handleFailure(job, toSyncFailure(error, secrets));
    } finally {
      queue.forget(sync.id);
    }
  };

  const reconciler = openJobReconciler<SyncJob>({
    runner,
    renew: (ids) => queue.renew(ids),
    claimExpired: async (limit, except) =>
      (await queue.claim(limit, except)).map((sync): ClaimedJob<SyncJob> => ({ job: toJob(sync), trace: {} })),
    resume: (job) => {
      // A sync that ends frees its destination and its place: the next one is claimed at once.
      void runner.run(job, (signal) => attempt(job, signal)).then(() => reconciler.runNow());
    },
    failJob: (job) => fail(job, failureOf('internal', 'every process that wrote the sync ended')),
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

const CANCELLED = { status: 'cancelled', counts: NO_COUNTS, location: '', warnings: [] } as const;

const callFor = ({ workspaceId, id }: Sync) => ({
  requestId: id,
  caller: { workspaceId, keyId: '', scope: 'read', projects: [] } as const,
});

function toAttempt(
  queue: SyncQueue,
  { id }: Sync,
  { signal, parts }: Pick<SyncAttempt, 'signal' | 'parts'>,
): SyncAttempt {
  return {
    ...{ signal, parts },
    async recordPart(part) {
      if (!(await queue.recordPart(id, part))) throw new Error('the sync was cancelled or reassigned');
    },
    reportProgress: (rowsRead) => queue.reportProgress(id, rowsRead),
  };
}

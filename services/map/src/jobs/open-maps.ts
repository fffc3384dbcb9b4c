import {
  type CreditGrant,
  type CreditRequest,
  type IdempotencyKeys,
  JobAttempts,
  type JobLeases,
  makeSettleFailure,
} from '@tidemark/jobs';
import { ATTEMPT_POLICIES } from '@tidemark/leased-work';
import type { Logger, Outbox, StoppedWorkspace } from '@tidemark/service';
import type { MapJob } from '../domain/job.ts';
import { LEASE_CREDITS } from '../site/credit-budget.ts';
import { mapSite } from '../site/map-site.ts';
import type { ReadFileDeps } from '../site/read-file.ts';
import type { JobStore, Progress } from '../store/job-store.ts';
import { makeCancelMaps, makeFailMap, makeFinishMap, makeReleaseCredits } from './finish-map.ts';
import { openMapReconciler } from './reconcile-maps.ts';
import { makeRunMap } from './run-map.ts';
import { makeStartMap, type StartMap } from './start-map.ts';

export interface MapsDeps {
  readonly jobs: JobStore;
  readonly leases: JobLeases;
  readonly keys: IdempotencyKeys;
  readonly outbox: Outbox;
  readonly open: ReadFileDeps['open'];
  readonly documents: ReadFileDeps['documents'];
  /** Name for which robots.txt rules are applied. */
  readonly robotsToken: string;
  readonly lease: (request: CreditRequest) => Promise<CreditGrant>;
  readonly admit: (url: string) => Promise<void>;
  readonly maxRunning: number;
  readonly maxWaiting: number;
  readonly log: Logger;
}

export interface Maps {
  readonly start: StartMap;
  /** Cancels the unfinished maps of workspaces. Attempts of other instances end when they renew their lease. */
  stopWork(workspaces: readonly StoppedWorkspace[]): Promise<void>;
  /** Stops claiming jobs and waits a few seconds for running attempts. */
  close(): Promise<void>;
}

/** Opens map jobs: starts them on request, runs them, and completes those of crashed instances. */
export function openMaps({
  jobs,
  leases,
  keys,
  outbox,
  open,
  documents,
  robotsToken,
  lease,
  admit,
  maxRunning,
  maxWaiting,
  log,
}: MapsDeps): Maps {
  const now = () => new Date();
  const failMap = makeFailMap({ jobs, outbox, now });
  const finishMap = makeFinishMap({ jobs, outbox, now });
  const settleFailure = makeSettleFailure({ jobs, leases, policy: ATTEMPT_POLICIES.jobs, failJob: failMap, log });
  const leaseFor = ({ workspaceId, actorId, projectId }: MapJob, id: string, credits: number) =>
    lease({ id, workspaceId, actorId, projectId, maxCredits: credits, minCredits: 1 });

  const progress = new Map<string, Progress>();
  const attempts = new JobAttempts({ leases, log, maxRunning, maxQueued: maxWaiting });
  const runMap = makeRunMap({
    attempts,
    jobs,
    mapSite: (job, limits) => {
      const leaseFiles = async (id: string, credits: number) => (await leaseFor(job, id, credits)).granted;
      return mapSite({ open, documents, robotsToken, lease: leaseFiles }, job, limits);
    },
    finishMap,
    settleFailure,
    progress,
  });
  const start = makeStartMap({
    jobs,
    keys,
    attempts,
    runMap,
    admit,
    leaseFirst: (job) => leaseFor(job, job.chargeId, LEASE_CREDITS),
    releaseCredits: makeReleaseCredits({ outbox, now }),
    now,
  });
  const reconciler = openMapReconciler({ jobs, attempts, runMap, failMap, progress, log });
  const cancel = makeCancelMaps({ jobs, outbox, now });
  return {
    start,
    async stopWork(workspaces) {
      for (const id of await cancel(workspaces)) attempts.stop(id);
    },
    async close() {
      await reconciler.close();
      await attempts.close();
    },
  };
}

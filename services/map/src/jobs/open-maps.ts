import {
  AttemptRunner,
  type CreditGrant,
  type CreditRequest,
  type IdempotencyKeys,
  type JobLeases,
} from '@tidemark/jobs';
import { ATTEMPT_POLICIES } from '@tidemark/leased-work';
import type { Logger, Outbox, StoppedWorkspace } from '@tidemark/service';
import type { Job } from '../domain/job.ts';
import { LEASE_CREDITS } from '../site/credit-budget.ts';
import { type MapSiteDeps, mapSite } from '../site/map-site.ts';
import type { JobStore, Progress } from '../store/job-store.ts';
import { type FinishedMap, makeCancelMaps, makeFailMap, makeFinishMap, makeReleaseCredits } from './finish-map.ts';
import { openMapReconciler } from './reconcile-maps.ts';
import { makeRunMap } from './run-map.ts';
import { makeStartMap, type StartMap } from './start-map.ts';

export interface MapsDeps {
  readonly jobs: JobStore;
  readonly leases: JobLeases;
  readonly keys: IdempotencyKeys;
  readonly outbox: Outbox;
  readonly site: Omit<MapSiteDeps, 'lease'>;
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
export function openMaps(deps: MapsDeps): Maps {
  const { jobs, leases, keys, outbox, admit, maxRunning, maxWaiting, log } = deps;
  const { open, documents, robotsToken } = deps.site;
  const now = () => new Date();
  const fail = makeFailMap({ jobs, outbox, now });
  const finish = makeFinishMap({ jobs, outbox, now });
  const lease = ({ workspaceId, actorId, projectId }: Job, id: string, credits: number) =>
    deps.lease({ id, workspaceId, actorId, projectId, maxCredits: credits, minCredits: 1 });

  const progress = new Map<string, Progress>();
  const runner = new AttemptRunner<Job, FinishedMap>({
    jobs,
    leases,
    policy: ATTEMPT_POLICIES.jobs,
    failJob: fail,
    log,
    maxRunning,
    maxQueued: maxWaiting,
  });
  const run = makeRunMap({
    runner,
    mapSite: (job, limits) =>
      mapSite(
        { open, documents, robotsToken, lease: async (id, credits) => (await lease(job, id, credits)).granted },
        job,
        limits,
      ),
    finish,
    progress,
  });
  const start = makeStartMap({
    jobs,
    keys,
    runner,
    run,
    admit,
    leaseFirst: (job) => lease(job, job.chargeId, LEASE_CREDITS),
    releaseCredits: makeReleaseCredits({ outbox, now }),
    now,
  });
  const reconciler = openMapReconciler({ jobs, runner, run, fail, progress, log });
  const cancel = makeCancelMaps({ jobs, outbox, now });
  return {
    start,
    async stopWork(workspaces) {
      for (const id of await cancel(workspaces)) runner.stop(id);
    },
    async close() {
      await reconciler.close();
      await runner.close();
    },
  };
}

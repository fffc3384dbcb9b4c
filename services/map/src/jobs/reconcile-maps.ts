import { type JobAttempts, openJobReconciler } from '@tidemark/jobs';
import type { Logger, PeriodicTask } from '@tidemark/service';
import type { MapJob } from '../domain/job.ts';
import type { JobStore, Progress } from '../store/job-store.ts';
import type { RunMap } from './run-map.ts';

interface ReconcilerDeps {
  readonly jobs: JobStore;
  readonly attempts: JobAttempts;
  readonly runMap: RunMap;
  readonly failMap: (job: MapJob, reason: string) => Promise<unknown>;
  /** Progress of the attempts that run in this process, by job id. */
  readonly progress: ReadonlyMap<string, Progress>;
  readonly log: Logger;
}

/** Renews the leases of running maps, stores their progress, and claims maps whose lease has expired. */
export function openMapReconciler({ jobs, attempts, runMap, failMap, progress, log }: ReconcilerDeps): PeriodicTask {
  return openJobReconciler<MapJob>({
    attempts,
    renew: (ids) => jobs.renew(ids.map((id) => progress.get(id) ?? { id, done: 0, total: 0 })),
    claimExpired: (limit, except) => jobs.claimExpired(limit, except),
    resume: (job) => void runMap(job),
    failJob: (job) => failMap(job, 'every attempt at this map was interrupted'),
    log,
  });
}

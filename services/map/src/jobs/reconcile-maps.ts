import { openJobReconciler } from '@tidemark/jobs';
import type { Logger, PeriodicTask } from '@tidemark/service';
import type { Job } from '../domain/job.ts';
import type { JobStore, Progress } from '../store/job-store.ts';
import type { MapRunner, RunMap } from './run-map.ts';

interface ReconcilerDeps {
  readonly jobs: JobStore;
  readonly runner: MapRunner;
  readonly run: RunMap;
  readonly fail: (job: Job, reason: string) => Promise<unknown>;
  /** Progress of the attempts that run in this process, by job id. */
  readonly progress: ReadonlyMap<string, Progress>;
  readonly log: Logger;
}

/** Renews the leases of running maps, stores their progress, and claims maps whose lease has expired. */
export function openMapReconciler({ jobs, runner, run, fail, progress, log }: ReconcilerDeps): PeriodicTask {
  return openJobReconciler<Job>({
    runner,
    renew: (ids) => jobs.renew(ids.map((id) => progress.get(id) ?? { id, done: 0, total: 0 })),
    claimExpired: (limit, except) => jobs.claimExpired(limit, except),
    resume: (job) => void run(job),
    failJob: (job) => fail(job, 'every attempt at this map was interrupted'),
    log,
  });
}

import type { Attempts, Outcome } from '@tidemark/jobs';
import type { Job } from './domain/job.ts';
import type { Ended } from './finish-job.ts';
import type { MapBudget, Mapped } from './map-site.ts';
import type { Progress } from './store/job-store.ts';

/** The maps under way in this process. */
export type JobRunner = Attempts<Job, Ended>;

export interface RunJobDeps {
  readonly runner: JobRunner;
  readonly map: (job: Job, budget: MapBudget) => Promise<Mapped>;
  /** Ends the job. @returns undefined where it was no longer ours to end */
  readonly finish: (job: Job, mapped: Mapped) => Promise<Ended | undefined>;
  /** How far the maps under way are, by job. */
  readonly progress: Map<string, Progress>;
}

/** Milliseconds one map may take: what is not read by then is said to be unread. */
const MAP_MS = 15 * 60_000;

/** Runs one attempt at a map that is ours, whose row is committed. Never rejects. */
export function makeRunJob({ runner, map, finish, progress }: RunJobDeps) {
  const attempt = async (job: Job, signal: AbortSignal): Promise<Ended | undefined> => {
    const endsAtMs = performance.now() + MAP_MS;
    const noted = { id: job.id, done: 0, total: 0 };
    progress.set(job.id, noted);
    try {
      const mapped = await map(job, {
        signal,
        remainingMs: () => endsAtMs - performance.now(),
        onProgress: (done, total) => Object.assign(noted, { done, total }),
      });
      return await finish(job, mapped);
    } finally {
      progress.delete(job.id);
    }
  };
  return (job: Job): Promise<Outcome<Job, Ended>> => runner.run(job, (signal) => attempt(job, signal));
}

export type RunJob = ReturnType<typeof makeRunJob>;

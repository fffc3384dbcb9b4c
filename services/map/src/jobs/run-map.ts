import type { AttemptResult, AttemptRunner } from '@tidemark/jobs';
import type { Job } from '../domain/job.ts';
import type { MapLimits, MapResult } from '../site/map-site.ts';
import type { Progress } from '../store/job-store.ts';
import type { FinishedMap } from './finish-map.ts';

/** The attempts that run in this process. */
export type MapRunner = AttemptRunner<Job, FinishedMap>;

export interface RunMapDeps {
  readonly runner: MapRunner;
  readonly mapSite: (job: Job, limits: MapLimits) => Promise<MapResult>;
  /** Finishes the job. @returns undefined if this instance no longer holds its lease */
  readonly finish: (job: Job, result: MapResult) => Promise<FinishedMap | undefined>;
  /** Progress of the attempts that run in this process, by job id. */
  readonly progress: Map<string, Progress>;
}

/** Time limit of one map. Files that are not read by then are reported as skipped. */
const MAX_MAP_MS = 15 * 60_000;

/** Runs one attempt at a job whose row is committed and whose lease this instance holds. Never rejects. */
export type RunMap = (job: Job) => Promise<AttemptResult<Job, FinishedMap>>;

export function makeRunMap({ runner, mapSite, finish, progress }: RunMapDeps): RunMap {
  const attempt = async (job: Job, signal: AbortSignal): Promise<FinishedMap | undefined> => {
    const endsAtMs = performance.now() + MAX_MAP_MS;
    const entry = { id: job.id, done: 0, total: 0 };
    progress.set(job.id, entry);
    try {
      const result = await mapSite(job, {
        signal,
        remainingMs: () => endsAtMs - performance.now(),
        onProgress: (done, total) => Object.assign(entry, { done, total }),
      });
      return await finish(job, result);
    } finally {
      progress.delete(job.id);
    }
  };
  return (job) => runner.run(job, (signal) => attempt(job, signal));
}

import { type AttemptResult, type JobAttempts, type SettleFailure, toAttemptResult } from '@tidemark/jobs';
import type { MapJob } from '../domain/job.ts';
import type { MapLimits, MapResult } from '../site/map-site.ts';
import type { JobStore, Progress } from '../store/job-store.ts';
import type { FinishedMap, FinishMap } from './finish-map.ts';

interface RunMapDeps {
  /** The maps in progress in this process. */
  readonly attempts: Pick<JobAttempts, 'begin'>;
  readonly jobs: Pick<JobStore, 'find'>;
  readonly mapSite: (job: MapJob, limits: MapLimits) => Promise<MapResult>;
  readonly finishMap: FinishMap;
  readonly settleFailure: SettleFailure<MapJob, FinishedMap>;
  /** Progress of the attempts that run in this process, by job id. */
  readonly progress: Map<string, Progress>;
}

/** Time limit of one map. Files that are not read by then are reported as skipped. */
const MAX_MAP_MS = 15 * 60_000;

/** Makes an attempt at a job whose row is committed and whose lease this instance holds. Never rejects. */
export type RunMap = (job: MapJob) => Promise<AttemptResult<MapJob, FinishedMap>>;

export function makeRunMap({ attempts, jobs, mapSite, finishMap, settleFailure, progress }: RunMapDeps): RunMap {
  return async (job) => {
    using attempt = attempts.begin(job);
    if (attempt === undefined) return toAttemptResult<MapJob, FinishedMap>(jobs, job, undefined);
    const { signal } = attempt;
    try {
      await attempt.acquireSlot();
      const endsAtMs = performance.now() + MAX_MAP_MS;
      const entry = { id: job.id, done: 0, total: 0 };
      progress.set(job.id, entry);
      const result = await mapSite(job, {
        signal,
        remainingMs: () => endsAtMs - performance.now(),
        onProgress: (done, total) => Object.assign(entry, { done, total }),
      });
      return await toAttemptResult(jobs, job, await finishMap(job, result));
    } catch (error) {
      return await (signal.aborted
        ? toAttemptResult<MapJob, FinishedMap>(jobs, job, undefined)
        : settleFailure(job, error));
    } finally {
      progress.delete(job.id);
    }
  };
}

import type { CoverageEstimate, HeldHost, Run as WireRun } from '@tidemark/contracts/crawl/v1/crawl';
import type { Run } from '../domain/run/run.ts';

/** What a message about one run has in addition. */
interface RunDetails {
  readonly held: readonly HeldHost[];
  /** Absent until the run has ended. */
  readonly coverage: CoverageEstimate | undefined;
}

/** Converts a run to its message. */
export const toWire = (run: Run, { held, coverage }: RunDetails = { held: [], coverage: undefined }): WireRun => ({
  id: run.id,
  seed: run.seed,
  status: run.status,
  paused: run.paused,
  createdAt: run.createdAt,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt,
  done: run.done,
  total: run.total,
  queued: run.queued,
  creditsUsed: run.credits,
  stop: run.status === 'queued' || run.status === 'running' ? undefined : run.stop,
  error: run.error,
  requestId: run.requestId,
  formats: [...run.options.formats],
  counts: { ...run.verdicts },
  missingValues: { ...run.missingValues },
  held: [...held],
  traps: run.traps.map((trap) => ({ ...trap })),
  trigger: run.trigger,
  projectId: run.projectId,
  destinationId: run.destinationId,
  hasCoverage: run.hasCoverage,
  coverage,
});

import { stopToWire } from '@tidemark/contracts';
import type { HeldHost, Run as WireRun } from '@tidemark/contracts/crawl/v1/crawl';
import type { Run } from './domain/run/run.ts';

/** Converts a run to its message. */
export const toWire = (run: Run, held: HeldHost[] = []): WireRun => ({
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
  stop: run.status === 'queued' || run.status === 'running' ? undefined : run.stop && stopToWire(run.stop),
  error: run.error,
  requestId: run.requestId,
  formats: [...run.options.formats],
  counts: { ...run.verdicts },
  held,
  traps: run.traps.map((trap) => ({ ...trap })),
  trigger: run.trigger,
  projectId: run.projectId ?? '',
  destinationId: run.destinationId,
  hasCoverage: run.hasCoverage,
});

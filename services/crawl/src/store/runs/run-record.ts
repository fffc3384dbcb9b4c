import { STOP_REASONS, type StopReason } from '@tidemark/contracts';
import { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { JobStatus, RunTrigger } from '@tidemark/contracts/job/v1/job';
import { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { z } from 'zod';
import type { Run } from '../../domain/run/run.ts';
import type { RunModel } from '../../generated/prisma/models.ts';
import { withUrlCount } from '../url-count.ts';

const Status = z.enum(JobStatus);
const Trigger = z.enum(RunTrigger);
const Sitemap = z.enum(['none', 'waiting', 'read', 'missing']);
const Feeds = z.enum(['none', 'waiting', 'read']);
const Stop = z.enum(STOP_REASONS);
export const Verdicts = z.record(z.string(), z.number());
/** Pages whose requested extraction has no values, by reason. */
export const MissingValues = z.record(z.string(), z.number());
export const Traps = z.array(withUrlCount(z.object({ pattern: z.string(), urls: z.number(), why: z.string() })));

/** Converts a row to a run. @throws ZodError for an invalid row */
export function toRun(row: RunModel): Run {
  const room = Math.max(0, row.maxPages - row.fetched - row.inFlight);
  const scope = Scope.fromJSON(row.scope);
  // Offered pages wait until a worker has a slot and the host a permit; once a run is paused, those in flight are being fetched.
  const offered = row.paused ? 0 : Math.max(0, row.inFlight - scope.concurrency);
  const hasEnded = row.status !== 'queued' && row.status !== 'running';
  return {
    id: row.id,
    no: row.no,
    workspaceId: row.workspaceId,
    actorId: row.actorId,
    projectId: row.projectId ?? undefined,
    seed: row.seed,
    home: row.home ?? undefined,
    status: Status.parse(row.status),
    paused: row.paused,
    scope,
    options: CaptureOptions.fromJSON(row.options),
    trigger: Trigger.parse(row.trigger),
    requestId: row.requestId,
    destinationId: row.destinationId ?? undefined,
    createdAt: row.createdAt,
    startedAt: row.startedAt ?? undefined,
    finishedAt: row.finishedAt ?? undefined,
    earlierNo: row.earlierNo ?? undefined,
    interruptions: row.deaths,
    seeded: row.seeded,
    sitemap: Sitemap.parse(row.sitemap),
    feeds: Feeds.parse(row.feeds),
    known: row.known,
    done: row.done,
    total: Math.max(row.total, row.done),
    queued: hasEnded ? 0 : Math.min(row.queued, room) + offered,
    credits: row.credits,
    verdicts: Verdicts.parse(row.verdicts),
    missingValues: MissingValues.parse(row.missingValues),
    traps: Traps.parse(row.traps),
    givenUp: row.givenUp,
    stop: toStop(row.stop),
    error: row.error ?? undefined,
    hasCoverage: row.hasCoverage,
  };
}

export const toStop = (stop: string | null): StopReason | undefined => (stop === null ? undefined : Stop.parse(stop));

import { events } from '@tidemark/contracts';
import { type Outbox, type OutgoingEvent, outgoingEvent, type StoppedWorkspace } from '@tidemark/service';
import { createsSnapshot, type MapJob } from '../domain/job.ts';
import { outcomeOf } from '../domain/outcome.ts';
import type { Charge } from '../site/credit-budget.ts';
import type { MapResult } from '../site/map-site.ts';
import type { JobStore } from '../store/job-store.ts';
import { toWireJob } from './to-wire-job.ts';

interface FinishDeps {
  readonly jobs: JobStore;
  readonly outbox: Outbox;
  readonly now: () => Date;
}

/** A finished job. */
export interface FinishedMap {
  readonly job: MapJob;
  /** Undefined if the job failed. */
  readonly result: MapResult | undefined;
}

/** Returns the event that charges files of a map and closes the lease with the charge's id. */
function chargeEvent(
  { workspaceId, actorId, projectId }: Pick<MapJob, 'workspaceId' | 'actorId' | 'projectId'>,
  { id, credits }: Charge,
  at: Date,
): OutgoingEvent {
  return outgoingEvent(events.mapCharged, `credit:${id}`, {
    ref: id,
    workspaceId,
    kind: 'map_file',
    credits,
    pages: 0,
    at,
    actorId,
    projectId,
  });
}

/** Returns the event that a map of a project has ended. A map that is part of a crawl has one only if it created a snapshot. */
function mapEndedEvents(job: MapJob, at: Date): OutgoingEvent[] {
  const { id: mapId, workspaceId, projectId, options } = job;
  if (projectId === '' || (options.forCrawl && !createsSnapshot(job))) return [];
  return [outgoingEvent(events.mapEnded, `map-ended:${mapId}`, { workspaceId, projectId, at, job: toWireJob(job) })];
}

/**
 * Finishes a job with its result, with status `error` if nothing could be read: writes job, files, snapshot, charges and events in one statement. The result's documents must be durable.
 * @returns undefined if this instance no longer holds the job's lease
 */
export type FinishMap = (job: MapJob, result: MapResult) => Promise<FinishedMap | undefined>;

export function makeFinishMap({ jobs, outbox, now }: FinishDeps): FinishMap {
  return async (job, result) => {
    const { findings, rows, rowBlobs, charges } = result;
    const { totals, robots, method, files } = findings;
    const { status, stop } = outcomeOf(findings);
    const error = findings.error ?? (status === 'error' ? 'nothing of the site could be read' : undefined);
    const credits = job.options.forCrawl ? 0 : totals.files;
    const progress = { done: files.length, total: files.length };
    const outcome = { status, totals, robots, method, stop, error, rows, rowBlobs, credits };
    const finished: MapJob = { ...job, ...outcome, ...progress, finishedAt: now() };
    const events = [...charges.map((charge) => chargeEvent(job, charge, now())), ...mapEndedEvents(finished, now())];
    if (!(await jobs.finish(finished, files, events))) return undefined;
    outbox.send(events);
    return { job: finished, result };
  };
}

/** Finishes a job with status `error`, free of charge. @returns undefined if this instance no longer holds the job's lease */
export type FailMap = (job: MapJob, reason: string) => Promise<FinishedMap | undefined>;

export function makeFailMap({ jobs, outbox, now }: FinishDeps): FailMap {
  return async (job, reason) => {
    const failed: MapJob = { ...job, status: 'error', error: reason, finishedAt: now() };
    const events = [chargeEvent(job, { id: job.chargeId, credits: 0 }, now()), ...mapEndedEvents(failed, now())];
    if (!(await jobs.finish(failed, [], events))) return undefined;
    outbox.send(events);
    return { job: failed, result: undefined };
  };
}

/**
 * Cancels the unfinished maps of suspended and deleted workspaces, free of charge. Leases of further files expire.
 * @returns their ids
 */
export type CancelMaps = (workspaces: readonly StoppedWorkspace[]) => Promise<string[]>;

export function makeCancelMaps({ jobs, outbox, now }: FinishDeps): CancelMaps {
  return async (workspaces) => {
    const cancelled = await jobs.cancelOf(workspaces, (job) =>
      chargeEvent(job, { id: job.chargeId, credits: 0 }, now()),
    );
    outbox.send(cancelled.map(({ event }) => event));
    return cancelled.map(({ id }) => id);
  };
}

/** Releases the first lease of a job that was not written. If the event is lost, the lease expires instead. */
export type ReleaseCredits = (job: MapJob) => void;

export function makeReleaseCredits({ outbox, now }: Pick<FinishDeps, 'outbox' | 'now'>): ReleaseCredits {
  return (job) => outbox.send([chargeEvent(job, { id: job.chargeId, credits: 0 }, now())]);
}

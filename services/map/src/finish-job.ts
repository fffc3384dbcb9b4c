import { facts } from '@tidemark/contracts';
import { type Outbox, type Outgoing, outgoing } from '@tidemark/service';
import { type Job, makesSnapshot } from './domain/job.ts';
import type { SiteFile } from './domain/tree.ts';
import type { Mapped } from './map-site.ts';
import type { Charge } from './purse.ts';
import type { JobStore } from './store/job-store.ts';
import { toWireJob } from './to-wire.ts';

interface Deps {
  readonly jobs: JobStore;
  readonly outbox: Outbox;
  readonly now: () => Date;
}

/** A map's end: the job as it ended, and what it found if it was not given up. */
export interface Ended {
  readonly job: Job;
  readonly mapped: Mapped | undefined;
}

/** The charge for a map's files, free ones too: it closes the lease of the same name. */
function charged({ workspaceId }: Job, { id, credits }: Charge, at: Date): Outgoing {
  return outgoing(facts.mapCharged, `credit:${id}`, {
    ref: id,
    workspaceId,
    kind: 'map_file',
    credits,
    pages: 0,
    at,
  });
}

/** That a project has a new snapshot, or that the map asked for to make one has ended without: what a crawl reads for itself is no news. */
function ended(job: Job, at: Date): Outgoing[] {
  const { id: mapId, workspaceId, projectId, options } = job;
  if (projectId === '' || (options.forCrawl && !makesSnapshot(job))) return [];
  return [outgoing(facts.mapEnded, `map-ended:${mapId}`, { workspaceId, projectId, at, job: toWireJob(job) })];
}

/** Ends a job with what it found: the documents are durable already; rows, charges and the job's end are one statement. */
export function makeFinishJob({ jobs, outbox, now }: Deps) {
  return async (job: Job, mapped: Mapped): Promise<Ended | undefined> => {
    const { findings, rows, rowBlobs, charges } = mapped;
    const { totals, robots, method, stop, error, files } = findings;
    const done: Job = {
      ...job,
      ...{ totals, robots, method, stop, error, rowBlobs },
      status: 'done',
      credits: job.options.forCrawl ? 0 : totals.files,
      rows,
      done: files.length,
      total: files.length,
      finishedAt: now(),
    };
    const messages = [...charges.map((charge) => charged(job, charge, now())), ...ended(done, now())];
    if (!(await jobs.finish(done, files, messages))) return undefined;
    outbox.send(messages);
    return { job: done, mapped };
  };
}

/** Ends a job that keeps failing for reasons of ours, uncharged. */
export function makeGiveUpJob({ jobs, outbox, now }: Deps) {
  return async (job: Job, why: string): Promise<Ended | undefined> => {
    const nothing: readonly SiteFile[] = [];
    const failed: Job = { ...job, status: 'error', error: why, finishedAt: now() };
    const messages = [charged(job, { id: job.chargeId, credits: 0 }, now()), ...ended(failed, now())];
    if (!(await jobs.finish(failed, nothing, messages))) return undefined;
    outbox.send(messages);
    return { job: failed, mapped: undefined };
  };
}

/** Gives back credits that turned out not to be needed. A word that is lost is made good when the lease ends. */
export function makeReturnCredits({ outbox, now }: Pick<Deps, 'outbox' | 'now'>) {
  return (job: Job): void => outbox.send([charged(job, { id: job.chargeId, credits: 0 }, now())]);
}

import { facts } from '@tidemark/contracts';
import { type Outbox, type Outgoing, outgoing } from '@tidemark/service';
import type { Job } from './domain/job.ts';
import type { SiteFile } from './domain/tree.ts';
import type { Mapped } from './map-site.ts';
import type { Charge } from './purse.ts';
import type { JobStore } from './store/job-store.ts';

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

/** Ends a job with what it found: the documents are durable already; rows, charges and the job's end are one statement. */
export function makeFinishJob({ jobs, outbox, now }: Deps) {
  return async (job: Job, mapped: Mapped): Promise<Ended | undefined> => {
    const { findings, rows, rowBlobs, charges } = mapped;
    const { totals, robots, method, stop, error, files } = findings;
    const messages = charges.map((charge) => charged(job, charge, now()));
    const ended: Job = {
      ...job,
      ...{ totals, robots, method, stop, error, rowBlobs },
      status: 'done',
      credits: job.options.forCrawl ? 0 : totals.files,
      rows,
      done: files.length,
      total: files.length,
      finishedAt: now(),
    };
    if (!(await jobs.finish(ended, files, messages))) return undefined;
    outbox.send(messages);
    return { job: ended, mapped };
  };
}

/** Ends a job that keeps failing for reasons of ours, uncharged. */
export function makeGiveUpJob({ jobs, outbox, now }: Deps) {
  return async (job: Job, why: string): Promise<Ended | undefined> => {
    const nothing: readonly SiteFile[] = [];
    const messages = [charged(job, { id: job.chargeId, credits: 0 }, now())];
    const ended: Job = { ...job, status: 'error', error: why, finishedAt: now() };
    if (!(await jobs.finish(ended, nothing, messages))) return undefined;
    outbox.send(messages);
    return { job: ended, mapped: undefined };
  };
}

/** Gives back credits that turned out not to be needed. A word that is lost is made good when the lease ends. */
export function makeReturnCredits({ outbox, now }: Pick<Deps, 'outbox' | 'now'>) {
  return (job: Job): void => outbox.send([charged(job, { id: job.chargeId, credits: 0 }, now())]);
}

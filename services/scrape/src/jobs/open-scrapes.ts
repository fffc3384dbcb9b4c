import type { BlobStore } from '@tidemark/blobs';
import { AttemptRunner, type CreditGrant, type CreditRequest, IdempotencyKeys, type JobLeases } from '@tidemark/jobs';
import { ATTEMPT_POLICIES } from '@tidemark/leased-work';
import type { Outbox } from '@tidemark/service';
import type pg from 'pg';
import type { ScrapeApp } from '../config.ts';
import type { CaptureOptions } from '../domain/capture-options.ts';
import type { Job } from '../domain/job.ts';
import type { Rung } from '../domain/ladder.ts';
import type { JobStore } from '../store/job-store.ts';
import { makeFailJob, makeFinishJob, makeReturnCredits } from './finish-job.ts';
import { type JobResult, type JobRunner, makeRunJob, type RunJobDeps } from './job-runner.ts';
import { openReconciler } from './reconciler.ts';
import { makeStartScrape, type StartScrape } from './start-scrape.ts';

interface ScrapesDeps {
  readonly pool: pg.Pool;
  readonly jobs: JobStore;
  readonly leases: JobLeases;
  readonly blobs: BlobStore;
  readonly outbox: Outbox;
  readonly ladder: readonly Rung[];
  readonly exits: { readonly isEmpty: boolean; hasCountry(country: string): boolean };
  readonly visitor: RunJobDeps['visitor'];
  readonly extractPage: RunJobDeps['extractPage'];
  readonly admit: (url: string) => Promise<void>;
  readonly lease: (request: CreditRequest) => Promise<CreditGrant>;
  readonly leaseCredits: (request: CreditRequest) => Promise<number>;
  /** Seals the headers and cookies of options for storage. */
  readonly sealOptions: (options: CaptureOptions, workspaceId: string) => CaptureOptions;
  readonly now: () => Date;
}

/** Opens single scrapes: the job runner, the reconciler of abandoned jobs, and the use case that starts a job. */
export function openScrapes(app: ScrapeApp, deps: ScrapesDeps): { startScrape: StartScrape; runner: JobRunner } {
  const { pool, jobs, leases, blobs, outbox, ladder, exits, visitor, extractPage, admit } = deps;
  const { lease, leaseCredits, sealOptions, now } = deps;
  const { log } = app;
  const { MAX_CAPTURES: maxRunning, MAX_WAITING: maxQueued, RECONCILE_MS: everyMs } = app.config;
  const keys = new IdempotencyKeys(pool);
  const failJob = makeFailJob({ jobs, outbox, now });
  const policy = ATTEMPT_POLICIES.jobs;
  const runner = app.own(
    new AttemptRunner<Job, JobResult>({ jobs, leases, policy, failJob, log, maxRunning, maxQueued }),
  );
  const run = makeRunJob({
    runner,
    visitor,
    extractPage,
    finish: makeFinishJob({ jobs, blobs, outbox, now }),
    now,
  });
  const returnCredits = makeReturnCredits({ outbox, now });
  app.own(openReconciler({ jobs, leases, runner, run, ladder, exits, leaseCredits, failJob, log, everyMs }));
  app.own(keys.openExpiry(log));
  return {
    startScrape: makeStartScrape({
      jobs,
      keys,
      runner,
      run,
      ladder,
      exits,
      admit,
      lease,
      sealOptions,
      returnCredits,
      now,
    }),
    runner,
  };
}

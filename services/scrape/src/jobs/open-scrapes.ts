import type { BlobStore } from '@tidemark/blobs';
import {
  type CreditGrant,
  type CreditRequest,
  IdempotencyKeys,
  JobAttempts,
  type JobLeases,
  makeSettleFailure,
  openJobReconciler,
} from '@tidemark/jobs';
import { ATTEMPT_POLICIES } from '@tidemark/leased-work';
import type { Outbox } from '@tidemark/service';
import type pg from 'pg';
import type { ScrapeApp } from '../config.ts';
import type { CaptureOptions } from '../domain/capture-options.ts';
import type { ScrapeJob } from '../domain/job.ts';
import type { Rung } from '../domain/ladder.ts';
import type { ExtractPage } from '../extraction/extract-page.ts';
import type { JobStore } from '../store/job-store.ts';
import type { PageVisitor } from '../visit/page-visitor.ts';
import { makeFailJob, makeFinishJob, makeReturnCredits } from './finish-job.ts';
import { makeResumeJob } from './resume-job.ts';
import { makeRunJob } from './run-job.ts';
import { makeStartScrape, type StartScrape } from './start-scrape.ts';

interface ScrapesDeps {
  readonly pool: pg.Pool;
  readonly jobs: JobStore;
  readonly leases: JobLeases;
  readonly blobs: BlobStore;
  readonly outbox: Outbox;
  readonly ladder: readonly Rung[];
  readonly exits: { readonly isEmpty: boolean; hasCountry(country: string): boolean };
  readonly visitor: PageVisitor;
  readonly extractPage: ExtractPage;
  readonly admit: (url: string) => Promise<void>;
  readonly lease: (request: CreditRequest) => Promise<CreditGrant>;
  readonly leaseCredits: (request: CreditRequest) => Promise<number>;
  /** Seals the headers and cookies of options for storage. */
  readonly sealOptions: (options: CaptureOptions, workspaceId: string) => CaptureOptions;
  readonly now: () => Date;
}

/** Opens single scrapes: the use case that starts a job, the attempts of this process, and the reconciler of abandoned jobs. */
export function openScrapes(
  app: ScrapeApp,
  {
    pool,
    jobs,
    leases,
    blobs,
    outbox,
    ladder,
    exits,
    visitor,
    extractPage,
    admit,
    lease,
    leaseCredits,
    sealOptions,
    now,
  }: ScrapesDeps,
): { startScrape: StartScrape; attempts: JobAttempts } {
  const { log } = app;
  const { MAX_CAPTURES: maxRunning, MAX_WAITING: maxQueued, RECONCILE_MS: everyMs } = app.config;
  const keys = new IdempotencyKeys(pool);
  const finishJob = makeFinishJob({ jobs, blobs, outbox, now });
  const failJob = makeFailJob({ jobs, outbox, now });
  const settleFailure = makeSettleFailure({ jobs, leases, policy: ATTEMPT_POLICIES.jobs, failJob, log });
  const attempts = app.own(new JobAttempts({ leases, log, maxRunning, maxQueued }));
  const runJob = makeRunJob({ attempts, jobs, visitor, extractPage, finishJob, settleFailure, now });
  app.own(
    openJobReconciler<ScrapeJob>({
      attempts,
      renew: (ids) => leases.renew(ids),
      claimExpired: (limit, except) => jobs.takeOver(limit, except),
      resume: makeResumeJob({ leases, runJob, ladder, exits, leaseCredits, log }),
      failJob: (job) => failJob(job, 'every attempt at this page ended before it was read'),
      log,
      everyMs,
    }),
  );
  app.own(keys.openExpiry(log));
  const returnCredits = makeReturnCredits({ outbox, now });
  const startScrape = makeStartScrape({
    jobs,
    keys,
    attempts,
    runJob,
    ladder,
    exits,
    admit,
    lease,
    sealOptions,
    returnCredits,
    now,
  });
  return { startScrape, attempts };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { onOwnBehalf } from '@tidemark/contracts';
import { CrawlServiceService as Crawl } from '@tidemark/contracts/crawl/v1/crawl';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { AppError } from '@tidemark/errors';
import { afterFailure, HeldLeases, isPoison } from '@tidemark/leased-work';
import { fromConfigMessage } from '@tidemark/project-config';
import { type CallContext, inTransaction, type Logger, type Peer } from '@tidemark/service';
import type pg from 'pg';
import type { PageDelta } from '../../domain/page-delta.ts';
import { makeLoadContent } from '../../readings/load-captures.ts';
import { makeRecapturePage } from '../../readings/recapture-page.ts';
import { captureOptionsOf, readingContextOf } from '../../readings/run-capture-options.ts';
import type { KnownPageStore } from '../../store/known-page-store.ts';
import { writeVolatility } from '../../store/record-sink.ts';
import { lockVolatility, type VolatilityJob, type VolatilityJobStore } from '../../store/volatility-job-store.ts';
import { learnFromRecaptures, type RecaptureSample } from '../recapture-sample.ts';
import { recaptureRounds } from './recapture-rounds.ts';

/** Time limit for all recaptures of one job. */
const TOTAL_TIMEOUT_MS = 180_000;
/** Must be well below the lease of `VolatilityJobStore`. */
const LEASE_RENEWAL_MS = 8_000;

export interface VolatilityLearnerDeps {
  readonly pool: pg.Pool;
  readonly jobs: VolatilityJobStore;
  readonly knownPages: KnownPageStore;
  readonly archive: Peer;
  readonly crawl: Peer;
  readonly scrape: Peer;
  readonly compare: (before: PageBlocks, after: PageBlocks) => Promise<PageDelta>;
  /** Delay between two recaptures of a page, seconds. */
  readonly gapSeconds: number;
  readonly now: () => Date;
  readonly log: Logger;
}

/**
 * Recaptures sample pages of a project's first run and learns what changes by itself. Costs no credits, publishes no
 * events and delays no record.
 */
export class VolatilityLearner {
  readonly #deps: VolatilityLearnerDeps;
  readonly #leases = new HeldLeases();

  constructor(deps: VolatilityLearnerDeps) {
    this.#deps = deps;
  }

  /** Releases the jobs in progress. */
  drain(): Promise<void> {
    return this.#leases.drain();
  }

  /** Claims and runs the next due job. @returns whether one was due */
  async learnNext(): Promise<boolean> {
    const { jobs } = this.#deps;
    const job = await jobs.claim();
    if (job === undefined) return false;
    try {
      const lease = {
        renew: () => jobs.renewLease(job),
        everyMs: LEASE_RENEWAL_MS,
        release: () => jobs.release(job),
      };
      await this.#leases.hold(lease, () => this.#learn(job));
    } catch (error) {
      await this.#handleFailure(job, error);
    }
    return true;
  }

  async #learn(job: VolatilityJob): Promise<void> {
    if (await this.#isObsolete(job)) await this.#deps.jobs.complete(undefined, job);
    else await this.#store(job, await this.#recapture(job));
  }

  /** Whether the job is overdue, has exhausted its attempts, or a later run of the project has a record. */
  async #isObsolete(job: VolatilityJob): Promise<boolean> {
    const { jobs } = this.#deps;
    return job.isOverdue || isPoison(job.attempts - 1) || jobs.hasLaterRecord(undefined, job);
  }

  async #handleFailure(job: VolatilityJob, error: unknown): Promise<void> {
    const { jobs, log } = this.#deps;
    const isRunGone = error instanceof AppError && error.code === 'not_found';
    if (!isRunGone) log.warn({ err: error, run: job.runId, attempts: job.attempts }, 'recapturing sample pages failed');
    const after = afterFailure(jobs.policy, job.attempts);
    if (isRunGone || after.next === 'give_up') await jobs.complete(undefined, job);
    else await jobs.scheduleRetry(job, after.inSeconds);
  }

  /** Recaptures the job's pages. @throws AppError not_found if the run was deleted */
  async #recapture({ runId, workspaceId, pages }: VolatilityJob): Promise<RecaptureSample[]> {
    const { archive, crawl, scrape, compare, gapSeconds, now, log } = this.#deps;
    const call: CallContext = { requestId: runId, caller: onOwnBehalf('diff', workspaceId) };
    const request = { id: runId, withLog: false, withConfig: true, withSecrets: true };
    const { config: masked, secrets } = await crawl.call(Crawl.getRun, request, call);
    const config = { ...fromConfigMessage(masked), ...fromConfigMessage(secrets) };
    const captureOptions = captureOptionsOf(config);
    if (captureOptions === undefined) return [];
    return recaptureRounds(
      {
        recapturePage: makeRecapturePage({ scrape, log }, captureOptions, readingContextOf(runId, config), call),
        loadContent: makeLoadContent(archive, call),
        compare,
        wait: (ms) => sleep(ms),
        nowMs: () => now().getTime(),
        gapMs: gapSeconds * 1_000,
        timeoutMs: TOTAL_TIMEOUT_MS,
      },
      pages,
    );
  }

  /** Stores what the recaptures show and completes the job, in one transaction. */
  async #store(job: VolatilityJob, samples: readonly RecaptureSample[]): Promise<void> {
    const { pool, jobs, knownPages, now } = this.#deps;
    const { projectId } = job;
    await inTransaction(pool, async (client) => {
      await lockVolatility(client, projectId, 'exclusive');
      if (!(await jobs.hasLaterRecord(client, job))) {
        const learned = await knownPages.loadVolatility(projectId);
        const changes = learnFromRecaptures(learned, samples, now().toISOString());
        await writeVolatility(client, projectId, changes);
      }
      if (!(await jobs.complete(client, job))) throw new AppError('conflict', 'lease lost to another instance');
    });
  }
}

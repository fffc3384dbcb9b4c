import { CrawlServiceService as Crawl } from '@tidemark/contracts/crawl/v1/crawl';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { AppError } from '@tidemark/errors';
import { type CallContext, inTransaction, type Logger, type Peer } from '@tidemark/service';
import type pg from 'pg';
import { makeLoadContent } from '../captures/load-captures.ts';
import { makeRecapturePage } from '../captures/recapture-page.ts';
import { captureOptionsOf, readingContextOf } from '../captures/run-capture-options.ts';
import type { PageDelta } from '../domain/page-delta.ts';
import { observationOf, type PageContent, type PageReading } from '../domain/page-reading.ts';
import type { KnownPageStore } from '../store/known-page-store.ts';
import { decodeContent } from '../store/recaptured-page-store.ts';
import { writeVolatility } from '../store/record-sink.ts';
import { lockVolatility, type VolatilityJob, type VolatilityJobStore } from '../store/volatility-job-store.ts';
import { isRecentlyFetched, learnFromRecaptures, type RecaptureDelta } from '../volatility/recapture-sample.ts';
import { sketchAnchors } from '../volatility/templates.ts';

/** Time limit for all recaptures of one job. */
const TOTAL_TIMEOUT_MS = 180_000;
const MAX_ATTEMPTS = 5;
const RETRY_SECONDS = 60;
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
  readonly now: () => Date;
  readonly log: Logger;
}

/**
 * Recaptures sample pages of a project's first run and marks the blocks that differ as volatile. Costs no credits, publishes no events and
 * delays no record.
 */
export class VolatilityLearner {
  readonly #deps: VolatilityLearnerDeps;

  constructor(deps: VolatilityLearnerDeps) {
    this.#deps = deps;
  }

  /** Claims and runs the next due job. @returns whether one was due */
  async learnNext(): Promise<boolean> {
    const { jobs } = this.#deps;
    const job = await jobs.claim();
    if (job === undefined) return false;
    const leaseTimer = setInterval(() => jobs.renewLease(job).catch(() => undefined), LEASE_RENEWAL_MS);
    try {
      if (await this.#isObsolete(job)) await jobs.complete(undefined, job);
      else await this.#store(job, await this.#recapture(job));
    } catch (error) {
      await this.#handleFailure(job, error);
    } finally {
      clearInterval(leaseTimer);
    }
    return true;
  }

  /** Whether the job is overdue, has exhausted its attempts, or a later run of the project has a record. */
  async #isObsolete(job: VolatilityJob): Promise<boolean> {
    return job.isOverdue || job.attempts > MAX_ATTEMPTS || this.#deps.jobs.hasLaterRecord(undefined, job);
  }

  async #handleFailure(job: VolatilityJob, error: unknown): Promise<void> {
    const { jobs, log } = this.#deps;
    const isRunGone = error instanceof AppError && error.code === 'not_found';
    if (!isRunGone) log.warn({ err: error, run: job.runId, attempts: job.attempts }, 'recapturing sample pages failed');
    if (isRunGone || job.attempts >= MAX_ATTEMPTS) await jobs.complete(undefined, job);
    else await jobs.scheduleRetry(job, RETRY_SECONDS);
  }

  /** Recaptures the job's pages and compares each with its first capture. @throws AppError not_found if the run was deleted */
  async #recapture({ runId, workspaceId, pages }: VolatilityJob): Promise<RecaptureDelta[]> {
    const { archive, crawl, scrape, now, log } = this.#deps;
    const caller = { workspaceId, keyId: '', scope: 'write', projects: [] } as const;
    const call: CallContext = { requestId: runId, caller };
    const request = { id: runId, withLog: false, withConfig: true, withSecrets: true };
    const { configJson, secretsJson } = await crawl.call(Crawl.getRun, request, call);
    const config = { ...JSON.parse(configJson || '{}'), ...JSON.parse(secretsJson ?? '{}') };
    const captureOptions = captureOptionsOf(config);
    if (captureOptions === undefined) return [];
    const recapturePage = makeRecapturePage({ scrape, log }, captureOptions, readingContextOf(runId, config), call);
    const loadContent = makeLoadContent(archive, call);
    const deltas: RecaptureDelta[] = [];
    const deadlineMs = now().getTime() + TOTAL_TIMEOUT_MS;
    for (const first of pages) {
      if (now().getTime() > deadlineMs) break;
      if (!isRecentlyFetched(first, now().getTime())) continue;
      const second = await recapturePage(first.url);
      if (second?.content === undefined || !areComparable(first, second.reading)) continue;
      const delta = await this.#compare(first.pageKey, await loadContent(first), decodeContent(second.content));
      if (delta !== undefined) deltas.push(delta);
    }
    return deltas;
  }

  async #compare(
    pageKey: string,
    first: PageContent | undefined,
    { blocks }: PageContent,
  ): Promise<RecaptureDelta | undefined> {
    if (first === undefined) return undefined;
    const delta = await this.#deps.compare(first.blocks, blocks);
    // A degraded comparison does not say which single blocks differ.
    return delta.isDegraded ? undefined : { pageKey, anchors: sketchAnchors(blocks), delta };
  }

  /** Stores what the recaptures show and completes the job, in one transaction. */
  async #store(job: VolatilityJob, deltas: readonly RecaptureDelta[]): Promise<void> {
    const { pool, jobs, knownPages } = this.#deps;
    const { projectId } = job;
    await inTransaction(pool, async (client) => {
      await lockVolatility(client, projectId, 'exclusive');
      if (!(await jobs.hasLaterRecord(client, job))) {
        const learned = await knownPages.loadVolatility(projectId);
        await writeVolatility(client, projectId, learnFromRecaptures(learned, deltas));
      }
      if (!(await jobs.complete(client, job))) throw new AppError('conflict', 'lease lost to another instance');
    });
  }
}

/** Whether both readings are good, of the same page, made by the same rules, and different. */
const areComparable = (first: PageReading, second: PageReading): boolean =>
  observationOf(second) === 'read' &&
  first.pageKey === second.pageKey &&
  first.contentVariantKey === second.contentVariantKey &&
  first.blocksVersion === second.blocksVersion &&
  first.comparedHash !== second.comparedHash;

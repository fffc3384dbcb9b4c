import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '@tidemark/contracts';
import { CrawlServiceService as CrawlRpc } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { AppError } from '@tidemark/errors';
import { type CallContext, inTransaction, type Peer } from '@tidemark/service';
import type pg from 'pg';
import { invalid } from '../domain/connection-values.ts';
import type { Destination } from '../domain/destination.ts';
import { isEnded, type Sync, type SyncSubject } from '../domain/sync.ts';
import type { DestinationStore } from '../store/destination-store.ts';
import { newestRuns, type ProjectRun, recordProjectRun } from '../store/project-runs.ts';
import { enqueueSyncs } from '../store/sync-store.ts';

const RECRAWL = 'recrawl';
/** Longest wait of a request for its sync, ms. */
const MAX_WAIT_MS = 10_000;
const POLL_MS = 100;

export interface SyncStarterDeps {
  readonly pool: pg.Pool;
  readonly destinations: DestinationStore;
  readonly crawl: Peer;
  /** Starts queued syncs without waiting for the next poll. */
  readonly wake: () => void;
}

/** A scrape, a batch or a crawl that has ended and names a destination. */
export interface EndedJob {
  readonly workspaceId: string;
  readonly destinationId: string;
  readonly kind: 'scrape' | 'batch' | 'crawl';
  readonly id: string;
  readonly endedAt: Date;
  /** Its pages, all of which the archive stores; 0: not known. */
  readonly pages: number;
}

/** Queues syncs: for finished runs, for ended jobs, and by request. */
export class SyncStarter {
  readonly #deps: SyncStarterDeps;

  constructor(deps: SyncStarterDeps) {
    this.#deps = deps;
  }

  /** Queues the automatic syncs of finished runs. Idempotent. */
  async onRunsFinished(runs: readonly RunFinished[]): Promise<void> {
    const { pool, destinations, wake } = this.#deps;
    for (const { runId, projectId, workspaceId, trigger, status, hasCoverage, finishedAt } of runs) {
      const isFullRun = trigger !== RECRAWL;
      // A full run that read nothing would replace the pages of the destination with none.
      const isWritten = isFullRun ? hasCoverage : status === 'done';
      if (!isWritten || projectId === '') continue;
      const runAt = finishedAt ?? new Date();
      await inTransaction(pool, async (client) => {
        if (isFullRun) await recordProjectRun(client, workspaceId, { projectId, runId, finishedAt: runAt });
        const receivers = await destinations.forProject(client, workspaceId, projectId);
        const subject = { projectId, sourceKind: 'run', sourceId: runId, runAt, isFullRun, pages: 0 } as const;
        await enqueueSyncs(client, receivers, { ...subject, workspaceId, trigger: 'automatic', requestId: runId });
      });
    }
    wake();
  }

  /** Queues the syncs of ended jobs. Idempotent: a job has one sync. */
  async onJobsEnded(jobs: readonly EndedJob[]): Promise<void> {
    for (const job of jobs) {
      const destination = await this.#deps.destinations.findForSync(job.workspaceId, job.destinationId);
      if (destination !== undefined) await this.#enqueueJob(destination, job);
    }
    this.#deps.wake();
  }

  /** Writes an ended scrape and waits for it. @returns its sync, ended if it ends in time */
  async syncJob(
    destination: Destination,
    job: EndedJob,
    { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<Sync> {
    const { destinations, wake } = this.#deps;
    await this.#enqueueJob(destination, job);
    wake();
    const until = performance.now() + Math.min(waitMs, MAX_WAIT_MS);
    for (;;) {
      const sync = await destinations.findJobSync(job.workspaceId, destination.id, job.id);
      if (sync === undefined) throw new AppError('conflict', 'the destination was paused or deleted');
      if (isEnded(sync) || performance.now() >= until || signal.aborted) return sync;
      await sleep(POLL_MS);
    }
  }

  /** Queues a sync of a run, or of the newest full runs. @throws AppError not_found, validation */
  async start(
    caller: Caller,
    destination: Destination,
    {
      projectId,
      runId,
      requestId,
    }: { readonly projectId: string | undefined; readonly runId: string | undefined; readonly requestId: string },
  ): Promise<Sync[]> {
    const { pool, destinations } = this.#deps;
    const { scope, projects } = destination;
    if (projectId !== undefined && scope === 'projects' && !projects.includes(projectId))
      throw invalid(['project_id'], 'the destination does not receive this project; expected one of its projects');
    if (runId !== undefined && projectId === undefined) throw invalid(['project_id'], 'is required with run_id');
    const runs =
      runId === undefined || projectId === undefined
        ? (await newestRuns(pool, destination, projectId)).map(toSubject)
        : [await this.#subjectOf({ projectId, runId }, { caller, requestId })];
    if (runs.length === 0) throw new AppError('not_found', 'no run of the project has read a page yet');
    const ids: string[] = [];
    for (const run of runs) {
      const request = { ...run, workspaceId: caller.workspaceId, trigger: 'manual', requestId } as const;
      ids.push(...(await enqueueSyncs(pool, [destination], request)));
    }
    this.#deps.wake();
    return destinations.findSyncs(caller.workspaceId, ids);
  }

  /** Queues the newest run of each project of a destination that was resumed. A run that was written before is not queued again. */
  async syncNewest(destination: Destination, requestId: string): Promise<void> {
    const { pool, wake } = this.#deps;
    const { workspaceId } = destination;
    for (const run of await newestRuns(pool, destination, undefined)) {
      const request = { ...toSubject(run), workspaceId, trigger: 'manual', requestId } as const;
      await enqueueSyncs(pool, [destination], request);
    }
    wake();
  }

  async #enqueueJob(destination: Destination, { workspaceId, kind, id, endedAt, pages }: EndedJob): Promise<void> {
    await enqueueSyncs(this.#deps.pool, [destination], {
      workspaceId,
      projectId: '',
      sourceKind: kind,
      sourceId: id,
      runAt: endedAt,
      isFullRun: false,
      pages,

      trigger: 'request',
      requestId: id,
    });
  }

  /** Reads a run that is to be written. @throws AppError not_found, conflict while it is running */
  async #subjectOf(
    { projectId, runId }: { readonly projectId: string; readonly runId: string },
    call: CallContext,
  ): Promise<SyncSubject> {
    const request = { id: runId, withLog: false, withConfig: false };
    const { run } = await this.#deps.crawl.call(CrawlRpc.getRun, request, call);
    if (run === undefined || run.projectId !== projectId) throw new AppError('not_found', 'run not found');
    if (run.finishedAt === undefined)
      throw new AppError('conflict', 'the run has not ended; start the sync when it has');
    const isFullRun = run.hasCoverage;
    return { projectId, sourceKind: 'run', sourceId: runId, runAt: run.finishedAt, isFullRun, pages: 0 };
  }
}

const toSubject = ({ projectId, runId, finishedAt }: ProjectRun): SyncSubject => ({
  projectId,
  sourceKind: 'run',
  sourceId: runId,
  runAt: finishedAt,
  isFullRun: true,
  pages: 0,
});

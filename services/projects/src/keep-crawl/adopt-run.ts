import { newId, onOwnBehalf } from '@tidemark/contracts';
import { CrawlServiceService as Rpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { AppError, messageOf } from '@tidemark/errors';
import type { Logger, Peer } from '@tidemark/service';
import { mapConcurrently } from '../concurrency/map-concurrently.ts';
import type { RecordRunEnd } from '../health/on-run-finished.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { AdoptionStore, KeptCrawl } from './adoption-store.ts';

const CLAIM_BATCH = 20;
const CONCURRENT_ADOPTIONS = 4;
/** Deadline, ms. The lease of a claim must exceed a few of these. */
const ADOPT_DEADLINE_MS = 3_000;
/** Error codes that a retry does not resolve: the run was deleted, or belongs to another project. */
const PERMANENT: readonly string[] = ['not_found', 'conflict'];

interface AdoptRunDeps {
  readonly adoptions: AdoptionStore;
  readonly crawl: Peer;
  readonly recordRunEnd: RecordRunEnd;
}

/** Assigns the run of a crawl to the project made of it. A run that has ended is then the last run of the project. */
export type AdoptRun = (context: RequestContext, kept: KeptCrawl) => Promise<Run>;

export function makeAdoptRun({ adoptions, crawl, recordRunEnd }: AdoptRunDeps): AdoptRun {
  /** @throws AppError not_found if the run cannot be adopted; unavailable */
  return async (context, kept) => {
    const { runId, projectId } = kept;
    try {
      const options = { deadlineMs: ADOPT_DEADLINE_MS };
      const { run } = await crawl.call(Rpc.adoptRun, { id: runId, projectId }, context, options);
      if (run === undefined) throw new AppError('internal', 'crawl returned no run');
      // Before the event of the run arrives, so that the response has the health of the site.
      if (run.finishedAt !== undefined) await recordRunEnd(toFinished(run, context.caller.workspaceId, projectId));
      await adoptions.finish(projectId, '');
      return run;
    } catch (error) {
      if (!(error instanceof AppError) || !PERMANENT.includes(error.code)) throw error;
      const reason = messageOf(error);
      await adoptions.finish(projectId, reason);
      throw adoptionFailed(kept, reason);
    }
  };
}

/** Returns the event that the end of an adopted run publishes. */
const toFinished = (run: Run, workspaceId: string, projectId: string): RunFinished => ({
  runId: run.id,
  workspaceId,
  projectId,
  trigger: run.trigger,
  status: run.status,
  stop: run.stop,
  finishedAt: run.finishedAt,
  pages: run.done,
  counts: run.counts,
  creditsUsed: run.creditsUsed,
  hasCoverage: run.hasCoverage,
  error: run.error,
});

/** The project stays; the error names it and the reason. */
export const adoptionFailed = ({ projectId }: KeptCrawl, reason: string): AppError =>
  new AppError('not_found', `project ${projectId} was made of this crawl, without its run: ${reason}`);

interface CompleteAdoptionsDeps {
  readonly adoptions: AdoptionStore;
  readonly adoptRun: AdoptRun;
  readonly log: Logger;
}

/** Completes adoptions whose request was interrupted. */
export type CompleteAdoptions = () => Promise<void>;

export function makeCompleteAdoptions({ adoptions, adoptRun, log }: CompleteAdoptionsDeps): CompleteAdoptions {
  return async () => {
    const claimed = await adoptions.claim(CLAIM_BATCH);
    await mapConcurrently(claimed, CONCURRENT_ADOPTIONS, async (kept) => {
      const { workspaceId, projectId, runId } = kept;
      const caller = onOwnBehalf('projects', workspaceId);
      try {
        await adoptRun({ caller, requestId: newId('req') }, kept);
      } catch (error) {
        log.warn({ err: error, project: projectId, run: runId }, 'run of a kept crawl could not be adopted');
      }
    });
  };
}

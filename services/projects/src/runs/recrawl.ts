import { CrawlServiceService as Rpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { RequestContext } from '../request-context.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { RecrawlLease } from './recrawl-lease.ts';
import { recrawlUrls } from './recrawl-urls.ts';
import type { StartRun } from './start-run.ts';

const START_DEADLINE_MS = 9_000;
const UNFINISHED: readonly string[] = ['queued', 'running'];

export interface RecrawlDeps {
  readonly projects: Pick<ProjectStore, 'getSummary'>;
  readonly lease: RecrawlLease;
  readonly startRun: StartRun;
  readonly crawl: Peer;
}

/** Fetches some pages of a project as a separate run, which does not count as a run of the whole site. */
export function makeRecrawl({ projects, lease, startRun, crawl }: RecrawlDeps) {
  const hasUnfinishedRun = async (context: RequestContext, projectId: string): Promise<boolean> => {
    const request = { projectId, limit: 1, cursor: '', fullOnly: false };
    const lists = await Promise.all(
      UNFINISHED.map((status) => crawl.call(Rpc.listRuns, { ...request, status }, context)),
    );
    return lists.some(({ runs }) => runs.length > 0);
  };
  /** @throws AppError not_found, conflict while a run is queued or running, validation, credits_exhausted, tier_limit */
  return async (context: RequestContext, projectId: string, urls: readonly string[]): Promise<Run> => {
    const { seed } = await projects.getSummary(context.caller, projectId);
    const checked = recrawlUrls(urls, seed);
    if (!(await lease.acquire(projectId))) throw hasUnfinished();
    try {
      if (await hasUnfinishedRun(context, projectId)) throw hasUnfinished();
      const start = { trigger: 'recrawl', deadlineMs: START_DEADLINE_MS, urls: checked };
      return await startRun(context, projectId, start);
    } finally {
      await lease.release(projectId);
    }
  };
}

const hasUnfinished = (): AppError => new AppError('conflict', 'a run of this project is queued or running');

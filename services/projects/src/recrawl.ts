import { CrawlServiceService as Rpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { notFound } from './not-found.ts';
import { recrawlUrls } from './recrawl-urls.ts';
import type { Asked, RunStarter } from './run-starter.ts';
import type { ProjectStore } from './store/project-store.ts';
import type { RecrawlTurns } from './store/recrawl-turns.ts';

const START_WITHIN_MS = 9_000;
const UNDER_WAY: readonly string[] = ['queued', 'running'];

export interface RecrawlDeps {
  readonly projects: ProjectStore;
  readonly turns: RecrawlTurns;
  readonly starter: RunStarter;
  readonly crawl: Peer;
}

/** Fetches pages of a project as a run of its own, which never stands in for the site. */
export function makeRecrawl({ projects, turns, starter, crawl }: RecrawlDeps) {
  const refuseUnderWay = async (asked: Asked, projectId: string): Promise<void> => {
    const wish = { projectId, limit: 1, cursor: '', fullOnly: false };
    const found = await Promise.all(UNDER_WAY.map((status) => crawl.call(Rpc.listRuns, { ...wish, status }, asked)));
    if (found.some(({ runs }) => runs.length > 0)) throw underWay();
  };
  /** @throws AppError not_found, conflict while a run is queued or running, validation, credits_exhausted, tier_limit */
  return async (asked: Asked, projectId: string, urls: readonly string[]): Promise<Run> => {
    const project = await projects.findSummary(asked.caller, projectId);
    if (project === undefined) throw notFound();
    const wanted = recrawlUrls(urls, project.seed);
    if (!(await turns.take(projectId))) throw underWay();
    try {
      await refuseUnderWay(asked, projectId);
      return await starter.start(asked, projectId, { trigger: 'recrawl', withinMs: START_WITHIN_MS, urls: wanted });
    } finally {
      await turns.giveBack(projectId);
    }
  };
}

const underWay = (): AppError => new AppError('conflict', 'a run of this project is queued or running');

import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { RequestContext } from '../request-context.ts';
import type { ProjectStore } from '../store/project-store.ts';
import { recrawlUrls } from './recrawl-urls.ts';
import type { StartRun } from './start-run.ts';

const START_DEADLINE_MS = 9_000;

export interface RecrawlDeps {
  readonly projects: Pick<ProjectStore, 'getSummary'>;
  readonly startRun: StartRun;
}

/** Fetches some pages of a project as a separate run, which does not count as a run of the whole site. */
export type Recrawl = (context: RequestContext, projectId: string, urls: readonly string[]) => Promise<Run>;

export function makeRecrawl({ projects, startRun }: RecrawlDeps): Recrawl {
  /** @throws AppError not_found, conflict while a run is queued or running, validation, credits_exhausted, tier_limit */
  return async (context, projectId, urls) => {
    const { seed } = await projects.getSummary(context.caller, projectId);
    const start = { trigger: 'recrawl', deadlineMs: START_DEADLINE_MS, urls: recrawlUrls(urls, seed) };
    return startRun(context, projectId, start);
  };
}

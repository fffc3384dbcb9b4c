import {
  type GetRunResponse,
  type ListRunsResponse,
  CrawlServiceService as Rpc,
  type Run,
} from '@tidemark/contracts/crawl/v1/crawl';
import type { JobStatus } from '@tidemark/contracts/job/v1/job';
import type { Peer } from '@tidemark/service';
import { noSuchRun } from '../domain/not-found.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { ProjectStore } from '../store/project-store.ts';

export interface ListRunsRequest {
  readonly projectId: string;
  /** Undefined: any. */
  readonly status?: JobStatus | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Returns the run that shows the present state of a project; undefined: no run has read pages yet. @throws AppError not_found */
export type PresentRun = (context: RequestContext, projectId: string) => Promise<Run | undefined>;

/** Reads and cancels the runs of a project. Crawl stores the runs; this class checks that the caller may see the project. */
export class ProjectRuns {
  readonly #projects: Pick<ProjectStore, 'check'>;
  readonly #crawl: Peer;

  constructor(projects: Pick<ProjectStore, 'check'>, crawl: Peer) {
    this.#projects = projects;
    this.#crawl = crawl;
  }

  /** Newest first. @throws AppError not_found */
  async list(context: RequestContext, request: ListRunsRequest): Promise<ListRunsResponse> {
    await this.#projects.check(context.caller, request.projectId);
    return this.#crawl.call(Rpc.listRuns, request, context);
  }

  /** Returns the run that shows the present state of a project; undefined: no run has read pages yet. @throws AppError not_found */
  async present(context: RequestContext, projectId: string): Promise<Run | undefined> {
    await this.#projects.check(context.caller, projectId);
    return (await this.#crawl.call(Rpc.getPresentRun, { projectId }, context)).run;
  }

  /** @throws AppError not_found */
  async get(
    context: RequestContext,
    projectId: string,
    runId: string,
    withLog = false,
  ): Promise<GetRunResponse & { run: Run }> {
    await this.#projects.check(context.caller, projectId);
    const response = await this.#crawl.call(Rpc.getRun, { id: runId, withLog, withConfig: false }, context);
    const { run } = response;
    if (run === undefined || run.projectId !== projectId) throw noSuchRun();
    return { ...response, run };
  }

  /** @throws AppError not_found */
  async cancel(context: RequestContext, projectId: string, runId: string): Promise<Run> {
    await this.get(context, projectId, runId);
    const { run } = await this.#crawl.call(Rpc.cancelRun, { id: runId }, context);
    if (run === undefined) throw noSuchRun();
    return run;
  }
}

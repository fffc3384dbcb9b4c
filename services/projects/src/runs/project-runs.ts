import {
  type GetRunResponse,
  type ListRunsResponse,
  CrawlServiceService as Rpc,
  type Run,
} from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { noSuchRun } from '../domain/not-found.ts';
import type { RequestContext } from '../request-context.ts';
import type { ProjectStore } from '../store/project-store.ts';

const STATUSES: readonly string[] = ['', 'queued', 'running', 'done', 'error', 'cancelled'];

export interface ListRunsRequest {
  readonly projectId: string;
  /** Empty: any. */
  readonly status: string;
  readonly limit: number;
  readonly cursor: string;
}

/** Reads and cancels the runs of a project. Crawl stores the runs; this class checks that the caller may see the project. */
export class ProjectRuns {
  readonly #projects: Pick<ProjectStore, 'check'>;
  readonly #crawl: Peer;

  constructor(projects: Pick<ProjectStore, 'check'>, crawl: Peer) {
    this.#projects = projects;
    this.#crawl = crawl;
  }

  /** Newest first. @throws AppError not_found, validation */
  async list(context: RequestContext, request: ListRunsRequest): Promise<ListRunsResponse> {
    const { status, projectId } = request;
    if (!STATUSES.includes(status)) throw new AppError('validation', `v: there is no status "${status}"`);
    await this.#projects.check(context.caller, projectId);
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

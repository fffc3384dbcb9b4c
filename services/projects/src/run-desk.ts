import { type Caller, newId } from '@tidemark/contracts';
import {
  type GetRunResponse,
  type ListRunsResponse,
  CrawlServiceService as Rpc,
  type Run,
} from '@tidemark/contracts/crawl/v1/crawl';
import { AppError, messageOf } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { eachOf } from './each-of.ts';
import { notFound } from './not-found.ts';
import type { Asked, RunStarter } from './run-starter.ts';
import type { DueClaim } from './store/due-store.ts';
import type { ProjectStore } from './store/project-store.ts';

const MOST_STARTED = 1_000;
const STARTED_AT_ONCE = 16;
/** Milliseconds all starts of one request take at most: less than their caller waits. */
const START_ALL_WITHIN_MS = 8_000;
/** A due start ends well before its claim does. */
const START_DUE_WITHIN_MS = 6_000;
const START_WITHIN_MS = 9_000;
const TRIGGERS: readonly string[] = ['manual', 'api'];
const STATUSES: readonly string[] = ['', 'queued', 'running', 'done', 'error', 'cancelled'];

export interface RunDeskDeps {
  readonly projects: ProjectStore;
  readonly starter: RunStarter;
  readonly crawl: Peer;
}

export interface StartOutcome {
  readonly projectId: string;
  readonly run: Run | undefined;
  readonly code: string;
  readonly why: string;
}

export interface RunsWish {
  readonly projectId: string;
  readonly status: string;
  readonly limit: number;
  readonly cursor: string;
  readonly fullOnly: boolean;
}

const noRun = (): AppError => new AppError('not_found', 'there is no such run');

/** Runs of projects: crawl conducts and keeps them, here it is said which of them may be seen and what they are to do. */
export class RunDesk {
  readonly #projects: ProjectStore;
  readonly #starter: RunStarter;
  readonly #crawl: Peer;

  constructor({ projects, starter, crawl }: RunDeskDeps) {
    this.#projects = projects;
    this.#starter = starter;
    this.#crawl = crawl;
  }

  /** @throws AppError not_found, conflict, validation, credits_exhausted, tier_limit */
  async start(asked: Asked, projectId: string, trigger: string, withinMs = START_WITHIN_MS): Promise<Run> {
    const how = trigger === '' ? 'api' : trigger;
    if (!TRIGGERS.includes(how)) throw new AppError('validation', `trigger: expected ${TRIGGERS.join(' or ')}`);
    return this.#starter.start(asked, projectId, { trigger: how, withinMs });
  }

  /** Starts what is due by the schedule: there is one run of it, however often this is called. @throws AppError */
  async startDue({ workspaceId, projectId, runId }: DueClaim): Promise<void> {
    const caller: Caller = { workspaceId, keyId: '', scope: 'write', projects: [] };
    await this.#starter.start({ caller, requestId: newId('req') }, projectId, {
      trigger: 'schedule',
      runId,
      withinMs: START_DUE_WITHIN_MS,
    });
  }

  /** One that can't be started does not hold up the others. */
  async startAll(asked: Asked, projectIds: readonly string[], trigger: string): Promise<StartOutcome[]> {
    const ids = [...new Set(projectIds)];
    if (ids.length > MOST_STARTED) throw new AppError('validation', `project_ids: at most ${MOST_STARTED}`);
    const until = performance.now() + START_ALL_WITHIN_MS;
    return eachOf(ids, STARTED_AT_ONCE, async (projectId) => {
      try {
        const leftMs = until - performance.now();
        if (leftMs <= 0) throw new AppError('unavailable', 'it was not its turn in time; ask again');
        return { projectId, run: await this.start(asked, projectId, trigger, leftMs), code: '', why: '' };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return { projectId, run: undefined, code: error.code, why: messageOf(error) };
      }
    });
  }

  /** Newest first. @throws AppError not_found, validation */
  async list(asked: Asked, wish: RunsWish): Promise<ListRunsResponse> {
    if (!STATUSES.includes(wish.status)) throw new AppError('validation', `v: there is no status "${wish.status}"`);
    await this.#mustSee(asked, wish.projectId);
    return this.#crawl.call(Rpc.listRuns, wish, asked);
  }

  /** @throws AppError not_found */
  async get(asked: Asked, projectId: string, runId: string, withLog = false): Promise<GetRunResponse & { run: Run }> {
    await this.#mustSee(asked, projectId);
    const answer = await this.#crawl.call(Rpc.getRun, { id: runId, withLog, withConfig: false }, asked);
    const { run } = answer;
    if (run === undefined || run.projectId !== projectId) throw noRun();
    return { ...answer, run };
  }

  /** @throws AppError not_found */
  async cancel(asked: Asked, projectId: string, runId: string): Promise<Run> {
    await this.get(asked, projectId, runId);
    const { run } = await this.#crawl.call(Rpc.cancelRun, { id: runId }, asked);
    if (run === undefined) throw noRun();
    return run;
  }

  async #mustSee({ caller }: Asked, projectId: string): Promise<void> {
    if (!(await this.#projects.isThere(caller, projectId))) throw notFound();
  }
}

import { type Caller, newId } from '@tidemark/contracts';
import { CrawlServiceService as Rpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError, messageOf } from '@tidemark/errors';
import type { Logger, Peer } from '@tidemark/service';
import type { CheckChange } from '../checking/check-change.ts';
import { type Masking, mergeConfig, parseConfig } from '../domain/config-values.ts';
import { DEFAULT_KEEPING, type Project } from '../domain/project.ts';
import { eachOf } from '../each-of.ts';
import { type KeepingWish, keepAs } from '../keeping.ts';
import { type Admit, makeProject } from '../new-project.ts';
import { notFound } from '../not-found.ts';
import type { ProjectDesk } from '../project-desk.ts';
import type { Asked } from '../run-starter.ts';
import type { Settle } from '../settle.ts';
import type { ProjectWriter } from '../store/project-writer.ts';
import type { AdoptionStore, Kept } from './adoption-store.ts';

const CLAIMED_AT_ONCE = 20;
const ADOPTED_AT_ONCE = 4;
/** Milliseconds; claims last longer than a few of these. */
const ADOPT_WITHIN_MS = 3_000;
/** What another try won't mend: the run is gone, or another's. */
const FINAL: readonly string[] = ['not_found', 'conflict'];

export interface KeepOrder {
  readonly runId: string;
  readonly name: string;
  readonly keeping: KeepingWish | undefined;
}

export interface KeptCrawl {
  readonly project: Project;
  readonly run: Run | undefined;
  readonly replayed: boolean;
}

export interface CrawlKeeperDeps {
  readonly desk: ProjectDesk;
  readonly writer: ProjectWriter;
  readonly adoptions: AdoptionStore;
  readonly crawl: Peer;
  readonly masking: Masking;
  readonly settle: Settle;
  readonly checkChange: CheckChange;
  readonly admit: Admit;
  readonly now: () => Date;
  readonly log: Logger;
}

/**
 * Makes projects of crawls, their runs in place. The project remembers the run it was made of from the statement on that makes it, and
 * only then is the run adopted: whoever asks again finds the same project, and what was cut off in between is gone on with by anyone.
 */
export class CrawlKeeper {
  readonly #deps: CrawlKeeperDeps;

  constructor(deps: CrawlKeeperDeps) {
    this.#deps = deps;
  }

  /** @throws AppError not_found, forbidden, conflict where the run has a project already, validation, plan_limit */
  async keep(asked: Asked, order: KeepOrder): Promise<KeptCrawl> {
    const { adoptions } = this.#deps;
    const { caller } = asked;
    const earlier = await adoptions.find(caller.workspaceId, order.runId);
    if (earlier !== undefined) return this.#adopted(asked, earlier, true);
    const isFirst = await this.#make(asked, order);
    const kept = await adoptions.find(caller.workspaceId, order.runId);
    if (kept === undefined) throw notFound();
    return this.#adopted(asked, kept, !isFirst);
  }

  /** Makes the project. @returns false where another request was first */
  async #make(asked: Asked, { runId, name, keeping: wish }: KeepOrder): Promise<boolean> {
    const { crawl, desk, writer, masking, settle, checkChange, admit, now } = this.#deps;
    const { caller } = asked;
    const { run, configJson } = await crawl.call(Rpc.getRun, { id: runId, withLog: false, withConfig: true }, asked);
    if (run === undefined) throw noRun();
    await desk.checkRoom(caller);
    if (run.projectId !== '') throw new AppError('conflict', 'this run is a project’s already');
    const at = now();
    const keeping = keepAs(wish, DEFAULT_KEEPING, at);
    // A secret that came masked is none, and is not saved for one.
    const config = mergeConfig({}, parseConfig(configJson), masking);
    settle(config);
    await checkChange(asked, { seed: run.seed, change: config });
    const { workspaceId } = caller;
    const project = await makeProject({ workspaceId, seed: run.seed, name, keeping, config }, admit, at);
    return writer.create(project, undefined, runId);
  }

  async #adopted(asked: Asked, kept: Kept, replayed: boolean): Promise<KeptCrawl> {
    const { desk } = this.#deps;
    // A key that may not see the project is told of neither.
    const project = await desk.get(asked.caller, kept.projectId).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'not_found' ? noRun() : error;
    });
    if (kept.why !== '') throw gone(kept, kept.why);
    if (kept.isOpen) return { project, run: await this.#adopt(asked, kept), replayed };
    return { project, run: await this.#runOf(asked, kept), replayed };
  }

  /** Undefined once its retention is over. */
  async #runOf(asked: Asked, { runId }: Kept): Promise<Run | undefined> {
    try {
      return (await this.#deps.crawl.call(Rpc.getRun, { id: runId, withLog: false, withConfig: false }, asked)).run;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  async #adopt(asked: Asked, kept: Kept): Promise<Run> {
    const { adoptions, crawl } = this.#deps;
    const { runId, projectId } = kept;
    try {
      const { run } = await crawl.call(Rpc.adoptRun, { id: runId, projectId }, asked, { deadlineMs: ADOPT_WITHIN_MS });
      if (run === undefined) throw new AppError('internal', 'a run was adopted and not told');
      await adoptions.settle(projectId, '');
      return run;
    } catch (error) {
      if (!(error instanceof AppError) || !FINAL.includes(error.code)) throw error;
      const why = messageOf(error);
      await adoptions.settle(projectId, why);
      throw gone(kept, why);
    }
  }

  /** Goes on with adoptions that were cut off. Those of runs that are gone end: the project stays without one. */
  async completeAdoptions(): Promise<void> {
    const { adoptions, log } = this.#deps;
    const claimed = await adoptions.claim(CLAIMED_AT_ONCE);
    await eachOf(claimed, ADOPTED_AT_ONCE, async (kept) => {
      const { workspaceId, projectId, runId } = kept;
      const caller: Caller = { workspaceId, keyId: '', scope: 'write', projects: [] };
      try {
        await this.#adopt({ caller, requestId: newId('req') }, kept);
      } catch (error) {
        log.warn({ err: error, project: projectId, run: runId }, 'the run of a kept crawl could not be adopted');
      }
    });
  }
}

const noRun = (): AppError => new AppError('not_found', 'there is no such run');

/** The project stays, and whoever asks is told that it has no run of the crawl. */
const gone = ({ projectId }: Kept, why: string): AppError =>
  new AppError('not_found', `project ${projectId} was made of this crawl, without its run: ${why}`);

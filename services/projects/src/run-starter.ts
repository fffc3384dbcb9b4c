import { type Caller, newId } from '@tidemark/contracts';
import { CrawlServiceService as Rpc, type Run, type StartRunRequest } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { loginGone, loginOf } from './domain/login.ts';
import type { Project } from './domain/project.ts';
import type { SavedLogins } from './logins/saved-logins.ts';
import { notFound } from './not-found.ts';
import { type Settle, settleSaved } from './settle.ts';
import type { ProjectStore } from './store/project-store.ts';

/** Who asks, and under which request. */
export type Asked = CallContext & { readonly caller: Caller };

export interface StartHow {
  readonly trigger: string;
  /** The id the run is to have; absent: any. */
  readonly runId?: string;
  readonly withinMs: number;
  /** The pages of a recrawl: these alone. */
  readonly urls?: readonly string[];
}

export interface RunStarterDeps {
  readonly projects: ProjectStore;
  readonly logins: Pick<SavedLogins, 'recordRun'>;
  readonly crawl: Peer;
  readonly settle: Settle;
  /** Whether a setting is a secret: it stays here. */
  readonly isSecret: (key: string) => boolean;
}

/** Has a run of a project started by what is saved of it. */
export class RunStarter {
  readonly #deps: RunStarterDeps;

  constructor(deps: RunStarterDeps) {
    this.#deps = deps;
  }

  /** @throws AppError not_found, conflict, validation, credits_exhausted, tier_limit */
  async start(asked: Asked, projectId: string, how: StartHow): Promise<Run> {
    const { projects, crawl, settle } = this.#deps;
    const project = await projects.find(asked.caller, projectId);
    if (project === undefined) throw notFound();
    const { scope, options } = settleSaved(project.config, settle);
    const told = Object.entries(project.config).filter(([key]) => !this.#deps.isSecret(key));
    const { urls } = how;
    const order: StartRunRequest = {
      seed: project.seed,
      scope:
        urls === undefined ? scope : { ...scope, urlList: [...urls], maxPages: Math.max(scope.maxPages, urls.length) },
      options: { ...options, ...comparedBy(project.config) },
      trigger: how.trigger,
      projectId,
      webhookUrl: '',
      webhookEvents: [],
      webhookMetadata: '',
      idempotencyKey: '',
      requestHash: '',
      runId: await this.#withLogin(asked, project, how.runId),
      configJson: JSON.stringify(Object.fromEntries(told)),
    };
    const { run } = await crawl.call(Rpc.startRun, order, asked, { deadlineMs: how.withinMs });
    if (run === undefined) throw new AppError('internal', 'a run was started and not told');
    return run;
  }

  /** The id the run is to have. One that is fetched with a saved login has it before it starts, so that how it ends says how good that is. */
  async #withLogin(asked: Asked, { config }: Project, runId: string | undefined): Promise<string | undefined> {
    const login = loginOf(config);
    if (login === undefined) return runId;
    const id = runId ?? newId('run');
    if (!(await this.#deps.logins.recordRun(asked, login, id))) throw loginGone();
    return id;
  }
}

/** What runs that are compared with others need of each page. */
function comparedBy({ volatile_selectors: selectors }: Project['config']) {
  return {
    cutBlocks: true,
    volatileSelectors: { selectors: Array.isArray(selectors) ? selectors.map(String) : [] },
  };
}

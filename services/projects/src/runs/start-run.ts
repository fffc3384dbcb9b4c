import { newId } from '@tidemark/contracts';
import { CrawlServiceService as Rpc, type Run, type StartRunRequest } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunTrigger } from '@tidemark/contracts/job/v1/job';
import { AppError } from '@tidemark/errors';
import { comparisonOptions, toRunConfig } from '@tidemark/project-config';
import type { Peer } from '@tidemark/service';
import { loginIdOf, noSuchLogin } from '../domain/login.ts';
import type { Project } from '../domain/project.ts';
import type { SavedLogins } from '../logins/saved-logins.ts';
import { type ResolvedConfig, resolveSaved } from '../project-config/resolve-config.ts';
import type { SealModel } from '../project-config/seal-model.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { ProjectStore } from '../store/project-store.ts';

export interface RunStart {
  readonly trigger: RunTrigger;
  /** ID of the run, so that a repeated start creates no second run; absent: generated. */
  readonly runId?: string;
  readonly deadlineMs: number;
  /** The only URLs to fetch, for a recrawl. */
  readonly urls?: readonly string[];
}

/** Starts a run of a project with its saved config. @throws AppError not_found, conflict, validation, credits_exhausted, tier_limit */
export type StartRun = (context: RequestContext, projectId: string, start: RunStart) => Promise<Run>;

export interface StartRunDeps {
  readonly projects: Pick<ProjectStore, 'get'>;
  readonly logins: Pick<SavedLogins, 'recordRun'>;
  readonly crawl: Peer;
  /** Adds the model of an extraction to the options of a run. */
  readonly sealModel: SealModel;
}

export function makeStartRun({ projects, logins, crawl, sealModel }: StartRunDeps): StartRun {
  return async (context, projectId, start) => {
    const project = await projects.get(context.caller, projectId);
    const { config } = project;
    const { scope, options } = resolveSaved(config);
    const runId = await recordLogin(logins, context, { config, runId: start.runId });
    const request: StartRunRequest = {
      seed: project.seed,
      scope: limitToUrls(scope, start.urls),
      options: { ...(await sealModel(options, context)), ...comparisonOptions(config) },
      trigger: start.trigger,
      projectId,
      webhookEvents: [],
      requestHash: '',
      runId,
      ...configOf(config),
    };
    const { run } = await crawl.call(Rpc.startRun, request, context, { deadlineMs: start.deadlineMs });
    if (run === undefined) throw new AppError('internal', 'crawl returned no run');
    return run;
  };
}

/**
 * Records which saved login the run uses, before it starts: its end then updates the state of that login.
 * @returns the run's ID @throws AppError not_found if there is no such login
 */
async function recordLogin(
  logins: StartRunDeps['logins'],
  context: RequestContext,
  { config, runId }: { readonly config: Project['config']; readonly runId: string | undefined },
): Promise<string | undefined> {
  const loginId = loginIdOf(config);
  if (loginId === undefined) return runId;
  const id = runId ?? newId('run');
  if (!(await logins.recordRun(context, loginId, id))) throw noSuchLogin();
  return id;
}

/** Settings of other services, which are read from the project when a message is sent. */
const RECEIVERS: readonly string[] = ['webhook_url', 'chat_url'];

/** Returns the config as crawl stores it: masked, and the secrets of its requests apart. */
function configOf(config: Project['config']) {
  const ofRun = Object.fromEntries(Object.entries(config).filter(([key]) => !RECEIVERS.includes(key)));
  return toRunConfig(ofRun);
}

const limitToUrls = (scope: ResolvedConfig['scope'], urls: readonly string[] | undefined): ResolvedConfig['scope'] =>
  urls === undefined ? scope : { ...scope, urlList: [...urls], maxPages: Math.max(scope.maxPages, urls.length) };

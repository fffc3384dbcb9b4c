import { CrawlServiceService as Rpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { fromConfigMessage } from '@tidemark/project-config';
import type { Peer } from '@tidemark/service';
import type { AdmitUrl } from '../domain/admit-url.ts';
import { mergeConfig } from '../domain/config-values.ts';
import { noSuchProject, noSuchRun } from '../domain/not-found.ts';
import { DEFAULT_SETTINGS, type Project } from '../domain/project.ts';
import type { CheckConfigChange } from '../project-config/check-config-change.ts';
import { masking } from '../project-config/masking.ts';
import { resolveConfig } from '../project-config/resolve-config.ts';
import { newProject } from '../projects/new-project.ts';
import type { ProjectQuota } from '../projects/project-quota.ts';
import { mergeSettings, type SettingsChange } from '../projects/project-settings.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { ProjectWriter } from '../store/project-writer.ts';
import { type AdoptRun, adoptionFailed } from './adopt-run.ts';
import type { AdoptionStore, KeptCrawl } from './adoption-store.ts';

export interface KeepCrawlRequest {
  readonly runId: string;
  readonly name: string;
  readonly settings: SettingsChange | undefined;
}

export interface KeepCrawlResult {
  readonly project: Project;
  readonly run: Run | undefined;
  readonly replayed: boolean;
}

export interface KeepCrawlDeps {
  readonly projects: ProjectStore;
  readonly writer: ProjectWriter;
  readonly quota: ProjectQuota;
  readonly adoptions: AdoptionStore;
  readonly adoptRun: AdoptRun;
  readonly crawl: Peer;
  readonly checkConfigChange: CheckConfigChange;
  readonly admit: AdmitUrl;
  readonly now: () => Date;
}

/**
 * Creates a project of a crawl and adopts the crawl's run. The insert of the project stores the run's ID, which is unique, before the run is
 * adopted: a repeated request finds the same project, and an interrupted adoption is completed later by any instance.
 */
export type KeepCrawl = (context: RequestContext, request: KeepCrawlRequest) => Promise<KeepCrawlResult>;

export function makeKeepCrawl(deps: KeepCrawlDeps): KeepCrawl {
  const { adoptions } = deps;
  /** @throws AppError not_found, forbidden, conflict if the run has a project already, validation, plan_limit */
  return async (context, request) => {
    const { workspaceId } = context.caller;
    const earlier = await adoptions.find(workspaceId, request.runId);
    const isInserted = earlier === undefined && (await insertProject(deps, context, request));
    const kept = earlier ?? (await adoptions.find(workspaceId, request.runId));
    if (kept === undefined) throw noSuchProject();
    const visible = await readProject(deps, context, kept);
    if (kept.error !== '') throw adoptionFailed(kept, kept.error);
    if (!kept.isPending)
      return { project: visible, run: await findRun(deps.crawl, context, kept), replayed: !isInserted };
    const run = await deps.adoptRun(context, kept);
    return { project: await readProject(deps, context, kept), run, replayed: !isInserted };
  };
}

/** Inserts the project, with the crawl's seed and config. @returns false if a concurrent request inserted it first */
async function insertProject(
  { crawl, quota, writer, checkConfigChange, admit, now }: KeepCrawlDeps,
  context: RequestContext,
  { runId, name, settings: change }: KeepCrawlRequest,
): Promise<boolean> {
  const { caller } = context;
  const request = { id: runId, withLog: false, withConfig: true, withSecrets: true };
  const { run, config: masked, secrets } = await crawl.call(Rpc.getRun, request, context);
  if (run === undefined) throw noSuchRun();
  await quota.check(caller);
  if (run.projectId !== undefined) throw new AppError('conflict', 'this run is a project’s already');
  const at = now();
  const settings = mergeSettings(change, DEFAULT_SETTINGS, at);
  // The config is masked; its secrets are apart.
  const withoutMasks = Object.entries(fromConfigMessage(masked)).filter(([key]) => !masking.isSecret(key));
  const given = { ...Object.fromEntries(withoutMasks), ...fromConfigMessage(secrets) };
  const config = mergeConfig({}, given, masking);
  resolveConfig(config);
  await checkConfigChange(context, { seed: run.seed, change: config, saved: {} });
  const project = await newProject({ caller, seed: run.seed, name, settings, config }, admit, at);
  return writer.create(project, undefined, runId);
}

/** For a key that may not see the project, the run is not found either. @throws AppError not_found */
async function readProject({ projects }: KeepCrawlDeps, { caller }: RequestContext, kept: KeptCrawl): Promise<Project> {
  const project = await projects.find(caller, kept.projectId);
  if (project === undefined) throw noSuchRun();
  return project;
}

/** Returns the adopted run; undefined after its retention. */
async function findRun(crawl: Peer, context: RequestContext, { runId }: KeptCrawl): Promise<Run | undefined> {
  try {
    return (await crawl.call(Rpc.getRun, { id: runId, withLog: false, withConfig: false }, context)).run;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

import type { AdmitUrl } from '../domain/admit-url.ts';
import { type ConfigValues, mergeConfig } from '../domain/config-values.ts';
import { DEFAULT_SETTINGS, type Project } from '../domain/project.ts';
import type { CheckLogin } from '../logins/check-login.ts';
import type { CheckConfigChange } from '../project-config/check-config-change.ts';
import { masking } from '../project-config/masking.ts';
import { resolveConfig } from '../project-config/resolve-config.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { Idempotency } from '../store/project-writer.ts';
import type { IdempotentInsert } from './idempotent-insert.ts';
import { newProject } from './new-project.ts';
import type { ProjectQuota } from './project-quota.ts';
import { mergeSettings, type SettingsChange } from './project-settings.ts';

export interface CreateProjectDeps {
  readonly projects: ProjectStore;
  readonly inserts: IdempotentInsert;
  readonly quota: ProjectQuota;
  readonly admit: AdmitUrl;
  readonly checkLogin: CheckLogin;
  readonly checkConfigChange: CheckConfigChange;
  readonly now: () => Date;
}

export interface CreateProjectRequest {
  readonly seed: string;
  readonly name: string;
  /** Empty: none. */
  readonly reference: string;
  readonly tags: readonly string[];
  readonly settings: SettingsChange | undefined;
  readonly config: ConfigValues;
  readonly idempotency: Idempotency | undefined;
}

export interface CreatedProject {
  readonly project: Project;
  /** Whether an earlier request with the same key created it; the project is then as it was created. */
  readonly replayed: boolean;
  /** The request that created it. */
  readonly requestId: string;
}

/** Creates one project; a replayed request gets the first response. */
export type CreateProject = (context: RequestContext, request: CreateProjectRequest) => Promise<CreatedProject>;

export function makeCreateProject(deps: CreateProjectDeps): CreateProject {
  const { projects, inserts, quota, admit, checkLogin, checkConfigChange, now } = deps;
  /** @throws AppError validation, forbidden, conflict, plan_limit */
  return async (context, request) => {
    const { caller, requestId } = context;
    const { seed, name, reference, tags, idempotency } = request;
    const replay = await inserts.findReplay(caller, idempotency);
    if (replay !== undefined) return { ...replay, replayed: true };
    await quota.check(caller);
    const at = now();
    const settings = mergeSettings(request.settings, DEFAULT_SETTINGS, at);
    const config = mergeConfig({}, request.config, masking);
    resolveConfig(config);
    await checkLogin(context, request.config);
    const project = await newProject({ caller, seed, name, reference, tags, settings, config }, admit, at);
    await checkConfigChange(context, { seed: project.seed, change: config, saved: {} });
    const earlier = await inserts.insert(caller, project, idempotency);
    if (earlier !== undefined) return { ...earlier, replayed: true };
    return { project: await projects.get(caller, project.id), replayed: false, requestId };
  };
}

import { isDeepStrictEqual } from 'node:util';
import { AppError } from '@tidemark/errors';
import { sameSite } from '@tidemark/web-url';
import type { AdmitUrl } from '../domain/admit-url.ts';
import { type ConfigValues, mergeConfig, sameConfig } from '../domain/config-values.ts';
import { noSuchProject } from '../domain/not-found.ts';
import type { Project } from '../domain/project.ts';
import type { CheckLogin } from '../logins/check-login.ts';
import type { CheckConfigChange } from '../project-config/check-config-change.ts';
import { checkTags } from '../project-config/check-tags.ts';
import { masking } from '../project-config/masking.ts';
import { resolveConfig } from '../project-config/resolve-config.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { PresentRun } from '../runs/project-runs.ts';
import { dueAfter } from '../schedule/due-times.ts';
import type { LockedProject, ProjectChange } from '../store/project-change.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { ProjectWriter } from '../store/project-writer.ts';
import { normalizeSeed } from './new-project.ts';
import { checkName, checkReference, mergeSettings, type SettingsChange } from './project-settings.ts';

export interface UpdateProjectDeps {
  readonly projects: ProjectStore;
  readonly writer: ProjectWriter;
  readonly checkLogin: CheckLogin;
  readonly checkConfigChange: CheckConfigChange;
  readonly presentRun: PresentRun;
  readonly admit: AdmitUrl;
  readonly now: () => Date;
}

export interface UpdateProjectRequest {
  /** Undefined: unchanged. */
  readonly name: string | undefined;
  /** Undefined: unchanged. */
  readonly seed: string | undefined;
  /** Undefined: unchanged. */
  readonly reference: string | undefined;
  /** Undefined: unchanged. */
  readonly tags: readonly string[] | undefined;
  readonly settings: SettingsChange | undefined;
  readonly config: ConfigValues;
}

/** Changes name, reference, tags, settings and config of a project. */
export type UpdateProject = (context: RequestContext, id: string, request: UpdateProjectRequest) => Promise<Project>;

export function makeUpdateProject({
  projects,
  writer,
  checkLogin,
  checkConfigChange,
  presentRun,
  admit,
  now,
}: UpdateProjectDeps): UpdateProject {
  /** @throws AppError not_found, validation, too_large, conflict */
  return async (context, id, request) => {
    const { caller } = context;
    const at = now();
    const { seed: earlier } = await projects.getSummary(caller, id);
    const seed = request.seed === undefined ? earlier : normalizeSeed(request.seed);
    if (seed !== earlier) {
      await admit(seed, 'seed');
      if (!sameSite(seed, earlier) && (await presentRun(context, id)) !== undefined) throw otherSite();
    }
    await checkLogin(context, request.config);
    const saved = request.config['alerts'] === undefined ? {} : (await projects.get(caller, id)).config;
    await checkConfigChange(context, { seed, change: request.config, saved });
    const isFound = await writer.change(caller, [id], at, (project) => changeOf(project, { ...request, seed }, at));
    if (!isFound) throw noSuchProject();
    return projects.get(caller, id);
  };
}

/** Returns the new values of a locked project; undefined: the request changes nothing. @throws AppError validation, too_large */
function changeOf(
  project: LockedProject,
  request: UpdateProjectRequest & { readonly seed: string },
  at: Date,
): ProjectChange | undefined {
  const settings = mergeSettings(request.settings, project, at);
  const config = mergeConfig(project.config, request.config, masking);
  const isSameConfig = sameConfig(config, project.config);
  if (!isSameConfig) resolveConfig(config);
  const hasNewSchedule = settings.schedule !== project.schedule || settings.timezone !== project.timezone;
  const name = request.name === undefined ? project.name : checkName(request.name);
  const reference = request.reference === undefined ? project.reference : checkReference(request.reference);
  const tags = request.tags === undefined ? project.tags : checkTags(request.tags);
  const isSameNaming =
    name === project.name && reference === project.reference && isDeepStrictEqual(tags, project.tags);
  const hasSameSettings = !hasNewSchedule && settings.retentionDays === project.retentionDays;
  const { seed } = request;
  if (isSameConfig && hasSameSettings && isSameNaming && seed === project.seed) return undefined;
  return {
    ...settings,
    name,
    reference,
    tags,
    seed,
    nextDue: hasNewSchedule ? dueAfter(settings, project.id, at) : project.nextDue,
    config: isSameConfig ? undefined : config,
  };
}

const otherSite = (): AppError =>
  new AppError(
    'conflict',
    'seed: the project has pages of another site, which its next run would report as removed; create a project for the new site',
    { detail: [{ loc: ['body', 'seed'], msg: 'expected a URL of the same site', type: 'other_site' }] },
  );

import { AppError } from '@tidemark/errors';
import { type ConfigValues, changedKeys, type Masking, pickKeys, sameConfig } from '../domain/config-values.ts';
import { noSuchProject } from '../domain/not-found.ts';
import type { Project } from '../domain/project.ts';
import type { CheckLogin } from '../logins/check-login.ts';
import type { CheckConfigChange } from '../project-config/check-config-change.ts';
import { masking } from '../project-config/masking.ts';
import { resolveConfig } from '../project-config/resolve-config.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { ProjectWriter } from '../store/project-writer.ts';
import type { ConfigVersions } from './config-versions.ts';

interface RestoreConfigDeps {
  readonly projects: ProjectStore;
  readonly writer: ProjectWriter;
  readonly versions: ConfigVersions;
  readonly checkLogin: CheckLogin;
  readonly checkConfigChange: CheckConfigChange;
  readonly now: () => Date;
}

export interface Restored {
  readonly project: Project;
  /** Keys with secrets that the current config does not have any more: they keep their current values. */
  readonly notRestored: readonly string[];
}

/** Saves an earlier version of a config as a new version. */
export type RestoreConfig = (context: RequestContext, id: string, version: number) => Promise<Restored>;

export function makeRestoreConfig(deps: RestoreConfigDeps): RestoreConfig {
  const { projects, writer, versions, checkLogin, checkConfigChange, now } = deps;
  /** @throws AppError not_found, validation */
  return async (context, id, version) => {
    const { caller } = context;
    const earlier = await versions.find(caller, id, version);
    if (earlier === undefined)
      throw new AppError('not_found', 'configuration version not found; the newest 50 versions of a project are kept');
    const current = await projects.get(caller, id);
    const differing = changedKeys(current.config, earlier.config).filter((key) => !masking.isSecret(key));
    const change = pickKeys(earlier.config, differing);
    await checkLogin(context, change);
    await checkConfigChange(context, { seed: current.seed, change, saved: current.config });
    let notRestored: readonly string[] = [];
    const isFound = await writer.change(caller, [id], now(), (project) => {
      const restored = restoreConfig(project.config, earlier.config, masking);
      ({ notRestored } = restored);
      if (sameConfig(restored.config, project.config)) return undefined;
      resolveConfig(restored.config);
      return { ...project, config: restored.config, restoredFrom: version };
    });
    if (!isFound) throw noSuchProject();
    return { project: await projects.get(caller, id), notRestored };
  };
}

/** Replaces the masks of an earlier config by the current secrets that they stand for. A secret that does not match keeps its current value. */
function restoreConfig(
  current: ConfigValues,
  earlier: ConfigValues,
  { isSecret, restore }: Masking,
): { readonly config: ConfigValues; readonly notRestored: readonly string[] } {
  const config = new Map<string, unknown>();
  const notRestored: string[] = [];
  for (const [key, value] of Object.entries(earlier)) {
    try {
      config.set(key, isSecret(key) ? restore(key, value, current[key]) : value);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'validation') throw error;
      notRestored.push(key);
      if (key in current) config.set(key, current[key]);
    }
  }
  return { config: Object.fromEntries(config), notRestored };
}

import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { checkCopies, copyableTo, copyKeys, isSameHost, pickKeys, sameConfig } from '../domain/config-values.ts';
import { noSuchProject } from '../domain/not-found.ts';
import { masking } from '../project-config/masking.ts';
import { resolveConfig } from '../project-config/resolve-config.ts';
import type { LockedProject, ProjectChange } from '../store/project-change.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { ProjectWriter } from '../store/project-writer.ts';

const MAX_TARGETS = 1_000;

interface ApplyConfigDeps {
  readonly projects: ProjectStore;
  readonly writer: ProjectWriter;
  readonly now: () => Date;
}

export interface ApplyConfigRequest {
  /** Project whose saved config is copied. */
  readonly sourceId: string;
  readonly targetIds: readonly string[];
  readonly keys: readonly string[];
}

export interface Applied {
  readonly projectId: string;
  readonly configVersion: number;
  readonly changed: boolean;
}

/**
 * Copies config keys of one project to others: to all of them, or to none if one is not found. Secrets of a site are copied to projects of
 * its host only: a key cannot read them, and cannot have them sent elsewhere.
 */
export type ApplyConfig = (caller: Caller, request: ApplyConfigRequest) => Promise<Applied[]>;

export function makeApplyConfig({ projects, writer, now }: ApplyConfigDeps): ApplyConfig {
  /** @throws AppError not_found, validation, too_large */
  return async (caller, { sourceId, targetIds, keys }) => {
    const ids = [...new Set(targetIds)];
    if (ids.length > MAX_TARGETS) throw new AppError('validation', `project_ids: at most ${MAX_TARGETS}`);
    const { config: source, seed } = await projects.get(caller, sourceId);
    checkCopies(pickKeys(source, keys), ids.length);
    const changed = new Set<string>();
    const copyTo = (target: LockedProject): ProjectChange | undefined => {
      const copyable = isSameHost(seed, target.seed) ? source : copyableTo(target.config, source, masking);
      const config = copyKeys(copyable, target.config, keys);
      if (sameConfig(config, target.config)) return undefined;
      resolveConfig(config);
      changed.add(target.id);
      return { ...target, config };
    };
    if (!(await writer.change(caller, ids, now(), copyTo))) throw noSuchProject();
    const versions = await projects.versions(caller, ids);
    return ids.map((projectId) => ({
      projectId,
      configVersion: versions.get(projectId) ?? 0,
      changed: changed.has(projectId),
    }));
  };
}

import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { toConfigMessage } from '@tidemark/project-config';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { ConfigVersions } from '../config-versions/config-versions.ts';
import type { RestoreConfig } from '../config-versions/restore-config.ts';
import { contextOf } from './context-of.ts';
import type { ToWire } from './to-wire.ts';

const MAX_LIMIT = 100;

interface ConfigVersionDeps {
  readonly versions: ConfigVersions;
  readonly restoreConfig: RestoreConfig;
}

/** The RPCs of the versions of project configs. */
export function configVersionMethods({ versions, restoreConfig }: ConfigVersionDeps, toWire: ToWire): BoundMethod[] {
  return [
    handle(Rpc.listConfigVersions, async ({ projectId, before, limit }, ctx) => {
      const range = { before, limit: Math.min(Math.max(limit, 1), MAX_LIMIT) };
      const found = await versions.list(callerOf(ctx), projectId, range);
      const rows = found.versions.map(({ config, keys, ...version }) => ({
        ...version,
        keys: [...keys],
        config: toConfigMessage(config),
      }));
      return { versions: rows, isMore: found.isMore };
    }),
    handle(Rpc.restoreConfigVersion, async ({ projectId, version }, ctx) => {
      const { project, notRestored } = await restoreConfig(contextOf(ctx), projectId, version);
      return { project: toWire(project), notRestored: [...notRestored] };
    }),
  ];
}

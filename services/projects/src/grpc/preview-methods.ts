import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { fromConfigChange } from '@tidemark/project-config';
import { type BoundMethod, handle } from '@tidemark/service';
import type { ConfigPreviews } from '../previews/config-previews.ts';
import { contextOf } from './context-of.ts';
import type { ToWire } from './to-wire.ts';

/** The RPCs that show what a config would do. */
export function previewMethods(previews: ConfigPreviews, toWire: ToWire): BoundMethod[] {
  return [
    handle(Rpc.dryRun, async ({ projectId, change }, ctx) => ({
      result: await previews.dryRun(contextOf(ctx), projectId, fromConfigChange(change), ctx.signal),
    })),
    handle(Rpc.sources, async ({ projectId }, ctx) => previews.sources(contextOf(ctx), projectId, ctx.signal)),
    handle(Rpc.previewSources, async ({ projectId, change }, ctx) => ({
      preview: await previews.previewSources(contextOf(ctx), projectId, fromConfigChange(change), ctx.signal),
    })),
    handle(Rpc.resolveConfig, async ({ projectId, change }, ctx) => {
      const { project, scope, options } = await previews.resolve(contextOf(ctx), projectId, fromConfigChange(change));
      return { scope, options, project: toWire(project) };
    }),
  ];
}

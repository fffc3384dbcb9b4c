import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { type BoundMethod, handle } from '@tidemark/service';
import type { ConfigPreviews } from '../previews/config-previews.ts';
import { contextOf } from './context-of.ts';
import type { ToWire } from './to-wire.ts';

/** The RPCs that show what a config would do. */
export function previewMethods(previews: ConfigPreviews, toWire: ToWire): BoundMethod[] {
  return [
    handle(Rpc.dryRun, async ({ projectId, configJson }, ctx) => ({
      result: await previews.dryRun(contextOf(ctx), projectId, configJson, ctx.signal),
    })),
    handle(Rpc.sources, async ({ projectId }, ctx) => previews.sources(contextOf(ctx), projectId, ctx.signal)),
    handle(Rpc.previewSources, async ({ projectId, configJson }, ctx) => ({
      preview: await previews.previewSources(contextOf(ctx), projectId, configJson, ctx.signal),
    })),
    handle(Rpc.resolveConfig, async ({ projectId, configJson }, ctx) => {
      const { project, scope, options } = await previews.resolve(contextOf(ctx), projectId, configJson);
      return { scope, options, project: toWire(project) };
    }),
  ];
}

import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { type BoundMethod, handle } from '@tidemark/service';
import type { CrawlKeeper } from '../keep/crawl-keeper.ts';
import type { PreviewDesk } from '../preview-desk.ts';
import type { makeRecrawl } from '../recrawl.ts';
import type { RunDesk } from '../run-desk.ts';
import { askedBy } from './asked-by.ts';
import type { ToWire } from './project-methods.ts';

export interface RunsFace {
  readonly runs: RunDesk;
  readonly recrawl: ReturnType<typeof makeRecrawl>;
  readonly previews: PreviewDesk;
  readonly keeper: CrawlKeeper;
  readonly toWire: ToWire;
}

/** Runs of projects, crawls made projects of, and what a run would do. */
export function runMethods({ runs, recrawl, previews, keeper, toWire }: RunsFace): BoundMethod[] {
  return [
    handle(Rpc.startRun, async ({ projectId, trigger }, ctx) => ({
      run: await runs.start(askedBy(ctx), projectId, trigger),
    })),
    handle(Rpc.startRuns, async ({ projectIds, trigger }, ctx) => ({
      outcomes: await runs.startAll(askedBy(ctx), projectIds, trigger),
    })),
    handle(Rpc.recrawl, async ({ projectId, urls }, ctx) => ({
      run: await recrawl(askedBy(ctx), projectId, urls),
    })),
    handle(Rpc.listRuns, async (wish, ctx) => runs.list(askedBy(ctx), wish)),
    handle(Rpc.getRun, async ({ projectId, runId, withLog }, ctx) => {
      const { run, log } = await runs.get(askedBy(ctx), projectId, runId, withLog);
      return { run, log };
    }),
    handle(Rpc.cancelRun, async ({ projectId, runId }, ctx) => ({
      run: await runs.cancel(askedBy(ctx), projectId, runId),
    })),
    handle(Rpc.keepCrawl, async (order, ctx) => {
      const { project, run, replayed } = await keeper.keep(askedBy(ctx), order);
      return { project: toWire(project), run, replayed };
    }),
    handle(Rpc.dryRun, async ({ projectId, configJson }, ctx) => ({
      result: await previews.dryRun(askedBy(ctx), projectId, configJson, ctx.signal),
    })),
    handle(Rpc.sources, async ({ projectId }, ctx) => previews.sources(askedBy(ctx), projectId, ctx.signal)),
    handle(Rpc.previewSources, async ({ projectId, configJson }, ctx) => ({
      preview: await previews.previewSources(askedBy(ctx), projectId, configJson, ctx.signal),
    })),
    handle(Rpc.settleConfig, async ({ projectId, configJson }, ctx) => {
      const { project, scope, options } = await previews.settle(askedBy(ctx), projectId, configJson);
      return { scope, options, project: toWire(project) };
    }),
  ];
}

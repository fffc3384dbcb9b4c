import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { type BoundMethod, handle } from '@tidemark/service';
import type { KeepCrawl } from '../keep-crawl/keep-crawl.ts';
import type { RunUseCases } from '../runs/make-runs.ts';
import { contextOf } from './context-of.ts';
import type { ToWire } from './to-wire.ts';

export interface RunMethodsDeps {
  readonly runs: RunUseCases;
  readonly keepCrawl: KeepCrawl;
  readonly toWire: ToWire;
}

/** The RPCs of runs. */
export function runMethods({ runs: useCases, keepCrawl, toWire }: RunMethodsDeps): BoundMethod[] {
  const { runs } = useCases;
  return [
    handle(Rpc.startRun, async ({ projectId, trigger }, ctx) => ({
      run: await useCases.startRequestedRun(contextOf(ctx), projectId, trigger),
    })),
    handle(Rpc.startRuns, async ({ projectIds, trigger }, ctx) => ({
      results: await useCases.startRuns(contextOf(ctx), projectIds, trigger),
    })),
    handle(Rpc.startTaggedRuns, async ({ tag, trigger }, ctx) => ({
      results: await useCases.startTaggedRuns(contextOf(ctx), tag, trigger),
    })),
    handle(Rpc.recrawl, async ({ projectId, urls }, ctx) => ({
      run: await useCases.recrawl(contextOf(ctx), projectId, urls),
    })),
    handle(Rpc.getPresentRun, async ({ projectId }, ctx) => ({ run: await runs.present(contextOf(ctx), projectId) })),
    handle(Rpc.listRuns, async (request, ctx) => runs.list(contextOf(ctx), request)),
    handle(Rpc.getRun, async ({ projectId, runId, withLog }, ctx) => {
      const { run, log } = await runs.get(contextOf(ctx), projectId, runId, withLog);
      return { run, log };
    }),
    handle(Rpc.cancelRun, async ({ projectId, runId }, ctx) => ({
      run: await runs.cancel(contextOf(ctx), projectId, runId),
    })),
    handle(Rpc.keepCrawl, async (request, ctx) => {
      const { project, run, replayed } = await keepCrawl(contextOf(ctx), request);
      return { project: toWire(project), run, replayed };
    }),
  ];
}

import type { Caller } from '@tidemark/contracts';
import { type HeldHost, CrawlServiceService as Rpc, type Run as WireRun } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { Run } from './domain/run.ts';
import { addressVariants, coverageOf } from './find-in-run.ts';
import type { RunDesk } from './run-desk.ts';
import type { HeldStore } from './store/held-store.ts';
import type { RunStore } from './store/run-store.ts';
import { isLinkSet, type RunViews } from './store/run-views.ts';

/** One more than a list may show, so that its reader sees whether there are more. */
const MAX_LIMIT = 1_001;
const MAX_ASKED = 1_000;

const MAX_RUNS = 100;

const toWire = (run: Run, held: HeldHost[] = []): WireRun => ({
  id: run.id,
  seed: run.seed,
  status: run.status,
  paused: run.paused,
  createdAt: run.createdAt,
  finishedAt: run.finishedAt,
  done: run.done,
  total: run.total,
  queued: run.queued,
  creditsUsed: run.credits,
  stop: run.status === 'queued' || run.status === 'running' ? undefined : run.stop,
  error: run.error,
  requestId: run.requestId,
  formats: [...run.options.formats],
  counts: { ...run.verdicts },
  held,
  traps: run.traps.map((trap) => ({ ...trap })),
  trigger: run.trigger,
  projectId: run.projectId ?? '',
});

export interface CrawlFace {
  readonly desk: RunDesk;
  readonly runs: RunStore;
  readonly views: RunViews;
  readonly held: HeldStore;
  /** Has runs looked for that can go on. */
  readonly look: () => void;
  /** Tells a run's conductor that its run has changed. */
  readonly wake: (runId: string) => void;
}

const limited = (limit: number): number => Math.min(Math.max(limit, 1), MAX_LIMIT);

/** The face of crawl: proto in, use case, proto out. */
export function crawlGrpc({ desk, runs, views, held, look, wake }: CrawlFace): BoundMethod[] {
  const found = async (caller: Caller, id: string): Promise<Run> => {
    const run = await runs.find(caller, id);
    if (run === undefined) throw new AppError('not_found', 'there is no such run');
    return run;
  };
  const shown = async (caller: Caller, id: string): Promise<WireRun> => {
    const run = await found(caller, id);
    return toWire(run, run.status === 'running' ? await held.of(run.no) : []);
  };
  const steer = async (caller: Caller, id: string, move: (workspaceId: string, id: string) => Promise<void>) => {
    await found(caller, id);
    await move(caller.workspaceId, id);
    wake(id);
    look();
    return { run: await shown(caller, id) };
  };
  return [
    handle(Rpc.startRun, async ({ scope, options, ...order }, ctx) => {
      if (scope === undefined || options === undefined)
        throw new AppError('validation', 'a run needs its scope and options');
      const started = await desk.start(callerOf(ctx), { ...order, scope, options, requestId: ctx.requestId });
      return { run: toWire(started.run), webhookSecret: started.secret, replayed: started.replayed };
    }),
    handle(Rpc.getRun, async ({ id }, ctx) => ({ run: await shown(callerOf(ctx), id), log: [], configJson: '' })),
    listRuns(runs),
    handle(Rpc.listEnded, async ({ id, after, limit }, ctx) => ({
      pages: await views.ended(await found(callerOf(ctx), id), after, limited(limit)),
    })),
    handle(Rpc.findPage, async ({ id, url }, ctx) => {
      const run = await found(callerOf(ctx), id);
      return { page: await views.findPage(run, addressVariants(run, url)) };
    }),
    handle(Rpc.cancelRun, async ({ id }, ctx) =>
      steer(callerOf(ctx), id, (workspaceId, runId) => runs.cancel(workspaceId, runId)),
    ),
    handle(Rpc.pauseRun, async ({ id }, ctx) =>
      steer(callerOf(ctx), id, (workspaceId, runId) => runs.pause(workspaceId, runId)),
    ),
    handle(Rpc.resumeRun, async ({ id }, ctx) =>
      steer(callerOf(ctx), id, (workspaceId, runId) => runs.resume(workspaceId, runId)),
    ),
    handle(Rpc.listLinks, async ({ id, kind, after, limit }, ctx) => {
      if (!isLinkSet(kind)) throw new AppError('validation', `there is no set "${kind}"`);
      const run = await found(callerOf(ctx), id);
      const coverage = coverageOf(run, kind);
      if (!coverage.hasEnded) return { pages: [], next: '', isVerdict: false, why: coverage.why };
      const wanted = limited(limit);
      const pages = await views.links(run, kind, after, wanted + 1);
      const shown = pages.slice(0, wanted);
      const next = pages.length > wanted ? (shown.at(-1)?.url ?? '') : '';
      return { pages: shown, next, isVerdict: coverage.isVerdict, why: coverage.why };
    }),
    handle(Rpc.stillOpen, async ({ runId, captureIds, held: said }) => {
      await held.note(runId, said);
      const hosts = said.slice(0, MAX_ASKED).map(({ host }) => host);
      return { captureIds: await views.stillOpen(runId, captureIds.slice(0, MAX_ASKED), hosts) };
    }),
  ];
}

const listRuns = (runs: RunStore): BoundMethod =>
  handle(Rpc.listRuns, async ({ projectId, status, limit, cursor }, ctx) => {
    const wanted = Math.min(Math.max(limit, 1), MAX_RUNS);
    const found = await runs.list(callerOf(ctx), { projectId, status, before: cursor, limit: wanted + 1 });
    const shown = found.slice(0, wanted);
    return { runs: shown.map((run) => toWire(run)), next: found.length > wanted ? (shown.at(-1)?.id ?? '') : '' };
  });

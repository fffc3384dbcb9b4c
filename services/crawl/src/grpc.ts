import type { Caller } from '@tidemark/contracts';
import { type LogLine, CrawlServiceService as Rpc, type Run as WireRun } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { CallOff } from './conduct/call-off.ts';
import type { Run } from './domain/run.ts';
import { addressVariants, coverageOf } from './find-in-run.ts';
import { type ProjectFace, projectMethods } from './grpc-projects.ts';
import type { RunDesk } from './run-desk.ts';
import type { HeldStore } from './store/held-store.ts';
import type { RunStore } from './store/run-store.ts';
import { isLinkSet, type RunViews } from './store/run-views.ts';
import { toWire } from './to-wire.ts';

/** One more than a list may show, so that its reader sees whether there are more. */
const MAX_LIMIT = 1_001;

const MAX_RUNS = 100;

export interface CrawlFace extends ProjectFace {
  readonly desk: RunDesk;
  readonly runs: RunStore;
  readonly views: RunViews;
  readonly held: HeldStore;
  /** What happened to a run, oldest first. */
  readonly readLog: (runNo: bigint) => Promise<LogLine[]>;
  readonly callOff: Pick<CallOff, 'run'>;
  /** Has runs looked for that can go on. */
  readonly look: () => void;
  /** Tells a run's conductor that its run has changed. */
  readonly wake: (runId: string) => void;
}

const limited = (limit: number): number => Math.min(Math.max(limit, 1), MAX_LIMIT);

/** The face of crawl: proto in, use case, proto out. */
export function crawlGrpc(face: CrawlFace): BoundMethod[] {
  const { desk, runs, look, wake } = face;
  const { found, shown } = finder(face);
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
    ...readMethods(face),
    ...projectMethods(face),
    handle(Rpc.cancelRun, async ({ id }, ctx) =>
      steer(callerOf(ctx), id, async (workspaceId, runId) => {
        await runs.cancel(workspaceId, runId);
        // At once, for the workers; the instance that clears up after the run does so again.
        void face.callOff.run(runId);
      }),
    ),
    handle(Rpc.pauseRun, async ({ id }, ctx) =>
      steer(callerOf(ctx), id, (workspaceId, runId) => runs.pause(workspaceId, runId)),
    ),
    handle(Rpc.resumeRun, async ({ id }, ctx) =>
      steer(callerOf(ctx), id, (workspaceId, runId) => runs.resume(workspaceId, runId)),
    ),
  ];
}

/** Runs as their callers may see them. */
function finder({ runs, held }: Pick<CrawlFace, 'runs' | 'held'>) {
  const found = async (caller: Caller, id: string): Promise<Run> => {
    const run = await runs.find(caller, id);
    if (run === undefined) throw new AppError('not_found', 'there is no such run');
    return run;
  };
  const shownRun = async (run: Run): Promise<WireRun> =>
    toWire(run, run.status === 'running' ? await held.of(run.no) : []);
  const shown = async (caller: Caller, id: string): Promise<WireRun> => shownRun(await found(caller, id));
  return { found, shown, shownRun };
}

/** What may be read of runs. */
function readMethods(face: CrawlFace): BoundMethod[] {
  const { runs, views } = face;
  const { found, shownRun } = finder(face);
  return [
    handle(Rpc.getRun, async ({ id, withLog, withConfig }, ctx) => {
      const run = await found(callerOf(ctx), id);
      return {
        run: await shownRun(run),
        log: withLog ? await face.readLog(run.no) : [],
        configJson: withConfig ? await runs.configOf(run.no) : '',
      };
    }),
    handle(Rpc.listRuns, async ({ projectId, status, limit, cursor, fullOnly }, ctx) => {
      const wanted = Math.min(Math.max(limit, 1), MAX_RUNS);
      const filter = { projectId, status, before: cursor, limit: wanted + 1, fullOnly };
      const listed = await runs.list(callerOf(ctx), filter);
      const told = listed.slice(0, wanted);
      return { runs: told.map((run) => toWire(run)), next: listed.length > wanted ? (told.at(-1)?.id ?? '') : '' };
    }),
    handle(Rpc.listEnded, async ({ id, after, limit }, ctx) => {
      // The run first: a run that had ended has no page that is not listed.
      const run = await found(callerOf(ctx), id);
      return { run: await shownRun(run), pages: await views.ended(run, after, limited(limit)) };
    }),
    handle(Rpc.findPage, async ({ id, url }, ctx) => {
      const run = await found(callerOf(ctx), id);
      return { page: await views.findPage(run, addressVariants(run, url)) };
    }),
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
  ];
}

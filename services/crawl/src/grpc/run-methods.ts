import type { Caller } from '@tidemark/contracts';
import type { Activity } from '@tidemark/contracts/activity/v1/activity';
import { type LogLine, CrawlServiceService as Rpc, type Run as WireRun } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { fromConfigMessage, type Settings, toConfigMessage } from '@tidemark/project-config';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import { coverageOf, isLinkSet } from '../domain/run/link-coverage.ts';
import type { Run } from '../domain/run/run.ts';
import { urlVariants } from '../domain/run/url-variants.ts';
import type { CallOff } from '../orchestrate/end/call-off.ts';
import type { StartRun } from '../start-run/start-run.ts';
import type { CoverageStore } from '../store/ended-runs/coverage-store.ts';
import type { RunViews } from '../store/pages/run-views.ts';
import type { HeldHostStore } from '../store/runs/held-host-store.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { type ProjectMethodDeps, projectMethods } from './project-methods.ts';
import { toWire } from './to-wire.ts';

/** One more than the page size of a list, so that the caller sees whether there are more. */
const MAX_LIMIT = 1_001;

const MAX_RUNS = 100;

interface ReadDeps {
  readonly runs: RunStore;
  readonly views: RunViews;
  readonly held: HeldHostStore;
  readonly coverage: Pick<CoverageStore, 'read'>;
  /** Returns the log of a run, oldest first. */
  readonly readLog: (runNo: bigint) => Promise<LogLine[]>;
  /** Opens the secrets of a run's configuration. */
  readonly openSecrets: (sealed: Uint8Array, runId: string) => Settings;
  /** Returns the unfinished runs of the caller. */
  readonly activityOf: (caller: Caller) => Promise<Activity>;
}

export interface CrawlMethodDeps extends ProjectMethodDeps {
  readonly startRun: StartRun;
  readonly reading: ReadDeps;
  readonly callOff: Pick<CallOff, 'run' | 'pausedRun'>;
  /** Claims runs without waiting for the next poll. */
  readonly claimRuns: () => void;
  /** Wakes the orchestrator of a run that has changed. */
  readonly wake: (runId: string) => void;
}

const limited = (limit: number): number => Math.min(Math.max(limit, 1), MAX_LIMIT);

/** The methods of CrawlService. */
export function crawlGrpc(deps: CrawlMethodDeps): BoundMethod[] {
  const { startRun, claimRuns, wake } = deps;
  const { runs } = deps.reading;
  const { found: findRun, shown } = finder(deps.reading);
  const moveRun = async (caller: Caller, id: string, move: (workspaceId: string, id: string) => Promise<void>) => {
    await findRun(caller, id);
    await move(caller.workspaceId, id);
    wake(id);
    claimRuns();
    return { run: await shown(caller, id) };
  };
  return [
    handle(Rpc.startRun, async ({ scope, options, config, secrets, ...order }, ctx) => {
      if (scope === undefined || options === undefined)
        throw new AppError('validation', 'a run needs its scope and options');
      const started = await startRun(callerOf(ctx), {
        ...order,
        scope,
        options,
        config: config && fromConfigMessage(config),
        secrets: secrets && fromConfigMessage(secrets),
        requestId: ctx.requestId,
      });
      return { run: toWire(started.run), webhookSecret: started.secret, replayed: started.replayed };
    }),
    ...readMethods(deps.reading),
    ...projectMethods(deps),
    handle(Rpc.cancelRun, async ({ id }, ctx) =>
      moveRun(callerOf(ctx), id, async (workspaceId, runId) => {
        await runs.cancel(workspaceId, runId);
        // Stops workers at once; the instance that cleans up after the run repeats it.
        void deps.callOff.run(runId);
      }),
    ),
    handle(Rpc.pauseRun, async ({ id }, ctx) =>
      moveRun(callerOf(ctx), id, async (workspaceId, runId) => {
        const pauses = await runs.pause(workspaceId, runId);
        // Stops workers at once; the lease holder repeats it until no page is in flight.
        if (pauses !== undefined) deps.callOff.pausedRun(runId, pauses);
      }),
    ),
    handle(Rpc.resumeRun, async ({ id }, ctx) =>
      moveRun(callerOf(ctx), id, (workspaceId, runId) => runs.resume(workspaceId, runId)),
    ),
  ];
}

const isEnded = ({ status }: Run): boolean => status !== 'queued' && status !== 'running';

/** Finds runs that the caller may access. */
function finder({ runs, held, coverage }: Pick<ReadDeps, 'runs' | 'held' | 'coverage'>) {
  const findRun = async (caller: Caller, id: string): Promise<Run> => {
    const run = await runs.find(caller, id);
    if (run === undefined) throw new AppError('not_found', 'run not found');
    return run;
  };
  const shownRun = async (run: Run): Promise<WireRun> =>
    toWire(run, {
      held: run.status === 'running' ? await held.of(run.no) : [],
      coverage: isEnded(run) ? await coverage.read(run.no) : undefined,
    });
  const shown = async (caller: Caller, id: string): Promise<WireRun> => shownRun(await findRun(caller, id));
  return { found: findRun, shown, shownRun };
}

/** The read methods of CrawlService. */
function readMethods(deps: ReadDeps): BoundMethod[] {
  const { runs, views } = deps;
  const { found: findRun, shownRun } = finder(deps);
  const configOf = async ({ id, no }: Run, withSecrets = false) => {
    const { config, sealedSecrets } = await runs.configOf(no);
    const secrets = withSecrets && sealedSecrets !== undefined ? deps.openSecrets(sealedSecrets, id) : undefined;
    return { config: config && toConfigMessage(config), secrets: secrets && toConfigMessage(secrets) };
  };
  return [
    handle(Rpc.activity, async (_, ctx) => ({ activity: await deps.activityOf(callerOf(ctx)) })),
    handle(Rpc.getRun, async ({ id, withLog, withConfig, withSecrets }, ctx) => {
      const run = await findRun(callerOf(ctx), id);
      return {
        run: await shownRun(run),
        log: withLog ? await deps.readLog(run.no) : [],
        ...(withConfig ? await configOf(run, withSecrets) : {}),
      };
    }),
    handle(Rpc.getPresentRun, async ({ projectId }, ctx) => {
      const run = await runs.present(callerOf(ctx), projectId);
      return { run: run && toWire(run) };
    }),
    handle(Rpc.listRuns, async ({ projectId, status, limit, cursor }, ctx) => {
      const pageSize = Math.min(Math.max(limit, 1), MAX_RUNS);
      const filter = { projectId, status, before: cursor, limit: pageSize + 1 };
      const listed = await runs.list(callerOf(ctx), filter);
      const listedRuns = listed.slice(0, pageSize);
      return {
        runs: listedRuns.map((run) => toWire(run)),
        next: listed.length > pageSize ? (listedRuns.at(-1)?.id ?? '') : '',
      };
    }),
    handle(Rpc.listEnded, async ({ id, after, limit }, ctx) => {
      // The run is read before its pages: if it had ended, the list is complete.
      const run = await findRun(callerOf(ctx), id);
      return { run: await shownRun(run), pages: await views.ended(run, after, limited(limit)) };
    }),
    handle(Rpc.findPage, async ({ id, url }, ctx) => {
      const run = await findRun(callerOf(ctx), id);
      return { page: await views.findPage(run, urlVariants(run, url)) };
    }),
    handle(Rpc.listLinks, async ({ id, kind, after, limit }, ctx) => {
      if (!isLinkSet(kind)) throw new AppError('validation', `unknown set "${kind}"`);
      const run = await findRun(callerOf(ctx), id);
      const coverage = coverageOf(run, kind);
      if (!coverage.hasEnded) return { pages: [], next: '', isVerdict: false, why: coverage.why };
      const pageSize = limited(limit);
      const pages = await views.links(run, kind, after, pageSize + 1);
      const shown = pages.slice(0, pageSize);
      const next = pages.length > pageSize ? (shown.at(-1)?.url ?? '') : '';
      return { pages: shown, next, isVerdict: coverage.isVerdict, why: coverage.why };
    }),
  ];
}

import { newId } from '@tidemark/contracts';
import {
  type ListRunsRequest,
  CrawlServiceService as Rpc,
  type Run,
  type Scope,
  StartRunRequest,
} from '@tidemark/contracts/crawl/v1/crawl';
import { callerIn, captureOptions, newWorkspace, type RunningService, until } from '@tidemark/testkit';
import { HOME, scopeOf } from './crawl-servers.ts';

const hasEnded = ({ status }: Pick<Run, 'status'>): boolean => status !== 'queued' && status !== 'running';

/** Returns a client for the runs of one project of a workspace; with a project `''`, for runs without a project. */
export function projectClient(
  service: Pick<RunningService, 'peer'>,
  workspaceId = newWorkspace(),
  projectId = newId('prj'),
) {
  const caller = callerIn(workspaceId);
  const call = service.peer.call.bind(service.peer);
  const read = (id: string) => call(Rpc.getRun, { id, withLog: true, withConfig: true }, caller);
  const get = async (id: string) => {
    const { run } = await read(id);
    return run;
  };
  const about = (more: Partial<Scope>) => ({ projectId, seed: `${HOME}/`, scope: scopeOf(more) });
  return {
    workspaceId,
    projectId,
    caller,
    get,
    config: async (id: string) => (await read(id)).config,
    /** Returns the lines of a run's log as `what: why`. */
    log: async (id: string) => (await read(id)).log.map(({ what, why }) => `${what}: ${why}`),
    start: async (more: Partial<StartRunRequest> = {}) => {
      const options = { scope: scopeOf(), options: captureOptions(), trigger: 'api' as const, projectId };
      const order = StartRunRequest.fromPartial({ seed: `${HOME}/`, ...options, ...more });
      const { run, replayed } = await call(Rpc.startRun, order, caller);
      return { id: run?.id ?? '', projectId: run?.projectId, replayed };
    },
    present: async () => (await call(Rpc.getPresentRun, { projectId }, caller)).run,
    list: (more: Partial<ListRunsRequest> = {}) => call(Rpc.listRuns, { projectId, limit: 100, ...more }, caller),
    ended: (id: string, withinMs = 60_000) =>
      until(
        `run ${id} to end`,
        async () => {
          const run = await get(id);
          return run !== undefined && hasEnded(run) && run;
        },
        { withinMs },
      ),
    cancel: (id: string) => call(Rpc.cancelRun, { id }, caller),
    pause: (id: string) => call(Rpc.pauseRun, { id }, caller),
    resume: (id: string) => call(Rpc.resumeRun, { id }, caller),
    adopt: async (id: string, by = projectId) => (await call(Rpc.adoptRun, { id, projectId: by }, caller)).run,
    expire: async (before: Date) => (await call(Rpc.expireRuns, { projectId, before }, caller)).expired,
    pages: async (id: string) => (await call(Rpc.listEnded, { id, after: 0, limit: 1_000 }, caller)).pages,
    find: async (id: string, url: string) => (await call(Rpc.findPage, { id, url }, caller)).page,
    dryRun: (more: Partial<Scope> = {}, samples = 5, options = captureOptions()) =>
      call(Rpc.dryRun, { ...about(more), options, samples }, caller, { deadlineMs: 30_000 }),
    sources: (more: Partial<Scope> = {}) => call(Rpc.sources, about(more), caller),
    preview: (more: Partial<Scope> = {}) =>
      call(Rpc.previewSources, { ...about(more), options: captureOptions() }, caller),
  };
}

import {
  type AdoptRunRequest,
  type DryRunRequest,
  DryRunResponse,
  type ExpireRunsRequest,
  type JudgeAddressesRequest,
  type ListRunsRequest,
  type PreviewSourcesRequest,
  PreviewSourcesResponse,
  CrawlServiceService as Rpc,
  Run,
  type SourcesRequest,
  SourcesResponse,
  type StartRunRequest,
} from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService, withRest } from '@tidemark/testkit';

/** Where a run that is to be kept has been read, or is about to be adopted, or has been. */
export const KEEP_STEPS = ['read', 'adopting', 'adopted'] as const;
export type KeepStep = (typeof KEEP_STEPS)[number];

interface FakeRun {
  run: Run;
  readonly workspaceId: string;
  readonly configJson: string;
}

/** A crawl that remembers what it was asked, and fetches nothing. */
export interface FakeCrawl extends RunningService {
  readonly runs: Map<string, FakeRun>;
  readonly started: readonly StartRunRequest[];
  readonly adopted: readonly AdoptRunRequest[];
  readonly expired: readonly ExpireRunsRequest[];
  readonly asked: readonly (DryRunRequest | SourcesRequest | PreviewSourcesRequest)[];
  readonly listed: readonly ListRunsRequest[];
  /** Called at each step of keeping a crawl; what it throws is the answer. */
  at: (step: KeepStep) => void | Promise<void>;
  /** Called before patterns are judged; what it throws is the answer. */
  beforeJudging: (asked: JudgeAddressesRequest) => void | Promise<void>;
  /** Called before runs are expired; what it throws is the answer. */
  beforeExpiring: () => void;
  /** Puts a crawl in place that nobody keeps yet. */
  hold(workspaceId: string, run: Partial<Run> & { readonly id: string }, config: object): void;
}

const LOG = [{ at: new Date('2026-03-25T00:00:00Z'), what: 'started', why: 'its turn came' }];

export async function startFakeCrawl(): Promise<FakeCrawl> {
  const runs = new Map<string, FakeRun>();
  const [started, adopted, expired]: [StartRunRequest[], AdoptRunRequest[], ExpireRunsRequest[]] = [[], [], []];
  const asked: (DryRunRequest | SourcesRequest | PreviewSourcesRequest)[] = [];
  const listed: ListRunsRequest[] = [];
  const face: Pick<FakeCrawl, 'at' | 'beforeExpiring' | 'beforeJudging'> = {
    at: () => undefined,
    beforeJudging: () => undefined,
    beforeExpiring: () => undefined,
  };
  const found = (workspaceId: string, id: string): FakeRun => {
    const run = runs.get(id);
    if (run?.workspaceId === workspaceId) return run;
    throw new AppError('not_found', 'there is no such run');
  };
  const hold = (workspaceId: string, run: Partial<Run> & { readonly id: string }, config: object): void => {
    const made = Run.fromPartial({ seed: 'https://site.test/', status: 'done', trigger: 'crawl', ...run });
    runs.set(run.id, { run: made, workspaceId, configJson: JSON.stringify(config) });
  };
  const definition = defineService({
    name: 'crawl',
    config: {},
    async start(app) {
      app.serve(
        Rpc,
        withRest(Rpc, [
          handle(Rpc.startRun, async (order, ctx) => {
            started.push(order);
            const { projectId, trigger, seed } = order;
            const id = order.runId ?? `run_${started.length}`;
            hold(callerOf(ctx).workspaceId, { id, projectId, trigger, seed, status: 'queued' }, {});
            return { run: runs.get(id)?.run, webhookSecret: '', replayed: false };
          }),
          handle(Rpc.getRun, async ({ id, withLog, withConfig }, ctx) => {
            const { run, configJson } = found(callerOf(ctx).workspaceId, id);
            if (withConfig) await face.at('read');
            return { run, log: withLog ? LOG : [], configJson: withConfig ? configJson : '' };
          }),
          handle(Rpc.adoptRun, async (request, ctx) => {
            await face.at('adopting');
            const kept = found(callerOf(ctx).workspaceId, request.id);
            const { projectId } = kept.run;
            if (projectId !== '' && projectId !== request.projectId) throw new AppError('conflict', 'it is another’s');
            adopted.push(request);
            kept.run = { ...kept.run, projectId: request.projectId };
            await face.at('adopted');
            return { run: kept.run };
          }),
          handle(Rpc.dryRun, async (request) => {
            asked.push(request);
            return DryRunResponse.fromPartial({ known: 7 });
          }),
          handle(Rpc.sources, async (request) => {
            asked.push(request);
            return SourcesResponse.fromPartial({ sitemap: 'read' });
          }),
          handle(Rpc.previewSources, async (request) => {
            asked.push(request);
            return PreviewSourcesResponse.fromPartial({ declared: 3 });
          }),
          handle(Rpc.judgeAddresses, async (request) => {
            await face.beforeJudging(request);
            return { outOfScope: [] };
          }),
          handle(Rpc.expireRuns, async (request) => {
            face.beforeExpiring();
            expired.push(request);
            return { expired: 1 };
          }),
          handle(Rpc.listRuns, async (request) => {
            listed.push(request);
            return { runs: [], next: '' };
          }),
        ]),
      );
    },
  });
  const service = await startService(definition, {});
  return Object.assign(face, service, { runs, started, adopted, expired, asked, listed, hold });
}

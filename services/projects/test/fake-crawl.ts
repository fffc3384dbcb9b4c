import type { ProjectConfig } from '@tidemark/contracts/config/v1/config';
import {
  type AdoptRunRequest,
  type CheckUrlsRequest,
  type DryRunRequest,
  DryRunResponse,
  type ExpireRunsRequest,
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
import { toRunConfig } from '@tidemark/project-config';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService, withUnimplemented } from '@tidemark/testkit';

/** Steps of KeepCrawl: the run was read, is about to be adopted, was adopted. */
export const KEEP_STEPS = ['read', 'adopting', 'adopted'] as const;
export type KeepStep = (typeof KEEP_STEPS)[number];

interface FakeRun {
  run: Run;
  readonly workspaceId: string;
  readonly config: ProjectConfig;
  readonly secrets: ProjectConfig | undefined;
}

/** A crawl that stores requests and fetches nothing. */
export interface FakeCrawl extends RunningService {
  readonly runs: Map<string, FakeRun>;
  readonly started: readonly StartRunRequest[];
  readonly adopted: readonly AdoptRunRequest[];
  readonly expired: readonly ExpireRunsRequest[];
  readonly previewRequests: readonly (DryRunRequest | SourcesRequest | PreviewSourcesRequest)[];
  readonly listed: readonly ListRunsRequest[];
  /** Called at each step of settings a crawl; what it throws is the response. */
  onStep: (step: KeepStep) => void | Promise<void>;
  /** Called before patterns are checked; what it throws is the response. */
  onEvaluate: (request: CheckUrlsRequest) => void | Promise<void>;
  /** Called before runs are expired; what it throws is the response. */
  onExpire: () => void;
  /** Adds a run without a project. */
  add(workspaceId: string, run: Partial<Run> & { readonly id: string }, config: object): void;
}

const LOG = [{ at: new Date('2026-03-25T00:00:00Z'), what: 'started' as const, why: 'its turn came' }];

export async function startFakeCrawl(): Promise<FakeCrawl> {
  const runs = new Map<string, FakeRun>();
  const [started, adopted, expired]: [StartRunRequest[], AdoptRunRequest[], ExpireRunsRequest[]] = [[], [], []];
  const previewRequests: (DryRunRequest | SourcesRequest | PreviewSourcesRequest)[] = [];
  const listed: ListRunsRequest[] = [];
  const controls: Pick<FakeCrawl, 'onStep' | 'onExpire' | 'onEvaluate'> = {
    onStep: () => undefined,
    onEvaluate: () => undefined,
    onExpire: () => undefined,
  };
  const found = (workspaceId: string, id: string): FakeRun => {
    const run = runs.get(id);
    if (run?.workspaceId === workspaceId) return run;
    throw new AppError('not_found', 'run not found');
  };
  const add = (workspaceId: string, run: Partial<Run> & { readonly id: string }, config: object): void => {
    const created = Run.fromPartial({
      seed: 'https://site.test/',
      status: 'done' as const,
      trigger: 'crawl' as const,
      ...run,
    });
    runs.set(run.id, { run: created, workspaceId, ...toRunConfig({ ...config }) });
  };
  const definition = defineService({
    name: 'crawl',
    config: {},
    async start(app) {
      app.serve(
        Rpc,
        withUnimplemented(Rpc, [
          handle(Rpc.startRun, async (request, ctx) => {
            started.push(request);
            const { projectId, trigger, seed } = request;
            const id = request.runId ?? `run_${started.length}`;
            add(callerOf(ctx).workspaceId, { id, projectId, trigger, seed, status: 'queued' }, {});
            return { run: runs.get(id)?.run, webhookSecret: '', replayed: false };
          }),
          handle(Rpc.getRun, async ({ id, withLog, withConfig, withSecrets }, ctx) => {
            const { run, config, secrets } = found(callerOf(ctx).workspaceId, id);
            if (withConfig) await controls.onStep('read');
            return {
              run,
              log: withLog ? LOG : [],
              config: withConfig ? config : undefined,
              secrets: withSecrets === true ? secrets : undefined,
            };
          }),
          handle(Rpc.adoptRun, async (request, ctx) => {
            await controls.onStep('adopting');
            const kept = found(callerOf(ctx).workspaceId, request.id);
            const { projectId } = kept.run;
            if (projectId !== '' && projectId !== request.projectId)
              throw new AppError('conflict', 'the run belongs to another project');
            adopted.push(request);
            kept.run = { ...kept.run, projectId: request.projectId };
            await controls.onStep('adopted');
            return { run: kept.run };
          }),
          handle(Rpc.dryRun, async (request) => {
            previewRequests.push(request);
            return DryRunResponse.fromPartial({ known: 7 });
          }),
          handle(Rpc.sources, async (request) => {
            previewRequests.push(request);
            return SourcesResponse.fromPartial({ sitemap: 'read' });
          }),
          handle(Rpc.previewSources, async (request) => {
            previewRequests.push(request);
            return PreviewSourcesResponse.fromPartial({ declared: 3 });
          }),
          handle(Rpc.checkUrls, async (request) => {
            await controls.onEvaluate(request);
            return { outOfScope: [] };
          }),
          handle(Rpc.expireRuns, async (request) => {
            controls.onExpire();
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
  return Object.assign(controls, service, { runs, started, adopted, expired, previewRequests, listed, add });
}

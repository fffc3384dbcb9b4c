import { allowsProject, type Caller, textOrEmpty } from '@tidemark/contracts';
import {
  type DryRunResponse,
  type PreviewSourcesResponse,
  CrawlServiceService as Rpc,
  type Scope,
  type SourcesResponse,
} from '@tidemark/contracts/crawl/v1/crawl';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { Run } from '../domain/run/run.ts';
import type { DryRunOrder } from '../sources/dry-run.ts';
import { findOutOfScope } from '../sources/find-out-of-scope.ts';
import type { PagePrice } from '../sources/known-walk.ts';
import type { PreviewOrder } from '../sources/preview-sources.ts';
import type { SourcesOrder } from '../sources/run-sources.ts';
import type { DiscardStore } from '../store/retention/discard-store.ts';
import { toWire } from './to-wire.ts';

export interface ProjectMethodDeps {
  readonly adopt: (caller: Caller, id: string, projectId: string) => Promise<Run>;
  readonly sources: {
    readonly dryRun: (caller: Caller, order: DryRunOrder) => Promise<DryRunResponse>;
    readonly sources: (caller: Caller, order: SourcesOrder) => Promise<SourcesResponse>;
    readonly previewSources: (caller: Caller, order: PreviewOrder) => Promise<PreviewSourcesResponse>;
  };
  /** Returns the price of a page by its capture options. */
  readonly price: (priced: { readonly options: CaptureOptions }) => PagePrice;
  /** Returns the host a project's seed redirects to; undefined: its own host, or unknown. */
  readonly homeOf: (caller: Caller, projectId: string) => Promise<string | undefined>;
  readonly discards: Pick<DiscardStore, 'expire'>;
  /** Starts a retention sweep. */
  readonly sweep: () => void;
}

/** The methods of CrawlService about projects. */
export function projectMethods(deps: ProjectMethodDeps): BoundMethod[] {
  return [
    handle(Rpc.adoptRun, async ({ id, projectId }, ctx) => ({
      run: toWire(await deps.adopt(callerOf(ctx), id, projectId)),
    })),
    handle(Rpc.dryRun, async ({ scope, options, ...order }, ctx) =>
      deps.sources.dryRun(callerOf(ctx), { ...order, scope: mustHave(scope), price: priceBy(deps.price, options) }),
    ),
    handle(Rpc.sources, async ({ scope, ...order }, ctx) =>
      deps.sources.sources(callerOf(ctx), { ...order, scope: mustHave(scope) }),
    ),
    handle(Rpc.previewSources, async ({ scope, options, ...order }, ctx) =>
      deps.sources.previewSources(callerOf(ctx), {
        ...order,
        scope: mustHave(scope),
        price: priceBy(deps.price, options),
      }),
    ),
    handle(Rpc.expireRuns, async ({ projectId, before }, ctx) => {
      if (projectId === '' || before === undefined)
        throw new AppError('validation', 'project_id and before are required');
      const { workspaceId, access } = callerOf(ctx);
      if (!allowsProject(access, projectId)) return { expired: 0 };
      const expired = await deps.discards.expire(workspaceId, projectId, before);
      if (expired > 0) deps.sweep();
      return { expired };
    }),
    handle(Rpc.checkUrls, async ({ seed, scope, urls, projectId }, ctx) => ({
      outOfScope: await findOutOfScope(
        seed,
        mustHave(scope),
        urls,
        await deps.homeOf(callerOf(ctx), textOrEmpty(projectId)),
      ),
    })),
  ];
}

/** @throws AppError validation without options */
function priceBy(price: ProjectMethodDeps['price'], options: CaptureOptions | undefined): PagePrice {
  if (options === undefined) throw new AppError('validation', 'options are required');
  return price({ options });
}

function mustHave(scope: Scope | undefined): Scope {
  if (scope === undefined) throw new AppError('validation', 'scope is required');
  return scope;
}

import {
  type RenderFailure,
  type RenderRequest,
  RenderResponse,
  BrowserPoolServiceService as Rpc,
} from '@tidemark/contracts/browser/v1/browser';
import { ExitServiceService as ExitRpc } from '@tidemark/contracts/browser/v1/exits';
import { AppError } from '@tidemark/errors';
import { defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '../start-service.ts';

/** The fake's response for a page: its HTML, a failure code of the pool, or `away` for an unavailable pool. */
export type Rendering =
  | {
      readonly html: string;
      readonly status?: number;
      readonly warnings?: readonly string[];
      readonly screenshot?: Uint8Array;
    }
  | { readonly failure: RenderFailure }
  | 'away';

/** A browser pool without browsers and without exits: it renders what it is given. */
export interface FakeBrowserPool extends RunningService {
  readonly renderRequests: readonly RenderRequest[];
  /** Returns the result of the next renders. */
  render: (request: RenderRequest) => Rendering;
}

const blank = (url: string): RenderResponse => RenderResponse.fromPartial({ landedUrl: url });

export async function startFakeBrowserPool(): Promise<FakeBrowserPool> {
  const renderRequests: RenderRequest[] = [];
  const controls: Pick<FakeBrowserPool, 'render'> = { render: () => ({ html: '' }) };
  const definition = defineService({
    name: 'browser-pool',
    config: {},
    async start(app) {
      app.serve(Rpc, [
        handle(Rpc.render, async (request) => {
          renderRequests.push(request);
          if (request.workspaceId === '') throw new AppError('validation', 'workspace_id is needed');
          if (!/^https?:/.test(request.url))
            return { ...blank(request.url), failure: 'egress' as const, refusedRequests: 1 };
          const rendering = controls.render(request);
          if (rendering === 'away')
            throw new AppError('unavailable', 'every browser is busy', { retryAfterSeconds: 1 });
          if ('failure' in rendering) return { ...blank(request.url), failure: rendering.failure };
          const { status = 200, html, warnings = [], screenshot = new Uint8Array() } = rendering;
          const more = { warnings: [...warnings], screenshot: Buffer.from(screenshot) };
          return { ...blank(request.url), httpStatus: status, html, ...more };
        }),
        handle(Rpc.print, async () => ({ pdf: Buffer.from('%PDF-1.7') })),
        handle(Rpc.status, async () => ({
          browsers: 1,
          busy: 0,
          queued: 0,
          rendered: renderRequests.length,
          recycled: 0,
          crashed: 0,
        })),
      ]);
      app.serve(ExitRpc, [
        handle(ExitRpc.leaseExit, async () => ({ lease: undefined })),
        handle(ExitRpc.reportExit, async () => {
          throw new AppError('not_found', 'lease not found');
        }),
        handle(ExitRpc.listExits, async () => ({ exits: [] })),
        handle(ExitRpc.listExitCountries, async () => ({ countries: [] })),
      ]);
    },
  });
  return Object.assign(controls, await startService(definition, {}), { renderRequests });
}

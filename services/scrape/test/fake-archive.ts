import {
  type FindPageRequest,
  type ListPagesRequest,
  ArchiveServiceService as Rpc,
} from '@tidemark/contracts/archive/v1/archive';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '@tidemark/testkit';

/** An archive with stored rows that answers the calls of scrape. */
export interface FakeArchive extends RunningService {
  /** Every request for an earlier page, with its workspace. */
  readonly requests: readonly (FindPageRequest & { readonly workspaceId: string })[];
  /** The response to the next such request. */
  earlier: PageRow | undefined;
  /** Pages that are stored, by id. */
  readonly stored: Map<string, PageRow>;
  /** Every call for pages by their ids. */
  readonly listed: readonly (ListPagesRequest & { readonly workspaceId: string })[];
  isUnavailable: boolean;
}

export async function startFakeArchive(): Promise<FakeArchive> {
  const requests: (FindPageRequest & { workspaceId: string })[] = [];
  const listed: (ListPagesRequest & { workspaceId: string })[] = [];
  const stored = new Map<string, PageRow>();
  const service: Pick<FakeArchive, 'earlier' | 'isUnavailable'> = { earlier: undefined, isUnavailable: false };
  const definition = defineService({
    name: 'archive',
    config: {},
    async start(app) {
      app.serve({ findPage: Rpc.findPage, listPages: Rpc.listPages }, [
        handle(Rpc.findPage, async (request, ctx) => {
          requests.push({ ...request, workspaceId: callerOf(ctx).workspaceId });
          return { row: service.earlier };
        }),
        handle(Rpc.listPages, async (request, ctx) => {
          if (service.isUnavailable) throw new AppError('unavailable', 'the fake is unavailable');
          listed.push({ ...request, workspaceId: callerOf(ctx).workspaceId });
          const rows = request.ids.flatMap((id) => stored.get(id) ?? []);
          return { pages: rows.map((row) => ({ row, bodies: Buffer.alloc(0) })) };
        }),
      ]);
    },
  });
  return Object.assign(service, await startService(definition, {}), { requests, listed, stored });
}

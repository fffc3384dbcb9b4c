import {
  type FindPageRequest,
  type ListPagesRequest,
  ArchiveServiceService as Rpc,
} from '@tidemark/contracts/archive/v1/archive';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '@tidemark/testkit';

/** An archive that remembers what it is told to, and answers what scrape asks of one. */
export interface FakeArchive extends RunningService {
  /** Every question for an earlier page, and whose it was. */
  readonly asked: readonly (FindPageRequest & { readonly workspaceId: string })[];
  /** What the next such question is answered with. */
  earlier: PageRow | undefined;
  /** Pages that are stored, by id. */
  readonly stored: Map<string, PageRow>;
  /** Every call for pages by their ids. */
  readonly listed: readonly (ListPagesRequest & { readonly workspaceId: string })[];
  isAway: boolean;
}

export async function startFakeArchive(): Promise<FakeArchive> {
  const asked: (FindPageRequest & { workspaceId: string })[] = [];
  const listed: (ListPagesRequest & { workspaceId: string })[] = [];
  const stored = new Map<string, PageRow>();
  const face: Pick<FakeArchive, 'earlier' | 'isAway'> = { earlier: undefined, isAway: false };
  const definition = defineService({
    name: 'archive',
    config: {},
    async start(app) {
      app.serve({ findPage: Rpc.findPage, listPages: Rpc.listPages }, [
        handle(Rpc.findPage, async (request, ctx) => {
          asked.push({ ...request, workspaceId: callerOf(ctx).workspaceId });
          return { row: face.earlier };
        }),
        handle(Rpc.listPages, async (request, ctx) => {
          if (face.isAway) throw new AppError('unavailable', 'the fake is told to be away');
          listed.push({ ...request, workspaceId: callerOf(ctx).workspaceId });
          const rows = request.ids.flatMap((id) => stored.get(id) ?? []);
          return { pages: rows.map((row) => ({ row, bodies: Buffer.alloc(0) })), nextCursor: '' };
        }),
      ]);
    },
  });
  return Object.assign(face, await startService(definition, {}), { asked, listed, stored });
}

import { type FindPageRequest, ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '@tidemark/testkit';

/** An archive with stored rows that answers the calls of scrape. */
export interface FakeArchive extends RunningService {
  /** Every request for an earlier page, with its workspace. */
  readonly asked: readonly (FindPageRequest & { readonly workspaceId: string })[];
  /** The response to the next such request. */
  earlier: PageRow | undefined;
}

export async function startFakeArchive(): Promise<FakeArchive> {
  const asked: (FindPageRequest & { workspaceId: string })[] = [];
  const face: Pick<FakeArchive, 'earlier'> = { earlier: undefined };
  const definition = defineService({
    name: 'archive',
    config: {},
    async start(app) {
      app.serve({ findPage: Rpc.findPage }, [
        handle(Rpc.findPage, async (request, ctx) => {
          asked.push({ ...request, workspaceId: callerOf(ctx).workspaceId });
          return { row: face.earlier };
        }),
      ]);
    },
  });
  return Object.assign(face, await startService(definition, {}), { asked });
}

import { type FindPageRequest, ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '@tidemark/testkit';

/** An archive with stored rows that answers the calls of scrape. */
export interface FakeArchive extends RunningService {
  /** Every request for an earlier page, with its workspace. */
  readonly requests: readonly (FindPageRequest & { readonly workspaceId: string })[];
  /** The response to the next such request. */
  earlier: PageRow | undefined;
}

export async function startFakeArchive(): Promise<FakeArchive> {
  const requests: (FindPageRequest & { workspaceId: string })[] = [];
  const service: Pick<FakeArchive, 'earlier'> = { earlier: undefined };
  const definition = defineService({
    name: 'archive',
    config: {},
    async start(app) {
      app.serve({ findPage: Rpc.findPage }, [
        handle(Rpc.findPage, async (request, ctx) => {
          requests.push({ ...request, workspaceId: callerOf(ctx).workspaceId });
          return { row: service.earlier };
        }),
      ]);
    },
  });
  return Object.assign(service, await startService(definition, {}), { requests });
}

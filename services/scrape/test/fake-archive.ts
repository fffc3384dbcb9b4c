import { type FindPageRequest, ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '@tidemark/testkit';

/** An archive that remembers what it is told to, and answers what scrape asks of one. */
export interface FakeArchive extends RunningService {
  /** Every question for an earlier page, and whose it was. */
  readonly asked: readonly (FindPageRequest & { readonly workspaceId: string })[];
  /** What the next such question is answered with. */
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

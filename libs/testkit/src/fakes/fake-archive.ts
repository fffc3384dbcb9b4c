import { type FindPageRequest, ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '../start-service.ts';

/** An archive that remembers what it is told to. */
export interface FakeArchive extends RunningService {
  /** Every question for an earlier page, and whose it was. */
  readonly asked: readonly (FindPageRequest & { readonly workspaceId: string })[];
  /** What the next such question is answered with. */
  earlier: PageRow | undefined;
}

export async function startFakeArchive(): Promise<FakeArchive> {
  const asked: (FindPageRequest & { workspaceId: string })[] = [];
  const face: Pick<FakeArchive, 'earlier'> = { earlier: undefined };
  const unasked = (): never => {
    throw new AppError('internal', 'the fake archive answers only questions for earlier pages');
  };
  const definition = defineService({
    name: 'archive',
    config: {},
    async start(app) {
      app.serve(Rpc, [
        handle(Rpc.findPage, async (request, ctx) => {
          asked.push({ ...request, workspaceId: callerOf(ctx).workspaceId });
          return { row: face.earlier };
        }),
        handle(Rpc.findPages, async () => ({ rows: [] })),
        handle(Rpc.listPages, async () => unasked()),
        handle(Rpc.readAttachment, async () => unasked()),
      ]);
    },
  });
  return Object.assign(face, await startService(definition, {}), { asked });
}

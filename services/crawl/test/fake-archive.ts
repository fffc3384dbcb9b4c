import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { AppError } from '@tidemark/errors';
import { defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '@tidemark/testkit';

/** An archive that has no earlier readings, which is all a crawl asks it for. */
export function startEmptyArchive(): Promise<RunningService> {
  const unasked = (): never => {
    throw new AppError('internal', 'a crawl asks for earlier pages alone');
  };
  const definition = defineService({
    name: 'archive',
    config: {},
    async start(app) {
      app.serve(Rpc, [
        handle(Rpc.findPages, async () => ({ rows: [] })),
        handle(Rpc.findPage, async () => unasked()),
        handle(Rpc.listPages, async () => unasked()),
        handle(Rpc.readAttachment, async () => unasked()),
        handle(Rpc.queryPages, async () => unasked()),
        handle(Rpc.searchPages, async () => unasked()),
        handle(Rpc.getPage, async () => unasked()),
        handle(Rpc.summarizeRun, async () => unasked()),
      ]);
    },
  });
  return startService(definition, {});
}

import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '../start-service.ts';
import { withUnimplemented } from './with-unimplemented.ts';

/** Starts an archive without pages. */
export function startEmptyArchive(): Promise<RunningService> {
  const definition = defineService({
    name: 'archive',
    config: {},
    async start(app) {
      app.serve(
        Rpc,
        withUnimplemented(Rpc, [
          handle(Rpc.findPages, async () => ({ rows: [] })),
          handle(Rpc.findPage, async () => ({ row: undefined })),
        ]),
      );
    },
  });
  return startService(definition, {});
}

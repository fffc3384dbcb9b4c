import { Connection, ExportServiceService as Rpc } from '@tidemark/contracts/export/v1/export';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService, withUnimplemented } from '@tidemark/testkit';

/** An export that stores only which connections exist. */
export interface FakeExport extends RunningService {
  /** Workspaces by connection. */
  readonly owners: Map<string, string>;
  isUnavailable: boolean;
}

export async function startFakeExport(): Promise<FakeExport> {
  const owners = new Map<string, string>();
  const controls = { isUnavailable: false };
  const definition = defineService({
    name: 'export',
    config: {},
    async start(app) {
      app.serve(
        Rpc,
        withUnimplemented(Rpc, [
          handle(Rpc.getConnection, async ({ id }, ctx) => {
            if (controls.isUnavailable) throw new AppError('unavailable', 'export cannot be reached');
            if (owners.get(id) === callerOf(ctx).workspaceId) return { connection: Connection.fromPartial({ id }) };
            throw new AppError('not_found', 'connection not found');
          }),
        ]),
      );
    },
  });
  return Object.assign(controls, await startService(definition, {}), { owners });
}

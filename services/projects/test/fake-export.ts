import { Connection, ExportServiceService as Rpc } from '@tidemark/contracts/export/v1/export';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService, withRest } from '@tidemark/testkit';

/** Connections of workspaces, and nothing behind them. */
export interface FakeExport extends RunningService {
  /** Whose each connection is. */
  readonly owners: Map<string, string>;
  isAway: boolean;
}

export async function startFakeExport(): Promise<FakeExport> {
  const owners = new Map<string, string>();
  const face = { isAway: false };
  const definition = defineService({
    name: 'export',
    config: {},
    async start(app) {
      app.serve(
        Rpc,
        withRest(Rpc, [
          handle(Rpc.getConnection, async ({ id }, ctx) => {
            if (face.isAway) throw new AppError('unavailable', 'nobody answers');
            if (owners.get(id) === callerOf(ctx).workspaceId) return { connection: Connection.fromPartial({ id }) };
            throw new AppError('not_found', 'connection not found');
          }),
        ]),
      );
    },
  });
  return Object.assign(face, await startService(definition, {}), { owners });
}

import { IdentityServiceService as Rpc, type WorkspaceSnapshot } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import { defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '../start-service.ts';
import { withUnimplemented } from './with-unimplemented.ts';

/** Identity as billing calls it. Every workspace exists, has welcome credits and pays for itself, except as set here. */
export interface FakeIdentity extends RunningService {
  /** Facts of workspaces; `undefined`: the workspace does not exist. */
  readonly snapshot: Map<string, Partial<WorkspaceSnapshot> | undefined>;
}

export async function startFakeIdentity(): Promise<FakeIdentity> {
  const snapshot: FakeIdentity['snapshot'] = new Map();
  const definition = defineService({
    name: 'identity',
    config: {},
    async start(app) {
      const answered = [
        handle(Rpc.describeAccount, async ({ workspaceId }) => {
          if (snapshot.has(workspaceId) && snapshot.get(workspaceId) === undefined)
            throw new AppError('not_found', 'workspace not found');
          const all = { version: 1, state: 'active' as const, parentId: '', plan: '', cap: 0, isWelcome: true };
          return { snapshot: { ...all, workspaceId, suspendedAt: undefined, ...snapshot.get(workspaceId) } };
        }),
      ];
      app.serve(Rpc, withUnimplemented(Rpc, answered));
    },
  });
  return Object.assign(await startService(definition, {}), { snapshot });
}

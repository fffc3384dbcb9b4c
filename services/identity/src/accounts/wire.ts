import type { Workspace } from '@tidemark/contracts/identity/v1/identity';
import type { WorkspaceView } from '../store/workspace-store.ts';

/** Translates a workspace to its message. */
export const toWireWorkspace = (workspace: WorkspaceView): Workspace => ({
  id: workspace.id,
  name: workspace.name,
  plan: workspace.plan,
  maxRpm: workspace.maxRpm ?? undefined,
  createdAt: workspace.createdAt,
  requireSecondFactor: workspace.requireSecondFactor,
  parentId: workspace.parentId ?? undefined,
  suspendedAt: workspace.operatorSuspendedAt ?? workspace.suspendedAt ?? undefined,
  suspensionReason: workspace.suspensionReason ?? undefined,
});

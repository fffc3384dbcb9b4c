import type { OpenExits } from '../exits/open-exits.ts';
import type { RenderTask } from '../page/render-task.ts';

/** Adds the exit of the lease; undefined if the workspace holds no such lease. */
export async function withExit(
  task: RenderTask,
  leaseId: string | undefined,
  { exits, leases }: Pick<OpenExits, 'exits' | 'leases'>,
): Promise<RenderTask | undefined> {
  if (leaseId === undefined) return task;
  const lease = await leases.find(leaseId, task.workspaceId);
  const exit = lease === undefined ? undefined : exits.named(lease.exit);
  return exit === undefined ? undefined : { ...task, exit };
}

import type { Workspace } from '@tidemark/contracts/identity/v1/identity';

/** The origin of a suspension. Keys and members of the workspace are refused, except on routes about the person. */
export type Suspension = { readonly by: 'parent' } | { readonly by: 'operator'; readonly reason: string };

/** Returns the suspension of a workspace; undefined: it is active. That of the operator comes first. */
export function suspensionOf({ suspendedAt, suspensionReason }: Workspace): Suspension | undefined {
  if (suspensionReason !== undefined) return { by: 'operator', reason: suspensionReason };
  return suspendedAt === undefined ? undefined : { by: 'parent' };
}

import { allowsProject, type Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { callerOf, type HandlerContext } from '@tidemark/service';

/** Maximum number of entries of one response. */
export const MAX_PAGE_SIZE = 1_000;

export const clamp = (limit: number, max: number): number => Math.min(Math.max(limit, 1), max);

/** @throws AppError not_found if the caller's key is restricted to other projects */
export function requireProjectAccess(ctx: HandlerContext, projectId: string): Caller {
  const caller = callerOf(ctx);
  if (!allowsProject(caller.access, projectId)) throw new AppError('not_found', 'project not found');
  return caller;
}

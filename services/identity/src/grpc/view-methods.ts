import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, type CallContext, callerOf, handle } from '@tidemark/service';
import type { SavedViews } from '../accounts/saved-views.ts';
import type { Member } from '../store/view-store.ts';

/** Returns the member of a call: a signed-in person in a workspace. @throws AppError forbidden for a key, unauthorized without caller */
function requireMember(ctx: CallContext): Member {
  const caller = callerOf(ctx);
  if (caller.kind !== 'person')
    throw new AppError('forbidden', 'this route concerns a signed-in person; an API key can not use it');
  return { workspaceId: caller.workspaceId, userId: caller.userId };
}

/** Binds the methods of saved views. */
export function viewMethods(views: SavedViews): BoundMethod[] {
  return [
    handle(Rpc.listSavedViews, async (_, ctx) => ({ views: await views.list(requireMember(ctx)) })),
    handle(Rpc.saveView, async (request, ctx) => ({ view: await views.save(requireMember(ctx), request) })),
    handle(Rpc.renameSavedView, async (request, ctx) => ({ view: await views.rename(requireMember(ctx), request) })),
    handle(Rpc.deleteSavedView, async ({ id }, ctx) => {
      await views.delete(requireMember(ctx), id);
      return {};
    }),
  ];
}

import { type Child, ChildServiceService as Rpc } from '@tidemark/contracts/identity/v1/children';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import { toWireWorkspace } from '../accounts/wire.ts';
import type { Children } from '../children/manage-children.ts';
import type { ChildRecord } from '../store/child-store.ts';

const toChild = ({ id, name, cap, suspendedAt, createdAt }: ChildRecord): Child => ({
  id,
  name,
  cap: cap || undefined,
  createdAt,
  suspendedAt: suspendedAt ?? undefined,
});

/** Binds the methods of sub-accounts. */
export function childMethods(children: Children): BoundMethod[] {
  return [
    handle(Rpc.listChildren, async ({ cursor, limit }, ctx) => {
      const { found, used, allowed } = await children.list(callerOf(ctx), { cursor, limit });
      const page = found.slice(0, limit);
      const nextCursor = found.length > limit ? page.at(-1)?.id : undefined;
      return { children: page.map(toChild), nextCursor, used, allowed };
    }),
    handle(Rpc.createChild, async (request, ctx) => {
      const { child, replayed } = await children.create(callerOf(ctx), request);
      return { child: toChild(child), replayed };
    }),
    handle(Rpc.getChild, async ({ id }, ctx) => {
      const { child, actors } = await children.read(callerOf(ctx), id);
      return { child: toChild(child), actors };
    }),
    handle(Rpc.updateChild, async ({ id, ...change }, ctx) => ({
      child: toChild(await children.update(callerOf(ctx), id, change)),
    })),
    handle(Rpc.enterChild, async (request, ctx) => ({
      workspace: toWireWorkspace(await children.enter(callerOf(ctx), request)),
    })),
  ];
}

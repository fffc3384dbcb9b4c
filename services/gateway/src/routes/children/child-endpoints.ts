import { routes } from '@tidemark/api';
import { BillingServiceService as Billing } from '@tidemark/contracts/billing/v1/billing';
import { ChildServiceService as Rpc } from '@tidemark/contracts/identity/v1/children';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import type { Authenticator } from '../../middleware/authenticate.ts';
import { type Authenticated, requireCaller } from '../../middleware/authenticated.ts';
import { checkedId } from '../../requests/checked-id.ts';
import { toMonth } from '../../responses/month-spend.ts';
import { requestedAccess, requireProjects, toKey } from '../workspace/key-endpoints.ts';
import { toActor, toChild } from './child-response.ts';

interface Deps {
  readonly identity: Peer;
  readonly billing: Peer;
  readonly projects: Peer;
  readonly authenticator: Authenticator;
}

const childId = (id: string): string => checkedId('ws', id, 'sub-account');

/** Endpoints of sub-accounts, for their parent. */
export function childEndpoints(deps: Deps): Endpoint[] {
  return [...readEndpoints(deps), ...changeEndpoints(deps), ...childKeyEndpoints(deps)];
}

function readEndpoints({ identity, billing }: Deps): Endpoint[] {
  return [
    endpoint(routes.listChildren, async ({ query, baseUrl, call, requestId, cursors }) => {
      const cursor = cursors.openId('ws', query.cursor);
      const { children, nextCursor, used, allowed } = await identity.call(
        Rpc.listChildren,
        { cursor, limit: query.limit },
        call,
      );
      const spends = await spendsOf(
        billing,
        children.map(({ id }) => id),
        call,
      );
      const data = children.map((child) => toChild(child, spends.get(child.id)));
      const nextPage = cursors.nextPage(`${baseUrl}/orgs/children?limit=${query.limit}`, nextCursor);
      return {
        status: 200,
        body: { data, limit: allowed, used, ...nextPage, creditsUsed: 0, request_id: requestId },
      };
    }),

    endpoint(routes.getChild, async ({ params, auth, call, requestId }) => {
      const id = childId(params.child_id);
      const { child, actors } = await identity.call(Rpc.getChild, { id }, call);
      const statement = await billing.call(Billing.statement, {}, callIn(id, { auth, requestId }));
      const { workspaceId } = requireCaller(auth);
      const month = { ...toChild(child, statement), ...toMonth(statement, workspaceId), actors: actors.map(toActor) };
      return { status: 200, body: { ...month, creditsUsed: 0, request_id: requestId } };
    }),
  ];
}

function changeEndpoints({ identity, billing, authenticator }: Deps): Endpoint[] {
  return [
    endpoint(routes.createChild, async ({ body, baseUrl, call, requestId }, { repetition }) => {
      const { idempotencyKey, bodyHash } = repetition;
      const request = { ...body, idempotencyKey, requestHash: bodyHash };
      const { child } = await identity.call(Rpc.createChild, request, call);
      const created = toChild(child, undefined);
      const headers = { location: `${baseUrl}/orgs/children/${created.id}` };
      return { status: 201, body: { ...created, creditsUsed: 0, request_id: requestId }, headers };
    }),

    endpoint(routes.patchChild, async ({ params, body, call, requestId }) => {
      const id = childId(params.child_id);
      const { name, cap, suspended } = body;
      const { child } = await identity.call(Rpc.updateChild, { id, name, cap, suspended }, call);
      authenticator.clearCache();
      const spends = await spendsOf(billing, [id], call);
      return { status: 200, body: { ...toChild(child, spends.get(id)), creditsUsed: 0, request_id: requestId } };
    }),
  ];
}

/** Endpoints of the keys of a sub-account; also while it is suspended. */
function childKeyEndpoints({ identity, projects, authenticator }: Deps): Endpoint[] {
  /** Returns the context of calls in a sub-account. @throws AppError not_found */
  const enter = async (id: string, { auth, call, requestId }: Around): Promise<CallContext> => {
    await identity.call(Rpc.enterChild, { id: childId(id), calls: 1 }, call);
    return callIn(id, { auth, requestId });
  };
  return [
    endpoint(routes.listChildKeys, async ({ params, query, auth, baseUrl, call, requestId, cursors }) => {
      const cursor = cursors.openId('key', query.cursor);
      const inChild = await enter(params.child_id, { auth, call, requestId });
      const { keys, nextCursor } = await identity.call(Identity.listKeys, { cursor, limit: query.limit }, inChild);
      const url = `${baseUrl}/orgs/children/${params.child_id}/keys?limit=${query.limit}`;
      const body = { data: keys.map(toKey), ...cursors.nextPage(url, nextCursor), creditsUsed: 0 };
      return { status: 200, body: { ...body, request_id: requestId } };
    }),

    endpoint(routes.createChildKey, async ({ params, body, auth, call, requestId }) => {
      const inChild = await enter(params.child_id, { auth, call, requestId });
      const { name, scopes, projects: requested, rpm, expires_in_days: expiresInDays } = body;
      await requireProjects(projects, requested, inChild);
      const created = await identity.call(
        Identity.createKey,
        { name, scopes, access: requestedAccess(requested), expiresInDays, rpm },
        inChild,
      );
      if (created.key === undefined) throw new AppError('internal', 'identity returned no key');
      const { secret } = created;
      return { status: 201, body: { ...toKey(created.key), secret, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.revokeChildKey, async ({ params, auth, call, requestId }) => {
      const inChild = await enter(params.child_id, { auth, call, requestId });
      await identity.call(Identity.revokeKey, { id: checkedId('key', params.key_id, 'key') }, inChild);
      authenticator.clearCache();
      return { status: 204 };
    }),
  ];
}

interface Around {
  readonly auth: Authenticated;
  readonly call: CallContext;
  readonly requestId: string;
}

/** Returns the context of calls that the parent makes in a sub-account, whose parent it is known to be. */
const callIn = (id: string, { auth, requestId }: Pick<Around, 'auth' | 'requestId'>): CallContext => ({
  caller: { ...requireCaller(auth), workspaceId: id, parentId: requireCaller(auth).workspaceId },
  requestId,
});

async function spendsOf(billing: Peer, workspaceIds: string[], call: CallContext) {
  if (workspaceIds.length === 0) return new Map<string, never>();
  const { spends } = await billing.call(Billing.listSpend, { workspaceIds }, call);
  return new Map(spends.map((spend) => [spend.workspaceId, spend]));
}

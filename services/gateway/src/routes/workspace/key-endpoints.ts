import { routes } from '@tidemark/api';
import { isId } from '@tidemark/contracts';
import { type Key, IdentityServiceService as Rpc } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import type { Authenticator } from '../../middleware/authenticate.ts';

function toKey(key: Key) {
  return {
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    projects: key.projects,
    rpm: key.rpm ?? null,
    lastFour: key.lastFour,
    createdBy: key.createdBy || null,
    createdAt: (key.createdAt ?? new Date(0)).toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}

export function keyEndpoints({
  identity,
  authenticator,
}: {
  identity: Peer;
  authenticator: Authenticator;
}): Endpoint[] {
  return [
    endpoint(routes.listKeys, async ({ query, baseUrl, call, requestId, cursors }) => {
      const cursor = cursors.openId('key', query.cursor);
      const { keys, nextCursor } = await identity.call(Rpc.listKeys, { cursor, limit: query.limit }, call);
      const nextPage = cursors.nextPage(`${baseUrl}/me/keys?limit=${query.limit}`, nextCursor);
      return {
        status: 200,
        body: { data: keys.map(toKey), ...nextPage, creditsUsed: 0, request_id: requestId },
      };
    }),

    endpoint(routes.createKey, async ({ body, call, requestId }) => {
      const { name, scopes, projects, rpm, expires_in_days: expiresInDays } = body;
      const { key, secret } = await identity.call(Rpc.createKey, { name, scopes, projects, expiresInDays, rpm }, call);
      if (key === undefined) throw new AppError('internal', 'identity returned no key');
      return { status: 201, body: { ...toKey(key), secret, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.revokeKey, async ({ params, call }) => {
      if (!isId('key', params.id)) throw new AppError('not_found', 'key not found');
      await identity.call(Rpc.revokeKey, { id: params.id }, call);
      authenticator.clearCache();
      return { status: 204 };
    }),
  ];
}

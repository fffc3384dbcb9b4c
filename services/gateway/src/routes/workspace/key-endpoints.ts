import { routes } from '@tidemark/api';
import { ALL_PROJECTS, accessToWire, isId, onlyProjects, projectLimitOf, SCOPES } from '@tidemark/contracts';
import { type Key, IdentityServiceService as Rpc } from '@tidemark/contracts/identity/v1/identity';
import { ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { type Authenticator, accessOfKey } from '../../middleware/authenticate.ts';
import { checkedId } from '../../requests/checked-id.ts';
import { oneOf } from '../../responses/one-of.ts';

export function toKey(key: Key) {
  return {
    id: key.id,
    name: key.name,
    scopes: key.scopes.map((scope) => oneOf(SCOPES, scope)),
    projects: projectLimitOf(accessOfKey(key)) ?? [],
    rpm: key.rpm ?? null,
    lastFour: key.lastFour,
    createdBy: isId('key', key.createdBy) || isId('usr', key.createdBy) ? key.createdBy : null,
    createdAt: (key.createdAt ?? new Date(0)).toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}

/** Returns the access of a new key. A request without projects is for all of them. */
export const requestedAccess = (projects: readonly string[]) =>
  accessToWire(projects.length === 0 ? ALL_PROJECTS : onlyProjects(projects));

/** Faults in one error. */
const MAX_FAULTS = 20;

/** Refuses projects that the workspace does not have: the key would see nothing of them. @throws AppError validation (422) */
export async function requireProjects(projects: Peer, ids: readonly string[], call: CallContext): Promise<void> {
  if (ids.length === 0) return;
  const { missing } = await projects.call(Projects.listMissingProjects, { ids: [...ids] }, call);
  if (missing.length === 0) return;
  const unknown = new Set(missing);
  const faults = ids.flatMap((id, at) =>
    unknown.has(id)
      ? [{ loc: ['body', 'projects', at], msg: `expected a project of this workspace, got "${id}"`, type: 'not_found' }]
      : [],
  );
  const messages = faults.slice(0, MAX_FAULTS).map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
  const more = faults.length > MAX_FAULTS ? [`and ${faults.length - MAX_FAULTS} more`] : [];
  throw new AppError('validation', [...messages, ...more].join('; '), { detail: faults.slice(0, MAX_FAULTS) });
}

export function keyEndpoints({
  identity,
  projects: projectsPeer,
  authenticator,
}: {
  identity: Peer;
  projects: Peer;
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
      await requireProjects(projectsPeer, projects, call);
      const { key, secret } = await identity.call(
        Rpc.createKey,
        { name, scopes, access: requestedAccess(projects), expiresInDays, rpm },
        call,
      );
      if (key === undefined) throw new AppError('internal', 'identity returned no key');
      return { status: 201, body: { ...toKey(key), secret, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.revokeKey, async ({ params, call }) => {
      await identity.call(Rpc.revokeKey, { id: checkedId('key', params.id, 'key') }, call);
      authenticator.clearCache();
      return { status: 204 };
    }),
  ];
}

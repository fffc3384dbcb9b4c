import { actorOf, type Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { accessRemoved } from '../store/access-removed.ts';
import { writeAudit } from '../store/audit-log.ts';
import { hasKey, revokeKeys } from '../store/giver-store.ts';
import type { SendEvents } from '../store/send-events.ts';
import { refuseRestrictedKey } from './refuse-restricted-key.ts';
import { withdrawRights } from './withdraw-rights.ts';

/**
 * Revokes a key with the keys and open invitations that it made, directly or through them. A key may revoke itself, whatever its access.
 * @throws AppError forbidden, not_found
 */
export type RevokeKey = (caller: Caller, keyId: string) => Promise<void>;

export function makeRevokeKey({ pool, send }: { readonly pool: pg.Pool; readonly send: SendEvents }): RevokeKey {
  return async (caller, keyId) => {
    if (caller.kind !== 'key' || caller.keyId !== keyId) refuseRestrictedKey(caller);
    const { workspaceId } = caller;
    const events = await inTransaction(pool, async (db) => {
      const keyIds = (await hasKey(db, { workspaceId, keyId })) ? [keyId] : [];
      return endKeys(db, { workspaceId, keyIds, by: actorOf(caller) });
    });
    if (events.length === 0) throw new AppError('not_found', 'key not found');
    send(events);
  };
}

/** Ends keys of a workspace with all that they gave. @returns the events that are sent after the commit; none if no key was left to end */
export async function endKeys(
  db: pg.PoolClient,
  {
    workspaceId,
    keyIds,
    by,
  }: { readonly workspaceId: string; readonly keyIds: readonly string[]; readonly by: string },
): Promise<OutgoingEvent[]> {
  const ended = (await revokeKeys(db, keyIds, by)).map(({ id }) => id);
  if (ended.length === 0) return [];
  for (const subjectId of ended) await writeAudit(db, { workspaceId, actorId: by, action: 'key.revoked', subjectId });
  const own = accessRemoved(workspaceId, ended, new Date());
  await writeEvents(db, own);
  const { events } = await withdrawRights(db, { workspaceId, by, loss: { kind: 'keys_revoked', keyIds: ended } });
  return [...own, ...events];
}

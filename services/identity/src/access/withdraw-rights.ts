import type { OutgoingEvent } from '@tidemark/service';
import { writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { accessRemoved } from '../store/access-removed.ts';
import { writeAudit } from '../store/audit-log.ts';
import { readGiven, revokeKeys } from '../store/giver-store.ts';
import { revokeInvites } from '../store/invite-store.ts';
import { type LossOfRights, rightsLost } from './rights-lost.ts';

export interface Withdrawal {
  /** The workspace in which the giver loses rights; its sub-accounts are included. */
  readonly workspaceId: string;
  readonly loss: LossOfRights;
  /** The person or key that caused the loss, or the name of a service. */
  readonly by: string;
}

/** What a withdrawal ended. `events` are written; the caller sends them after the commit. */
export interface Withdrawn {
  readonly keyIds: readonly string[];
  readonly events: readonly OutgoingEvent[];
}

/**
 * Ends the keys and open invitations that exceed givers with fewer rights, in the transaction of the loss, with an audit entry and an event each. The
 * row of the giver is changed before: a key or invitation that it makes at the same time is either seen here or refused there.
 */
export async function withdrawRights(db: pg.PoolClient, { workspaceId, loss, by }: Withdrawal): Promise<Withdrawn> {
  const ended: string[] = [];
  const events: OutgoingEvent[] = [];
  // A key that was being made by a key that has now ended is found by the next turn; each turn ends at least one key.
  for (let next: LossOfRights | undefined = loss; next !== undefined; ) {
    const { keyIds, inviteIds } = rightsLost(await readGiven(db, workspaceId, giversOf(next)), next);
    const keys = await revokeKeys(db, keyIds, by);
    const detail = detailOf(loss);
    for (const { id: subjectId, workspaceId: of } of keys)
      await writeAudit(db, { workspaceId: of, actorId: by, action: 'key.revoked', subjectId, detail });
    for (const { id: subjectId, workspaceId: of } of await revokeInvites(db, inviteIds))
      await writeAudit(db, { workspaceId: of, actorId: by, action: 'invite.revoked', subjectId, detail });
    const removed = keys.flatMap(({ id, workspaceId: of }) => accessRemoved(of, [id], new Date()));
    await writeEvents(db, removed);
    events.push(...removed);
    ended.push(...keys.map(({ id }) => id));
    next = keys.length === 0 ? undefined : { kind: 'keys_revoked', keyIds: keys.map(({ id }) => id) };
  }
  return { keyIds: ended, events };
}

const giversOf = (loss: LossOfRights): readonly string[] =>
  loss.kind === 'keys_revoked' ? loss.keyIds : [loss.userId];

/** Names the giver whose loss was the cause. */
const detailOf = (loss: LossOfRights): Readonly<Record<string, string>> =>
  loss.kind === 'keys_revoked' ? { key: loss.keyIds[0] ?? '' } : { member: loss.userId };

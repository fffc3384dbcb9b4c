import type { Account } from '@tidemark/contracts';
import type { ListSessionsResponse } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import { writePersonAudit } from '../store/audit-log.ts';
import type { AccountParts } from './account-parts.ts';
import { type OpenedSession, rotateSession } from './open-session.ts';
import { sessionEnded } from './view-session.ts';

type Parts = Pick<AccountParts, 'pool' | 'sessions' | 'members'>;

/** Lists the sessions of a person, the latest first. */
export function makeListSessions({ sessions }: Pick<Parts, 'sessions'>) {
  return async ({ userId, sessionId }: Account): Promise<ListSessionsResponse> => ({
    sessions: (await sessions.list(userId)).map((item) => ({ ...item, isCurrent: item.id === sessionId })),
  });
}

/** Ends one session of a person, or all but the current one. @throws AppError not_found */
export function makeEndSessions({ pool, sessions }: Pick<Parts, 'pool' | 'sessions'>) {
  return async ({ userId, sessionId }: Account, id: string): Promise<void> => {
    if (id === '') return endAll({ pool, sessions }, userId, sessionId);
    if (!(await sessions.end(userId, id))) throw new AppError('not_found', 'session not found');
  };
}

/** Ends the session of a person, or every one. */
export function makeLogOut({ pool, sessions }: Pick<Parts, 'pool' | 'sessions'>) {
  return async ({ userId, sessionId }: Account, everywhere: boolean): Promise<void> => {
    if (everywhere) await endAll({ pool, sessions }, userId);
    else await sessions.end(userId, sessionId);
  };
}

/** Ends all sessions of a person, except one if its id is given, with an entry in each workspace of the person. */
const endAll = ({ pool, sessions }: Pick<Parts, 'pool' | 'sessions'>, userId: string, exceptId = ''): Promise<void> =>
  inTransaction(pool, async (db) => {
    await sessions.endAll(db, userId, exceptId);
    await writePersonAudit(db, userId, 'session.ended', { detail: { all: true } });
  });

/** Moves a session to another workspace of the person. @throws AppError not_found where the person is no member */
export function makeSwitchWorkspace({ pool, sessions, members }: Parts) {
  return async ({ userId, sessionId }: Account, workspaceId: string): Promise<OpenedSession> => {
    if ((await members.find(workspaceId, userId)) === undefined) throw new AppError('not_found', 'workspace not found');
    const session = await rotateSession(sessions, pool, { id: sessionId, workspaceId });
    if (session === undefined) throw sessionEnded();
    return session;
  };
}

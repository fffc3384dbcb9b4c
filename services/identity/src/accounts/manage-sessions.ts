import type { ListSessionsResponse } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import type { AccountParts, Person } from './account-parts.ts';
import { type OpenedSession, rotateSession } from './open-session.ts';
import { sessionEnded } from './view-session.ts';

type Parts = Pick<AccountParts, 'pool' | 'sessions' | 'members'>;

/** Lists the sessions of a person, the latest first. */
export function makeListSessions({ sessions }: Pick<Parts, 'sessions'>) {
  return async ({ userId, sessionId }: Person): Promise<ListSessionsResponse> => ({
    sessions: (await sessions.list(userId)).map((item) => ({ ...item, isCurrent: item.id === sessionId })),
  });
}

/** Ends one session of a person, or all but the current one. @throws AppError not_found */
export function makeEndSessions({ pool, sessions }: Pick<Parts, 'pool' | 'sessions'>) {
  return async ({ userId, sessionId }: Person, id: string): Promise<void> => {
    if (id === '') return sessions.endAll(pool, userId, sessionId);
    if (!(await sessions.end(userId, id))) throw new AppError('not_found', 'session not found');
  };
}

/** Ends the session of a person, or every one. */
export function makeLogOut({ pool, sessions }: Pick<Parts, 'pool' | 'sessions'>) {
  return async ({ userId, sessionId }: Person, everywhere: boolean): Promise<void> => {
    if (everywhere) await sessions.endAll(pool, userId);
    else await sessions.end(userId, sessionId);
  };
}

/** Moves a session to another workspace of the person. @throws AppError not_found where the person is no member */
export function makeSwitchWorkspace({ pool, sessions, members }: Parts) {
  return async ({ userId, sessionId }: Person, workspaceId: string): Promise<OpenedSession> => {
    if ((await members.find(workspaceId, userId)) === undefined) throw new AppError('not_found', 'workspace not found');
    const session = await rotateSession(sessions, pool, { id: sessionId, workspaceId });
    if (session === undefined) throw sessionEnded();
    return session;
  };
}

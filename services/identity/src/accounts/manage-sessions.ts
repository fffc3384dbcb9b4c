import type { Person } from '@tidemark/contracts';
import type { ListSessionsResponse } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { writePersonAudit } from '../store/audit-log.ts';
import type { MemberStore } from '../store/member-store.ts';
import type { SessionStore } from '../store/session-store.ts';
import { type OpenedSession, rotateSession } from './open-session.ts';
import { sessionEnded } from './view-session.ts';

/** Lists the sessions of a person, the latest first. */
export type ListSessions = (person: Person) => Promise<ListSessionsResponse>;

export function makeListSessions({ sessions }: { readonly sessions: SessionStore }): ListSessions {
  return async ({ userId, sessionId }) => ({
    sessions: (await sessions.list(userId)).map((item) => ({ ...item, isCurrent: item.id === sessionId })),
  });
}

/** Ends one session of a person, or all but the current one. @throws AppError not_found */
export type EndSessions = (person: Person, which: { readonly id: string } | 'all_others') => Promise<void>;

export function makeEndSessions({
  pool,
  sessions,
}: {
  readonly pool: pg.Pool;
  readonly sessions: SessionStore;
}): EndSessions {
  return async ({ userId, sessionId }, which) => {
    if (which === 'all_others') return endAll({ pool, sessions }, userId, sessionId);
    if (!(await sessions.end(userId, which.id))) throw new AppError('not_found', 'session not found');
  };
}

/** Ends the session of a person, or every one. */
export type LogOut = (person: Person, everywhere: boolean) => Promise<void>;

export function makeLogOut({ pool, sessions }: { readonly pool: pg.Pool; readonly sessions: SessionStore }): LogOut {
  return async ({ userId, sessionId }, everywhere) => {
    if (everywhere) await endAll({ pool, sessions }, userId);
    else await sessions.end(userId, sessionId);
  };
}

/** Ends all sessions of a person, except one if its id is given, with an entry in each workspace of the person. */
const endAll = (
  { pool, sessions }: { readonly pool: pg.Pool; readonly sessions: SessionStore },
  userId: string,
  exceptId = '',
): Promise<void> =>
  inTransaction(pool, async (db) => {
    await sessions.endAll(db, userId, exceptId);
    await writePersonAudit(db, userId, 'session.ended', { detail: { all: true } });
  });

/** Moves a session to another workspace of the person. @throws AppError not_found where the person is no member */
export type SwitchWorkspace = (person: Person, workspaceId: string) => Promise<OpenedSession>;

export function makeSwitchWorkspace({
  pool,
  sessions,
  members,
}: {
  readonly pool: pg.Pool;
  readonly sessions: SessionStore;
  readonly members: MemberStore;
}): SwitchWorkspace {
  return async ({ userId, sessionId }, workspaceId) => {
    if ((await members.find(workspaceId, userId)) === undefined) throw new AppError('not_found', 'workspace not found');
    const session = await rotateSession(sessions, pool, { id: sessionId, workspaceId });
    if (session === undefined) throw sessionEnded();
    return session;
  };
}

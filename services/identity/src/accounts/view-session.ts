import type { Session, User } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import type { SessionRecord } from '../store/session-store.ts';
import type { UserView } from '../store/user-store.ts';
import type { AccountParts } from './account-parts.ts';
import { toWireWorkspace } from './wire.ts';

export const toWireUser = (user: UserView): User => ({
  id: user.id,
  name: user.name,
  email: user.email,
  isEmailVerified: user.isVerified,
  hasFactor: user.hasFactor,
  hasApp: user.hasApp,
  passkeys: user.passkeys,
  hasPassword: user.passwordHash !== null,
  hasPendingFactor: user.hasPendingFactor,
  recoveryCodesLeft: user.recoveryCodesLeft,
});

/** Returns the session as its person sees it. A half session shows no workspaces. @throws AppError unauthorized if it has ended */
export function makeViewSession({
  users,
  sessions,
  members,
  workspaces,
  now,
}: Pick<AccountParts, 'users' | 'sessions' | 'members' | 'workspaces' | 'now'>) {
  return async (sessionId: string): Promise<Session> => {
    const session = await sessions.find(sessionId);
    const user = session && (await users.find(session.userId));
    if (session === undefined || user === undefined) throw sessionEnded();
    const isFull = session.state === 'full';
    const isMember = isFull && session.role !== null && session.workspaceId !== null;
    const workspace = isMember ? await workspaces.find(session.workspaceId ?? '') : undefined;
    return {
      id: session.id,
      state: session.state,
      user: toWireUser(user),
      workspace: workspace && toWireWorkspace(workspace),
      role: workspace === undefined ? '' : (session.role ?? ''),
      workspaces: isFull ? await members.workspacesOf(user.id) : [],
      createdAt: session.createdAt,
      expiresAt: session.expiresAt,
      codeFreshUntil: freshUntil(session, now()),
    };
  };
}

export const sessionEnded = (): AppError =>
  new AppError('unauthorized', 'the session has ended or does not exist; sign in');

const freshUntil = ({ codeFreshMs }: SessionRecord, now: Date): Date | undefined =>
  codeFreshMs > 0 ? new Date(now.getTime() + codeFreshMs) : undefined;

import type { Session, User } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import { mustVerifyEmail } from '../domain/address-state.ts';
import type { MemberStore } from '../store/member-store.ts';
import type { SessionRecord, SessionStore } from '../store/session-store.ts';
import type { UserStore, UserView } from '../store/user-store.ts';
import type { WorkspaceStore } from '../store/workspace-store.ts';

import { toWireWorkspace } from './wire.ts';

export const toWireUser = (user: UserView): User => ({
  id: user.id,
  name: user.name,
  email: user.email,
  isEmailVerified: user.address === 'proven',
  hasFactor: user.hasFactor,
  hasApp: user.hasApp,
  passkeys: user.passkeys,
  hasPassword: user.passwordHash !== null,
  hasPendingFactor: user.hasPendingFactor,
  recoveryCodesLeft: user.recoveryCodesLeft,
  language: user.language ?? undefined,
});

/** Returns the session as its person sees it. A half session shows no workspaces. @throws AppError unauthorized if it has ended */
export type ViewSession = (sessionId: string) => Promise<Session>;

export function makeViewSession({
  users,
  sessions,
  members,
  workspaces,
  hasMails,
  now,
}: {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly members: MemberStore;
  readonly workspaces: WorkspaceStore;
  /** A mail host is configured. */
  readonly hasMails: boolean;
  readonly now: () => Date;
}): ViewSession {
  return async (sessionId) => {
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
      mustVerifyEmail: mustVerifyEmail(user.address, { hasMails }),
      workspace: workspace && toWireWorkspace(workspace),
      role: workspace === undefined ? undefined : (session.role ?? undefined),
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

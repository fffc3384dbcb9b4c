import type { AuthenticateSessionResponse } from '@tidemark/contracts/identity/v1/accounts';
import { mustVerifyEmail } from '../domain/address-state.ts';
import { hashToken, isToken } from '../domain/secret-token.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { UserStore } from '../store/user-store.ts';
import type { WorkspaceStore } from '../store/workspace-store.ts';

import { sessionEnded } from './view-session.ts';
import { toWireWorkspace } from './wire.ts';

/** Returns the person of a session token, and the person's rights now. @throws AppError unauthorized */
export type AuthenticateSession = (token: string) => Promise<AuthenticateSessionResponse>;

export function makeAuthenticateSession({
  users,
  sessions,
  workspaces,
  hasMails,
}: {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly workspaces: WorkspaceStore;
  /** A mail host is configured. */
  readonly hasMails: boolean;
}): AuthenticateSession {
  return async (token) => {
    const session = isToken(token) ? await sessions.findByToken(hashToken(token)) : undefined;
    const user = session && (await users.find(session.userId));
    if (session === undefined || user === undefined || user.isDisabled) throw sessionEnded();
    sessions.recordUse(session.id);
    const workspace = session.role === null ? undefined : await workspaces.find(session.workspaceId ?? '');
    return {
      sessionId: session.id,
      userId: user.id,
      userName: user.name,
      email: user.email,
      state: session.state,
      workspace: workspace && toWireWorkspace(workspace),
      role: workspace === undefined ? undefined : (session.role ?? undefined),
      isEmailVerified: user.address === 'proven',
      mustVerifyEmail: mustVerifyEmail(user.address, { hasMails }),
      hasFactor: user.hasFactor,
      codeFreshMs: session.codeFreshMs > 0 ? session.codeFreshMs : undefined,
    };
  };
}

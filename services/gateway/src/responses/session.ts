import { CONSOLE_LANGUAGES, type Session } from '@tidemark/api';
import { SCOPES, scopeIncludes, scopeOfRole } from '@tidemark/contracts';
import type { Role, User, Session as WireSession } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import { timeOf } from './job-envelope.ts';

/** Returns the scopes that a role includes. */
export const canOf = (role: Role) => SCOPES.filter((scope) => scopeIncludes(scopeOfRole(role), scope));

export const toUser = ({ id, email, name, isEmailVerified, hasPassword, language, ...factors }: User) => ({
  id,
  email,
  name,
  hasPassword,
  language: CONSOLE_LANGUAGES.find((one) => one === language) ?? null,
  emailVerified: isEmailVerified,
  twoFactor: {
    on: factors.hasFactor,
    app: factors.hasApp,
    passkeys: factors.passkeys,
    pending: factors.hasPendingFactor,
    recoveryCodesLeft: factors.recoveryCodesLeft,
  },
});

/** Translates a session to its response, without the envelope's fields. */
export function toSession(session: WireSession | undefined): Omit<Session, 'creditsUsed' | 'request_id'> {
  if (session?.user === undefined) throw new AppError('internal', 'identity returned no session');
  const { user, workspace, role } = session;
  return {
    state: session.state === 'full' ? 'signed_in' : 'code_needed',
    user: toUser(user),
    workspace:
      workspace === undefined || role === undefined
        ? null
        : {
            id: workspace.id,
            name: workspace.name,
            plan: workspace.plan,
            role,
            can: canOf(role),
            requiresTwoFactor: workspace.requireSecondFactor,
            parentId: workspace.parentId ?? null,
          },
    workspaces: session.workspaces.map(({ workspaceId: id, name, role: own }) => ({
      id,
      name,
      role: own,
    })),
    session: {
      id: session.id,
      createdAt: timeOf(session.createdAt),
      expiresAt: timeOf(session.expiresAt),
      codeFreshUntil: session.codeFreshUntil?.toISOString() ?? null,
    },
    blocked: blockedOf(session),
  };
}

function blockedOf({ state, user, workspace, mustVerifyEmail }: WireSession): Session['blocked'] {
  if (state !== 'full' || user === undefined) return null;
  if (workspace?.requireSecondFactor === true && !user.hasFactor) return 'mfa_required';
  return mustVerifyEmail ? 'email_unverified' : null;
}

import { type Client, AccountServiceService as Rpc, type SignedIn } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, handle } from '@tidemark/service';
import type { Credentials } from '../accounts/make-credentials.ts';
import type { Sessions } from '../accounts/make-sessions.ts';
import type { SignUps } from '../accounts/make-sign-ups.ts';
import type { OpenedSession } from '../accounts/open-session.ts';
import { requirePerson } from '../accounts/person.ts';
import type { ViewSession } from '../accounts/view-session.ts';
import type { SessionClient } from '../store/session-store.ts';

export const clientOf = (client: Client | undefined): SessionClient => ({
  ip: client?.ip ?? '',
  userAgent: client?.userAgent ?? '',
  sessionToken: client?.sessionToken,
});

/** Returns the message of a session with a new token. */
export type SignedInOf = (session: OpenedSession) => Promise<SignedIn>;

export const makeSignedIn =
  (viewSession: ViewSession): SignedInOf =>
  async ({ id, token }) => ({ token, session: await viewSession(id) });

/** Binds the methods of sessions and of the proof of a second factor. */
export function sessionMethods(sessions: Sessions, signedIn: SignedInOf): BoundMethod[] {
  return [
    handle(Rpc.authenticateSession, ({ token }) => sessions.authenticateSession(token)),
    handle(Rpc.logIn, async (request) => ({
      signedIn: await signedIn(await sessions.logIn({ ...request, client: clientOf(request.client) })),
    })),
    handle(Rpc.logOut, async ({ everywhere }, ctx) => {
      await sessions.logOut(requirePerson(ctx), everywhere);
      return {};
    }),
    handle(Rpc.getSession, async (_, ctx) => ({
      session: await sessions.viewSession(requirePerson(ctx).sessionId),
    })),
    handle(Rpc.switchWorkspace, async ({ workspaceId }, ctx) => ({
      signedIn: await signedIn(await sessions.switchWorkspace(requirePerson(ctx), workspaceId)),
    })),
    handle(Rpc.listSessions, (_, ctx) => sessions.listSessions(requirePerson(ctx))),
    handle(Rpc.endSessions, async ({ sessions: which }, ctx) => {
      if (which === undefined) throw new AppError('validation', 'sessions: expected an id or all_others');
      await sessions.endSessions(requirePerson(ctx), which.$case === 'id' ? { id: which.value } : 'all_others');
      return {};
    }),
    handle(Rpc.verifyCode, async ({ code, recoveryCode, client, passkey, site }, ctx) => {
      const used = passkey && { assertion: passkey, site: site ?? { rpId: '', origins: [] } };
      const shown = { code, recoveryCode, client: clientOf(client), passkey: used };
      const { session, recoveryCodes } = await sessions.verifyCode(requirePerson(ctx), shown);
      return { signedIn: await signedIn(session), recoveryCodes: [...recoveryCodes] };
    }),
  ];
}

/** Binds the methods that create an account and verify its address. */
export function signUpMethods(signUps: SignUps, signedIn: SignedInOf): BoundMethod[] {
  return [
    handle(Rpc.signUp, async (request) => ({
      signedIn: await signedIn(await signUps.signUp({ ...request, client: clientOf(request.client) })),
    })),
    handle(Rpc.requestVerification, async (_, ctx) => {
      await signUps.requestVerification(requirePerson(ctx));
      return {};
    }),
    handle(Rpc.verify, async (request) => {
      const session = await signUps.verifyEmail({ ...request, client: clientOf(request.client) });
      return { signedIn: session && (await signedIn(session)) };
    }),
  ];
}

/** Binds the methods that change password, address or second factor. */
export function credentialMethods(credentials: Credentials): BoundMethod[] {
  return [
    handle(Rpc.requestReset, async ({ email, client }) => {
      await credentials.requestReset({ email, client: clientOf(client) });
      return {};
    }),
    handle(Rpc.resetPassword, async ({ token, password, client }) => {
      await credentials.resetPassword({ token, password, client: clientOf(client) });
      return {};
    }),
    handle(Rpc.changePassword, async (request, ctx) => {
      await credentials.changePassword(requirePerson(ctx), request);
      return {};
    }),
    handle(Rpc.updateProfile, (request, ctx) => credentials.updateProfile(requirePerson(ctx), request)),
  ];
}

import { type Client, AccountServiceService as Rpc, type SignedIn } from '@tidemark/contracts/identity/v1/accounts';
import { type BoundMethod, handle } from '@tidemark/service';
import { accountOf } from '../accounts/account-parts.ts';
import type { Accounts } from '../accounts/open-accounts.ts';
import type { OpenedSession } from '../accounts/open-session.ts';
import type { SessionClient } from '../store/session-store.ts';

export const clientOf = (client: Client | undefined): SessionClient => ({
  ip: client?.ip ?? '',
  userAgent: client?.userAgent ?? '',
});

/** Returns the message of a session with a new token. */
export type SignedInOf = (session: OpenedSession) => Promise<SignedIn>;

export const makeSignedIn =
  ({ viewSession }: Pick<Accounts, 'viewSession'>): SignedInOf =>
  async ({ id, token }) => ({ token, session: await viewSession(id) });

/** Binds the methods of sessions, passwords and second factors. */
export function sessionMethods(accounts: Accounts, signedIn: SignedInOf): BoundMethod[] {
  return [
    handle(Rpc.authenticateSession, ({ token }) => accounts.authenticateSession(token)),
    handle(Rpc.signUp, async (request) => ({
      signedIn: await signedIn(await accounts.signUp({ ...request, client: clientOf(request.client) })),
    })),
    handle(Rpc.logIn, async (request) => ({
      signedIn: await signedIn(await accounts.logIn({ ...request, client: clientOf(request.client) })),
    })),
    handle(Rpc.logOut, async ({ everywhere }, ctx) => {
      await accounts.logOut(accountOf(ctx), everywhere);
      return {};
    }),
    handle(Rpc.getSession, async (_, ctx) => ({
      session: await accounts.viewSession(accountOf(ctx).sessionId),
    })),
    handle(Rpc.switchWorkspace, async ({ workspaceId }, ctx) => ({
      signedIn: await signedIn(await accounts.switchWorkspace(accountOf(ctx), workspaceId)),
    })),
    handle(Rpc.listSessions, (_, ctx) => accounts.listSessions(accountOf(ctx))),
    handle(Rpc.endSessions, async ({ id }, ctx) => {
      await accounts.endSessions(accountOf(ctx), id);
      return {};
    }),
    ...proofMethods(accounts, signedIn),
  ];
}

/** Binds the methods that prove an address, a password or a factor. */
function proofMethods(accounts: Accounts, signedIn: SignedInOf): BoundMethod[] {
  return [
    handle(Rpc.requestVerification, async (_, ctx) => {
      await accounts.requestVerification(accountOf(ctx));
      return {};
    }),
    handle(Rpc.verify, async (request) => {
      const session = await accounts.verifyEmail({ ...request, client: clientOf(request.client) });
      return { signedIn: session && (await signedIn(session)) };
    }),
    handle(Rpc.requestReset, async ({ email, client }) => {
      await accounts.requestReset({ email, client: clientOf(client) });
      return {};
    }),
    handle(Rpc.resetPassword, async ({ token, password, client }) => {
      await accounts.resetPassword({ token, password, client: clientOf(client) });
      return {};
    }),
    handle(Rpc.changePassword, async (request, ctx) => {
      await accounts.changePassword(accountOf(ctx), request);
      return {};
    }),
    handle(Rpc.updateProfile, (request, ctx) => accounts.updateProfile(accountOf(ctx), request)),
    handle(Rpc.verifyCode, async ({ code, recoveryCode, client, passkey, site }, ctx) => {
      const used = passkey && { assertion: passkey, site: site ?? { rpId: '', origins: [] } };
      const shown = { code, recoveryCode, client: clientOf(client), passkey: used };
      const { session, recoveryCodes } = await accounts.verifyCode(accountOf(ctx), shown);
      return { signedIn: await signedIn(session), recoveryCodes: [...recoveryCodes] };
    }),
  ];
}

import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { type BoundMethod, handle } from '@tidemark/service';
import type { AccountSettings } from '../accounts/account-settings.ts';
import type { Oidc } from '../oidc/make-oidc.ts';
import { clientOf, type SignedInOf } from './session-methods.ts';

interface Deps {
  readonly signedIn: SignedInOf;
  readonly settings: AccountSettings;
  readonly hasMails: boolean;
}

/** Binds the methods of the sign-in through a provider, and of the options of the sign-in page. */
export const oidcMethods = (oidc: Oidc, { signedIn, settings, hasMails }: Deps): BoundMethod[] => [
  handle(Rpc.getSignInOptions, async () => ({
    signUp: settings.signUp,
    hasMails,
    passwordMin: settings.passwordMin,
    oidcName: oidc.name,
  })),
  handle(Rpc.startOidc, ({ redirectUri, client }) => oidc.start({ redirectUri, client: clientOf(client) })),
  handle(Rpc.logInWithOidc, async (request) => ({
    signedIn: await signedIn(await oidc.logIn({ ...request, client: clientOf(request.client) })),
  })),
];

import { routes } from '@tidemark/api';
import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { oneOf } from '../../responses/one-of.ts';
import { requireCookie, signedInResponse } from './session-endpoints.ts';

/** Discovery, the exchange of the code and the keys are three requests to the provider. */
const PROVIDER = { deadlineMs: 35_000 };

/** URL of the page that the provider sends the browser back to; the operator registers it there. */
const redirectUriOf = (baseUrl: string): string => `${new URL(baseUrl).origin}/auth/oidc`;

/** Endpoints of the sign-in through an OpenID Connect provider. */
export function oidcEndpoints(identity: Peer): Endpoint[] {
  return [
    endpoint(routes.getSignInOptions, async ({ call, requestId }) => {
      const {
        signUp,
        hasMails: mail,
        passwordMin,
        oidcName: name,
      } = await identity.call(Rpc.getSignInOptions, {}, call);
      const provider = name === undefined ? null : { name };
      const policy = oneOf(['open', 'invite', 'closed'] as const, signUp);
      return {
        status: 200,
        body: { signUp: policy, mail, passwordMin, provider, creditsUsed: 0, request_id: requestId },
      };
    }),
    endpoint(routes.startOidc, async ({ baseUrl, call, requestId }, { visitor }) => {
      requireCookie(visitor);
      const { client } = visitor;
      const start = { redirectUri: redirectUriOf(baseUrl), client };
      const { url, binding } = await identity.call(Rpc.startOidc, start, call, PROVIDER);
      return { status: 200, body: { url, binding, creditsUsed: 0, request_id: requestId } };
    }),
    endpoint(routes.logInWithOidc, async ({ body, baseUrl, call, requestId }, { visitor }) => {
      requireCookie(visitor);
      const { client } = visitor;
      const logIn = { ...body, redirectUri: redirectUriOf(baseUrl), client };
      const { signedIn } = await identity.call(Rpc.logInWithOidc, logIn, call, PROVIDER);
      return signedInResponse(signedIn, requestId);
    }),
  ];
}

import { routes } from '@tidemark/api';
import { AccountServiceService as Rpc, type UpdateProfileResponse } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import QRCode from 'qrcode';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import type { Authenticator } from '../../middleware/authenticate.ts';
import { toUser } from '../../responses/session.ts';
import { siteOf, toAssertion } from './passkey-endpoints.ts';
import { HASHING, signedInResponse } from './session-endpoints.ts';

interface Deps {
  readonly identity: Peer;
  readonly authenticator: Authenticator;
}

/** Endpoints that prove an address, a password or a second factor. */
export function proofEndpoints({ identity, authenticator }: Deps): Endpoint[] {
  return [
    endpoint(routes.requestVerification, async ({ call }) => {
      await identity.call(Rpc.requestVerification, {}, call);
      return { status: 202 };
    }),
    endpoint(routes.verifyEmail, async ({ body, call, requestId }, { visitor: { client, sessionToken } }) => {
      const verify = { token: body.token, password: body.password ?? '', sessionToken, client };
      const { signedIn } = await identity.call(Rpc.verify, verify, call, HASHING);
      authenticator.clearCache();
      return signedIn === undefined
        ? { status: 200, body: { state: 'sign_in' as const, creditsUsed: 0, request_id: requestId } }
        : signedInResponse(signedIn, requestId);
    }),
    endpoint(routes.forgotPassword, async ({ body, call }, { visitor: { client } }) => {
      await identity.call(Rpc.requestReset, { email: body.email, client }, call);
      return { status: 202 };
    }),
    endpoint(routes.resetPassword, async ({ body, call }, { visitor: { client } }) => {
      await identity.call(Rpc.resetPassword, { ...body, client }, call, HASHING);
      authenticator.clearCache();
      return { status: 204 };
    }),
    endpoint(routes.changePassword, async ({ body, call }) => {
      await identity.call(Rpc.changePassword, body, call, HASHING);
      authenticator.clearCache();
      return { status: 204 };
    }),
    endpoint(routes.verifyCode, async ({ body, baseUrl, call, requestId }, { visitor: { client } }) => {
      const { code = '', recovery_code: recoveryCode = '', passkey: credential } = body;
      if ([code !== '', recoveryCode !== '', credential !== undefined].filter(Boolean).length !== 1)
        throw new AppError('validation', 'expected one of code, recovery_code and passkey', { httpStatus: 400 });
      const passkey = credential && toAssertion(credential);
      const site = credential && siteOf(baseUrl);
      const shown = { code, recoveryCode, client, passkey, site };
      const { signedIn, recoveryCodes } = await identity.call(Rpc.verifyCode, shown, call);
      authenticator.clearCache();
      const response = signedInResponse(signedIn, requestId);
      return recoveryCodes.length === 0 ? response : { ...response, body: { ...response.body, recoveryCodes } };
    }),
    endpoint(routes.patchProfile, async ({ body, call, requestId }) => {
      const { name, email, two_factor: twoFactor, password = '' } = body;
      const language = body.language === undefined ? undefined : (body.language ?? '');
      const changed = await identity.call(
        Rpc.updateProfile,
        { name, email, twoFactor, password, language },
        call,
        HASHING,
      );
      authenticator.clearCache();
      return { status: 200, body: { ...(await toProfile(changed)), creditsUsed: 0, request_id: requestId } };
    }),
  ];
}

async function toProfile({ user, pendingEmail, secret, otpauthUrl, recoveryCodes }: UpdateProfileResponse) {
  if (user === undefined) throw new AppError('internal', 'identity returned no profile');
  return {
    ...toUser(user),
    pendingEmail: pendingEmail ?? null,
    ...(secret === undefined || otpauthUrl === undefined
      ? {}
      : { secret, otpauthUrl, qrSvg: await QRCode.toString(otpauthUrl, { type: 'svg' }) }),
    ...(recoveryCodes.length === 0 ? {} : { recoveryCodes }),
  };
}

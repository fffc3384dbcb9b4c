import { isIP } from 'node:net';
import { PasskeyOptions, routes } from '@tidemark/api';
import { type Passkey, AccountServiceService as Rpc, type Site } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { EndpointResponse } from '../../http/endpoint.ts';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import type { Authenticator } from '../../middleware/authenticate.ts';
import { checkedId } from '../../requests/checked-id.ts';
import { WHOLE_LIST } from '../../requests/list-cursors.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { HASHING, requireCookie, signedInResponse } from './session-endpoints.ts';

interface Deps {
  readonly identity: Peer;
  readonly authenticator: Authenticator;
}

/**
 * Returns the host name that passkeys are bound to, and the origins of its pages: behind a proxy that ends TLS, https. @throws AppError conflict
 * for an IP address (W3C WebAuthn Level 3, section 5.1.2: a relying party is a domain)
 */
export function siteOf(baseUrl: string): Site {
  const { hostname, host, port, origin } = new URL(baseUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
    throw new AppError(
      'conflict',
      `passkeys are bound to a host name, and this installation was opened by the address ${hostname}; open it by its name, on this machine http://localhost${port === '' ? '' : `:${port}`}`,
    );
  return { rpId: hostname, origins: [...new Set([origin, `https://${host}`])] };
}

const toPasskey = ({ id, name, rpId: host, isSynced: synced, createdAt, lastUsedAt }: Passkey) => ({
  id,
  name,
  host,
  synced,
  createdAt: timeOf(createdAt),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});

function presentPasskey({ passkey }: { readonly passkey?: Passkey | undefined }): Passkey {
  if (passkey === undefined) throw new AppError('internal', 'identity returned no passkey');
  return passkey;
}

/** The response of an authenticator, as the contract reads it. */
export interface AssertionBody {
  readonly id: string;
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
  };
}

export const toAssertion = ({ id, response: { clientDataJSON: clientDataJson, ...rest } }: AssertionBody) => ({
  id,
  clientDataJson,
  ...rest,
});

/** Endpoints of passkeys. */
export function passkeyEndpoints({ identity, authenticator }: Deps): Endpoint[] {
  return [
    endpoint(routes.listPasskeys, async ({ call, requestId }) => {
      const { passkeys } = await identity.call(Rpc.listPasskeys, {}, call);
      return {
        status: 200,
        body: { data: passkeys.map(toPasskey), ...WHOLE_LIST, creditsUsed: 0, request_id: requestId },
      };
    }),
    endpoint(routes.startPasskey, async ({ body, baseUrl, call, requestId }) => {
      const start = { password: body.password ?? '', site: siteOf(baseUrl) };
      const { optionsJson } = await identity.call(Rpc.startPasskey, start, call, HASHING);
      return optionsResponse(optionsJson, requestId);
    }),
    endpoint(routes.addPasskey, async ({ body: { name, credential }, baseUrl, call, requestId }) => {
      const { clientDataJSON: clientDataJson, attestationObject, transports } = credential.response;
      const attestation = { id: credential.id, clientDataJson, attestationObject, transports };
      const added = await identity.call(Rpc.addPasskey, { name, attestation, site: siteOf(baseUrl) }, call);
      authenticator.clearCache();
      const { recoveryCodes, signedIn } = added;
      const codes = recoveryCodes.length === 0 ? {} : { recoveryCodes };
      const body = { ...toPasskey(presentPasskey(added)), ...codes, creditsUsed: 0, request_id: requestId };
      return { status: 201, body, session: signedIn?.token ?? '' };
    }),
    endpoint(routes.renamePasskey, async ({ params, body, call, requestId }) => {
      const rename = { id: checkedId('psk', params.id, 'passkey'), name: body.name };
      const passkey = presentPasskey(await identity.call(Rpc.renamePasskey, rename, call));
      return { status: 200, body: { ...toPasskey(passkey), creditsUsed: 0, request_id: requestId } };
    }),
    endpoint(routes.removePasskey, async ({ params, call }) => {
      await identity.call(Rpc.removePasskey, { id: checkedId('psk', params.id, 'passkey') }, call);
      authenticator.clearCache();
      return { status: 204 };
    }),
    ...useEndpoints(identity),
  ];
}

function useEndpoints(identity: Peer): Endpoint[] {
  return [
    endpoint(routes.startPasskeyCheck, async ({ baseUrl, call, requestId }) => {
      const { optionsJson } = await identity.call(Rpc.startPasskeyCheck, { site: siteOf(baseUrl) }, call);
      return optionsResponse(optionsJson, requestId);
    }),
    endpoint(routes.startPasskeyLogIn, async ({ baseUrl, call, requestId }, { visitor }) => {
      requireCookie(visitor);
      const { client } = visitor;
      const { optionsJson } = await identity.call(Rpc.startPasskeyLogIn, { site: siteOf(baseUrl), client }, call);
      return optionsResponse(optionsJson, requestId);
    }),
    endpoint(routes.logInWithPasskey, async ({ body, baseUrl, call, requestId }, { visitor }) => {
      requireCookie(visitor);
      const { client } = visitor;
      const logIn = { assertion: toAssertion(body.credential), site: siteOf(baseUrl), client };
      const { signedIn } = await identity.call(Rpc.logInWithPasskey, logIn, call);
      return signedInResponse(signedIn, requestId);
    }),
  ];
}

function optionsResponse(optionsJson: string, requestId: string): EndpointResponse<typeof routes.startPasskey> {
  const options = PasskeyOptions.parse(JSON.parse(optionsJson));
  return { status: 200, body: { options, creditsUsed: 0, request_id: requestId } };
}

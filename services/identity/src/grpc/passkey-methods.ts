import {
  type Passkey,
  type PasskeyAssertion,
  AccountServiceService as Rpc,
  type Site,
} from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, handle } from '@tidemark/service';
import { requirePerson } from '../accounts/person.ts';
import type { Passkeys } from '../passkeys/make-passkeys.ts';
import type { PasskeyRecord } from '../store/passkey-store.ts';
import { clientOf, type SignedInOf } from './session-methods.ts';

const toPasskey = ({ id, name, rpId, isSynced, createdAt, lastUsedAt }: PasskeyRecord): Passkey => ({
  id,
  name,
  rpId,
  isSynced,
  createdAt,
  lastUsedAt: lastUsedAt ?? undefined,
});

/** Returns a part that the gateway always sends. @throws AppError internal without it */
export function required<T>(part: T | undefined, name: string): T {
  if (part === undefined) throw new AppError('internal', `the request has no ${name}`);
  return part;
}
export const siteOf = ({ site }: { readonly site?: Site | undefined }): Site => required(site, 'site');
export const assertionOf = ({ assertion }: { readonly assertion?: PasskeyAssertion | undefined }): PasskeyAssertion =>
  required(assertion, 'assertion');

/** Binds the methods of passkeys. */
export function passkeyMethods(passkeys: Passkeys, signedIn: SignedInOf): BoundMethod[] {
  return [
    handle(Rpc.startPasskey, async (request, ctx) => ({
      optionsJson: await passkeys.start(requirePerson(ctx), { ...request, site: siteOf(request) }),
    })),
    handle(Rpc.addPasskey, async (request, ctx) => {
      const add = {
        name: request.name,
        site: siteOf(request),
        attestation: required(request.attestation, 'attestation'),
      };
      const { passkey, session, recoveryCodes } = await passkeys.add(requirePerson(ctx), add);
      return { passkey: toPasskey(passkey), signedIn: await signedIn(session), recoveryCodes: [...recoveryCodes] };
    }),
    handle(Rpc.listPasskeys, async (_, ctx) => ({
      passkeys: (await passkeys.list(requirePerson(ctx).userId)).map(toPasskey),
    })),
    handle(Rpc.renamePasskey, async (request, ctx) => ({
      passkey: toPasskey(await passkeys.rename(requirePerson(ctx), request)),
    })),
    handle(Rpc.removePasskey, async ({ id }, ctx) => {
      await passkeys.remove(requirePerson(ctx), id);
      return {};
    }),
    handle(Rpc.startPasskeyCheck, async (request, ctx) => ({
      optionsJson: await passkeys.startCheck(requirePerson(ctx), siteOf(request)),
    })),
    handle(Rpc.startPasskeyLogIn, async (request) => ({
      optionsJson: await passkeys.startLogIn({ site: siteOf(request), client: clientOf(request.client) }),
    })),
    handle(Rpc.logInWithPasskey, async (request) => ({
      signedIn: await signedIn(
        await passkeys.logIn({
          site: siteOf(request),
          assertion: assertionOf(request),
          client: clientOf(request.client),
        }),
      ),
    })),
  ];
}

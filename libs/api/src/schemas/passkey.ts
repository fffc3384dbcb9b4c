import { Time } from '@tidemark/results';
import { z } from 'zod';
import { wholeList } from './parts.ts';

/** Bytes in base64url, as `PublicKeyCredential.toJSON()` writes them. */
const bytes = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[A-Za-z0-9_-]+$/);

/** Other members of the browser's object are ignored. */
const credential = { id: bytes(1_400), type: z.literal('public-key') };

/** The response of `navigator.credentials.create()` (W3C WebAuthn Level 3, RegistrationResponseJSON). */
export const PasskeyAttestation = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: bytes(4_096),
      attestationObject: bytes(32_768),
      transports: z.array(z.string().max(32)).max(10).default([]),
    }),
  })
  .meta({
    id: 'PasskeyAttestation',
    description: '`PublicKeyCredential.toJSON()` of `navigator.credentials.create()`',
  });

/** The response of `navigator.credentials.get()` (AuthenticationResponseJSON). */
export const PasskeyAssertion = z
  .object({
    ...credential,
    response: z.object({ clientDataJSON: bytes(4_096), authenticatorData: bytes(4_096), signature: bytes(4_096) }),
  })
  .meta({ id: 'PasskeyAssertion', description: '`PublicKeyCredential.toJSON()` of `navigator.credentials.get()`' });

/** Options of `navigator.credentials`, as identity writes them. */
export const PasskeyOptions = z.looseObject({ challenge: z.string() });

const options = (method: string, parser: string) =>
  PasskeyOptions.describe(
    `For \`PublicKeyCredential.${parser}()\` and \`navigator.credentials.${method}()\`; valid for five minutes, once`,
  );

const around = { creditsUsed: z.int(), request_id: z.string() };

export const PasskeyCreation = z
  .object({ options: options('create', 'parseCreationOptionsFromJSON'), ...around })
  .meta({ id: 'PasskeyCreation' });
export const PasskeyRequest = z
  .object({ options: options('get', 'parseRequestOptionsFromJSON'), ...around })
  .meta({ id: 'PasskeyRequest' });

const passkey = {
  id: z.string(),
  name: z.string(),
  host: z.string().describe('Host name that the passkey is bound to'),
  synced: z.boolean().describe('Copied between the devices of the person'),
  createdAt: Time,
  lastUsedAt: Time.nullable(),
};

export const Passkey = z.object({ ...passkey, ...around }).meta({ id: 'Passkey' });
export const Passkeys = z
  .object({ data: z.array(z.object(passkey)), ...wholeList, ...around })
  .meta({ id: 'Passkeys' });
export const AddedPasskey = z
  .object({
    ...passkey,
    recoveryCodes: z.array(z.string()).optional().describe('Once, if the passkey is the first factor of the person'),
    ...around,
  })
  .meta({ id: 'AddedPasskey' });

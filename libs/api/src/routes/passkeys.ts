import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Password, Session } from '../schemas/account.ts';
import { nameText } from '../schemas/parts.ts';
import {
  AddedPasskey,
  Passkey,
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreation,
  PasskeyRequest,
  Passkeys,
} from '../schemas/passkey.ts';

const around = { tag: 'Sessions', params: nothing, query: nothing } as const;
const id = z.string().describe('The passkey, such as psk_01j…');
const NO_NAME = 'The installation is opened by an IP address: passkeys are bound to a host name.';
/** A response of an authenticator, for the examples: too short to be valid. */
const EXAMPLE = { id: 'bXktcGFzc2tleQ', type: 'public-key' } as const;
const CLIENT_DATA = 'eyJ0eXBlIjoid2ViYXV0aG4ifQ';

/** Passkeys (WebAuthn): a second factor, and a sign-in without a password. */
export const passkeyRoutes = {
  startPasskeyLogIn: route({
    ...around,
    id: 'startPasskeyLogIn',
    refusals: { conflict: NO_NAME },
    method: 'post',
    path: '/auth/passkeys/login/options',
    scope: 'public',
    summary: 'Options to sign in with a passkey',
    description: 'They name no passkey: the authenticator offers those it stores for this host.',
    body: z.strictObject({}).meta({ id: 'StartPasskeyLogIn' }),
    responses: { 200: PasskeyRequest },
    example: {},
  }),
  logInWithPasskey: route({
    ...around,
    id: 'logInWithPasskey',
    refusals: { conflict: NO_NAME, unauthorized: 'The passkey was not accepted.' },
    method: 'post',
    path: '/auth/passkeys/login',
    scope: 'public',
    summary: 'Sign in with a passkey',
    description:
      'The authenticator must verify its user (PIN, fingerprint …): the passkey then counts as both factors.',
    body: z.strictObject({ credential: PasskeyAssertion }).meta({ id: 'PasskeyLogIn' }),
    responses: { 200: Session },
    example: {
      credential: {
        ...EXAMPLE,
        response: { clientDataJSON: CLIENT_DATA, authenticatorData: 'SZYN5YgOjGh0NBcP', signature: 'MEUCIQ' },
      },
    },
  }),
  startPasskeyCheck: route({
    ...around,
    id: 'startPasskeyCheck',
    refusals: { conflict: 'The person has no passkey for this host, or it is opened by an IP address.' },
    method: 'post',
    path: '/auth/2fa/options',
    scope: 'read',
    session: { only: true, allows: ['half', 'unverified', 'no_factor'] },
    summary: 'Options to show a passkey as the second factor',
    description: 'Send the response to /auth/2fa/verify as `passkey`.',
    body: z.strictObject({}).meta({ id: 'StartPasskeyCheck' }),
    responses: { 200: PasskeyRequest },
    example: {},
  }),
  listPasskeys: route({
    ...around,
    id: 'listPasskeys',
    method: 'get',
    path: '/auth/passkeys',
    scope: 'read',
    session: { only: true, allows: ['unverified', 'no_factor'] },
    summary: 'Passkeys of the signed-in person, the oldest first; at most 20',
    body: nothing,
    responses: { 200: Passkeys },
  }),
  startPasskey: route({
    ...around,
    id: 'startPasskey',
    refusals: { conflict: 'The person has 20 passkeys, or the installation is opened by an IP address.' },
    method: 'post',
    path: '/auth/passkeys/options',
    scope: 'read',
    session: { only: true, allows: ['no_factor'], freshCode: true },
    summary: 'Options to create a passkey',
    description:
      'Requires the password; from people without one a sign-in of the last ten minutes. Send the response of the browser to POST /auth/passkeys.',
    body: z.strictObject({ password: Password.optional() }).meta({ id: 'StartPasskey' }),
    responses: { 200: PasskeyCreation },
    example: { password: 'four random words here' },
  }),
  addPasskey: route({
    ...around,
    id: 'addPasskey',
    refusals: { conflict: 'The passkey is stored already, or the person has 20.' },
    method: 'post',
    path: '/auth/passkeys',
    scope: 'read',
    session: { only: true, allows: ['no_factor'], freshCode: true },
    summary: 'Add a passkey',
    description:
      'It is a second factor from then on, and signs in without a password. The first factor comes with recovery codes, and ends the other sessions.',
    body: z
      .strictObject({ name: nameText(100).default(''), credential: PasskeyAttestation })
      .meta({ id: 'NewPasskey' }),
    responses: { 201: AddedPasskey },
    example: {
      name: 'Laptop',
      credential: {
        ...EXAMPLE,
        response: { clientDataJSON: CLIENT_DATA, attestationObject: 'o2NmbXRkbm9uZQ', transports: [] },
      },
    },
  }),
  renamePasskey: route({
    ...around,
    id: 'renamePasskey',
    method: 'patch',
    path: '/auth/passkeys/{id}',
    scope: 'read',
    session: { only: true, allows: ['no_factor'] },
    summary: 'Rename a passkey',
    params: z.strictObject({ id }),
    body: z.strictObject({ name: nameText(100).min(1) }).meta({ id: 'PasskeyRename' }),
    responses: { 200: Passkey },
    example: { name: 'Laptop' },
  }),
  removePasskey: route({
    ...around,
    id: 'removePasskey',
    method: 'delete',
    path: '/auth/passkeys/{id}',
    scope: 'read',
    session: { only: true, allows: ['no_factor'], freshCode: true },
    summary: 'Remove a passkey; the other sessions end',
    description: 'Without another factor the recovery codes are deleted too, and the second factor is off.',
    params: z.strictObject({ id }),
    body: nothing,
    responses: { 204: undefined },
  }),
} as const;

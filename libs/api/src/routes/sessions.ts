import { z } from 'zod';
import { nothing, route } from '../route.ts';
import {
  Code,
  Email,
  Language,
  LinkToken,
  Password,
  PersonName,
  Profile,
  RecoveryCode,
  Session,
  SessionItem,
  SignIn,
} from '../schemas/account.ts';
import { nameText, wholeList } from '../schemas/parts.ts';
import { PasskeyAssertion } from '../schemas/passkey.ts';

const around = { tag: 'Sessions', params: nothing, query: nothing } as const;
/** A session that can do nothing else may still see itself, enrol a factor and leave. */
const ALWAYS = ['unverified', 'no_factor'] as const;
const sets = (field: 'email' | 'two_factor', body: unknown): boolean =>
  typeof body === 'object' && body !== null && Reflect.get(body, field) !== undefined;

/** Accounts and sessions of people. A session is a cookie; keys get 403. */
export const sessionRoutes = {
  signUp: route({
    ...around,
    id: 'signUp',
    refusals: {
      forbidden: 'Sign-up requires an invitation on this installation.',
      not_found: 'The setup link is invalid, used or expired.',
      conflict: 'The address has an account (without a mail host only).',
    },
    method: 'post',
    path: '/auth/signup',
    scope: 'public',
    summary: 'Create an account with a workspace, and sign in',
    description:
      'With a mail host the account is unverified until the link of a mail is opened, and can only read until then. The response does not reveal whether the address has an account. The installation may restrict sign-up to invitations.',
    body: z
      .strictObject({
        email: Email,
        password: Password,
        name: PersonName,
        workspace_name: nameText(100).min(1).optional(),
        setup_token: LinkToken.optional().describe('Token of the link that the first start prints'),
      })
      .meta({ id: 'SignUp' }),
    responses: { 201: Session },
    example: { email: 'ann@example.com', password: 'four random words here', name: 'Ann' },
  }),
  logIn: route({
    ...around,
    id: 'logIn',
    refusals: { unauthorized: 'The address or the password is wrong.' },
    method: 'post',
    path: '/auth/login',
    scope: 'public',
    summary: 'Sign in with address and password',
    description: 'With a second factor and without `code` the session waits for its code: state `code_needed`.',
    body: z.strictObject({ email: Email, password: Password, code: Code.optional() }).meta({ id: 'LogIn' }),
    responses: { 200: Session },
    example: { email: 'ann@example.com', password: 'four random words here' },
  }),
  logOut: route({
    ...around,
    id: 'logOut',
    method: 'post',
    path: '/auth/logout',
    scope: 'read',
    session: { only: true, allows: ['half', ...ALWAYS] },
    summary: 'Sign out, here or everywhere',
    body: z.strictObject({ everywhere: z.boolean().default(false) }).meta({ id: 'LogOut' }),
    responses: { 204: undefined },
    example: { everywhere: false },
  }),
  getSession: route({
    ...around,
    id: 'getSession',
    method: 'get',
    path: '/auth/session',
    scope: 'read',
    session: { only: true, allows: ['half', ...ALWAYS] },
    summary: 'The signed-in person, the workspace and what the session may do',
    body: nothing,
    responses: { 200: Session },
  }),
  switchWorkspace: route({
    ...around,
    id: 'switchWorkspace',
    method: 'post',
    path: '/auth/switch',
    scope: 'read',
    session: { only: true, allows: ALWAYS },
    summary: 'Move the session to another workspace of the person',
    body: z.strictObject({ workspace_id: z.string().max(64) }).meta({ id: 'SwitchWorkspace' }),
    responses: { 200: Session },
    example: { workspace_id: 'ws_01j5xq2w8se6fa7t0a6q1n3k2m' },
  }),
  requestVerification: route({
    ...around,
    id: 'requestVerification',
    method: 'post',
    path: '/auth/verify/request',
    scope: 'read',
    session: { only: true, allows: ALWAYS },
    summary: 'Mail the verification link again',
    body: z.strictObject({}).meta({ id: 'RequestVerification' }),
    responses: { 202: undefined },
    example: {},
  }),
  verifyEmail: route({
    ...around,
    id: 'verifyEmail',
    refusals: {
      not_found: 'The link is invalid, used or expired.',
      conflict: 'The address belongs to another account.',
    },
    method: 'post',
    path: '/auth/verify',
    scope: 'public',
    summary: 'Verify an address with the token of a mail',
    description:
      'From another browser than the one that signed up, `password` is required: it replaces the password of the sign-up, and its sessions end.',
    body: z.strictObject({ token: LinkToken, password: Password.optional() }).meta({ id: 'VerifyEmail' }),
    responses: { 200: z.union([Session, SignIn]) },
    example: { token: 'abc' },
  }),
  forgotPassword: route({
    ...around,
    id: 'forgotPassword',
    refusals: { conflict: 'No mail host is configured.' },
    method: 'post',
    path: '/auth/forgot',
    scope: 'public',
    summary: 'Mail a link to set a new password',
    description: 'The response does not reveal whether the address has an account. Without a mail host: 409.',
    body: z.strictObject({ email: Email }).meta({ id: 'ForgotPassword' }),
    responses: { 202: undefined },
    example: { email: 'ann@example.com' },
  }),
  resetPassword: route({
    ...around,
    id: 'resetPassword',
    refusals: { not_found: 'The link is invalid, used or expired.' },
    method: 'post',
    path: '/auth/reset',
    scope: 'public',
    summary: 'Set a new password with the token of a mail; every session ends',
    body: z.strictObject({ token: LinkToken, password: Password }).meta({ id: 'ResetPassword' }),
    responses: { 204: undefined },
    example: { token: 'abc', password: 'four random words here' },
  }),
  changePassword: route({
    ...around,
    id: 'changePassword',
    method: 'post',
    path: '/auth/password',
    scope: 'read',
    session: { only: true, freshCode: true },
    summary: 'Change the password; the other sessions end',
    body: z.strictObject({ current: Password, password: Password }).meta({ id: 'ChangePassword' }),
    responses: { 204: undefined },
    example: { current: 'old', password: 'four random words here' },
  }),
  verifyCode: route({
    ...around,
    id: 'verifyCode',
    refusals: { conflict: 'No second factor was started.' },
    method: 'post',
    path: '/auth/2fa/verify',
    scope: 'read',
    session: { only: true, allows: ['half', ...ALWAYS] },
    summary: 'Show a code of the second factor, a recovery code or a passkey',
    description:
      'Expects one of `code`, `recovery_code` and `passkey` (options: POST /auth/2fa/options). Completes a sign-in, confirms a factor that was started, or renews the ten minutes in which routes accept the last code.',
    body: z
      .strictObject({
        code: Code.optional(),
        recovery_code: RecoveryCode.optional(),
        passkey: PasskeyAssertion.optional(),
      })
      .meta({ id: 'VerifyCode' }),
    responses: { 200: Session },
    example: { code: '123456' },
  }),
  patchProfile: route({
    ...around,
    id: 'patchProfile',
    refusals: { conflict: 'There is no second factor or app to change, or another account has the address.' },
    method: 'patch',
    path: '/auth/profile',
    scope: 'read',
    session: {
      only: true,
      allows: ['no_factor'],
      freshCode: (body) => sets('email', body) || sets('two_factor', body),
    },
    summary: 'Change name, address, language or second factor',
    description: 'A change of the address or of the second factor requires the password.',
    body: z
      .strictObject({
        name: PersonName.optional(),
        email: Email.optional(),
        two_factor: z
          .enum(['start', 'off', 'renew_codes'])
          .optional()
          .describe(
            'start: a new secret of an authenticator app, which /auth/2fa/verify confirms; off: removes the app; renew_codes: new recovery codes',
          ),
        language: Language.nullable().optional().describe('Language of the console; null: that of the browser'),
        password: Password.optional(),
      })
      .meta({ id: 'ProfilePatch' }),
    responses: { 200: Profile },
    example: { name: 'Ann' },
  }),
  listSessions: route({
    ...around,
    id: 'listSessions',
    method: 'get',
    path: '/auth/sessions',
    scope: 'read',
    session: { only: true, allows: ALWAYS },
    summary: 'Sessions of the signed-in person, the latest first; at most 20',
    body: nothing,
    responses: {
      200: z.object({ data: z.array(SessionItem), ...wholeList, creditsUsed: z.int(), request_id: z.string() }),
    },
  }),
  endSessions: route({
    ...around,
    id: 'endSessions',
    method: 'delete',
    path: '/auth/sessions',
    scope: 'read',
    session: { only: true, allows: ALWAYS },
    summary: 'End one session, or all but the current one',
    query: z.strictObject({ id: z.string().max(64).optional() }),
    body: nothing,
    responses: { 204: undefined },
  }),
} as const;

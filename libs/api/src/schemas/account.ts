import { Time } from '@tidemark/results';
import { z } from 'zod';
import { nameText, wholeList } from './parts.ts';

/** Roles of members, as in `@tidemark/contracts`; a test compares them. */
export const MEMBER_ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
const Role = z.enum(MEMBER_ROLES);
const Scope = z.enum(['read', 'write', 'admin']);

/** ASCII addresses in lower case; quoted local parts and other scripts, which mail servers treat differently, are refused. */
export const Email = z.email().max(254).toLowerCase();
/** Its length is checked where the password is set, with what is known about its owner. */
export const Password = z.string().min(1).max(1_024);
export const PersonName = nameText(100).min(1);
/** The token of a link. */
export const LinkToken = z.string().min(1).max(128);
/** Six digits of an authenticator app. */
export const Code = z.string().trim().min(1).max(16);
export const RecoveryCode = z.string().trim().min(1).max(64);

/** Languages of the console. */
export const CONSOLE_LANGUAGES = ['en', 'de'] as const;
export const Language = z.enum(CONSOLE_LANGUAGES);

const TwoFactor = z.object({
  on: z.boolean().describe('An authenticator app or a passkey'),
  app: z.boolean().describe('An authenticator app'),
  passkeys: z.int().describe('Number of passkeys'),
  pending: z.boolean().describe('An app was started, and not yet confirmed by a first code'),
  recoveryCodesLeft: z.int(),
});

const user = {
  hasPassword: z.boolean().describe('false: signs in with a provider or a passkey only'),
  id: z.string(),
  email: z.string(),
  name: z.string(),
  language: Language.nullable().describe('Language of the console; null: that of the browser'),
  emailVerified: z
    .boolean()
    .describe(
      'A mail that reached the address was opened, or the sign-in provider states it. Without a mail host: false',
    ),
  twoFactor: TwoFactor,
};

export const Session = z
  .object({
    state: z
      .enum(['signed_in', 'code_needed'])
      .describe('code_needed: the password was right; send the code to /auth/2fa/verify'),
    user: z.object(user),
    workspace: z
      .object({
        id: z.string(),
        name: z.string(),
        role: Role,
        can: z.array(Scope).describe('Scopes of the role'),
        plan: z.string(),
        requiresTwoFactor: z.boolean(),
        parentId: z.string().nullable(),
      })
      .nullable()
      .describe('null: a member of no workspace, or of the session’s no more; see `workspaces`'),
    workspaces: z.array(z.object({ id: z.string(), name: z.string(), role: Role })),
    session: z.object({
      id: z.string(),
      createdAt: Time,
      expiresAt: Time,
      codeFreshUntil: Time.nullable().describe('Until when routes that require a fresh code accept the last one'),
    }),
    blocked: z.enum(['email_unverified', 'mfa_required']).nullable().describe('Why most routes answer 403'),
    recoveryCodes: z.array(z.string()).optional().describe('Once, when the second factor is confirmed'),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'Session' });
export type Session = z.output<typeof Session>;

export const SignIn = z
  .object({ state: z.literal('sign_in'), creditsUsed: z.int(), request_id: z.string() })
  .meta({ id: 'SignIn', description: 'The address is verified; sign in with it' });

export const Profile = z
  .object({
    ...user,
    pendingEmail: z.string().nullable().describe('Becomes the address when the link of its mail is opened'),
    secret: z.string().optional().describe('For `start`: the secret in base32, shown once'),
    otpauthUrl: z.string().optional(),
    qrSvg: z.string().optional().describe('The otpauth URL as an SVG image'),
    recoveryCodes: z.array(z.string()).optional().describe('For `renew_codes`'),
    creditsUsed: z.int(),
    request_id: z.string(),
  })
  .meta({ id: 'Profile' });

export const SessionItem = z
  .object({
    id: z.string(),
    current: z.boolean(),
    createdAt: Time,
    lastSeenAt: Time,
    ip: z.string(),
    userAgent: z.string(),
  })
  .meta({ id: 'SessionItem' });

const member = {
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean().describe('As in the session of the person'),
  role: Role,
  twoFactor: z.boolean(),
  joinedAt: Time,
  lastSeenAt: Time.nullable(),
};

const invite = {
  id: z.string(),
  email: z.string(),
  role: Role,
  invitedBy: z.string().describe('usr_… or key_…'),
  expiresAt: Time,
};

const around = { creditsUsed: z.int(), request_id: z.string() };

export const Member = z.object({ ...member, ...around }).meta({ id: 'Member' });
export const Members = z
  .object({ data: z.array(z.object(member)), invites: z.array(z.object(invite)), ...wholeList, ...around })
  .meta({ id: 'Members' });
export const Invite = z
  .object({ ...invite, link: z.string().optional().describe('Only without a mail host: pass it on'), ...around })
  .meta({ id: 'Invite' });
export const InviteView = z
  .object({ workspace: z.object({ name: z.string() }), role: Role, email: z.string(), expiresAt: Time, ...around })
  .meta({ id: 'InviteView' });

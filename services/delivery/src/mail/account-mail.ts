import type { AccountMailKind } from '@tidemark/contracts/identity/v1/events';
import { escapeHtml } from '@tidemark/html';
import { z } from 'zod';
import { nameOf, programOf } from './account-names.ts';
import { BILLING_LETTERS } from './billing-letters.ts';

/** The content of a mail about an account, as identity seals it. */
export const AccountMailContent = z.object({
  to: z.string(),
  token: z.string().default(''),
  name: z.string().default(''),
  workspaceName: z.string().default(''),
  invitedBy: z.string().default(''),
  role: z.string().default(''),
  ip: z.string().default(''),
  userAgent: z.string().default(''),
  otherEmail: z.string().default(''),
  passkeyName: z.string().default(''),
  providerName: z.string().default(''),
  used: z.string().default(''),
  left: z.string().default(''),
  resetsAt: z.string().default(''),
  plan: z.string().default(''),
  amount: z.string().default(''),
  endsAt: z.string().default(''),
});
export type AccountMailContent = z.output<typeof AccountMailContent>;

/** A mail: its subject, its paragraphs and a button. */
interface Letter {
  readonly subject: string;
  readonly lines: readonly string[];
  /** Path of the page that the button opens; the token follows the `#`, so that it is in no log of a server. */
  readonly page?: string;
  readonly button?: string;
  /** How long the link works. */
  readonly valid?: string;
}

const RESET = 'If it was not you, set a new password now.';
const SET_PASSWORD = { page: 'forgot', button: 'Set a new password' } as const;

type Write = (content: AccountMailContent) => Letter;

/** The text of each kind of mail. */
const LETTERS: Readonly<Record<AccountMailKind, Write>> = {
  verify: () => ({
    subject: 'Verify your address',
    lines: [
      'A Tidemark account was created with this address. Verify it to use the account.',
      'If it was not you, do nothing: the account is deleted after a day.',
    ],

    page: 'verify',
    button: 'Verify the address',
    valid: '24 hours',
  }),
  taken: () => ({
    subject: 'You have an account already',
    lines: [
      'This address was entered at a sign-up to Tidemark. It has an account already, and nothing was changed.',
      'Sign in with your password, or set a new one.',
    ],
    ...SET_PASSWORD,
  }),
  reset: () => ({
    subject: 'Set a new password',
    lines: [
      'A new password was requested for your account. All sessions end when you set one; a second factor stays on.',
      'If it was not you, do nothing: your password is unchanged.',
    ],

    page: 'reset',
    button: 'Set a new password',
    valid: '30 minutes',
  }),
  invite: ({ workspaceName, invitedBy, role }) => ({
    subject: `Invitation to ${workspaceName}`,
    lines: [
      `${invitedBy === '' ? 'You are' : `${invitedBy} has`} invited${invitedBy === '' ? '' : ' you'} to the workspace ${workspaceName} on Tidemark, with the role ${role}.`,
    ],

    page: 'invite',
    button: 'Open the invitation',
    valid: '7 days',
  }),
  new_sign_in: ({ ip, userAgent }) => ({
    subject: 'New sign-in',
    lines: [`Your account was used from a new device: ${programOf(userAgent)}, address ${ip || 'unknown'}.`, RESET],
    ...SET_PASSWORD,
  }),
  password_changed: () => ({
    subject: 'Your password was changed',
    lines: ['The password of your account was changed.', RESET],
    ...SET_PASSWORD,
  }),
  factor_on: () => ({
    subject: 'Second factor turned on',
    lines: [
      'Signing in now requires a code of your authenticator app. Keep your recovery codes in a safe place.',
      RESET,
    ],
    ...SET_PASSWORD,
  }),
  factor_off: () => ({
    subject: 'Second factor turned off',
    lines: ['Signing in no longer requires a code.', RESET],
    ...SET_PASSWORD,
  }),
  app_removed: () => ({
    subject: 'Authenticator app removed',
    lines: ['The authenticator app of your account was removed. Your passkeys still work as the second factor.', RESET],
    ...SET_PASSWORD,
  }),
  provider_linked: ({ providerName }) => ({
    subject: `Sign-in with ${providerName}`,
    lines: [`Your account was signed in to with ${providerName} for the first time, which works from now on.`, RESET],
    ...SET_PASSWORD,
  }),
  account_reclaimed: () => ({
    subject: 'Your account is yours alone',
    lines: [
      'You verified the address of an account that may have been used by others before. Its sessions were ended; its earlier password, second factors, passkeys, API keys and open invitations no longer work, and it left the workspaces of others.',
      RESET,
    ],
    ...SET_PASSWORD,
  }),
  passkey_added: ({ passkeyName }) => ({
    subject: 'Passkey added',
    lines: [
      `The passkey “${passkeyName}” was added to your account. It signs in without a password, and is a second factor.`,
      'If it was not you, set a new password now, then sign in and remove the passkey.',
    ],
    ...SET_PASSWORD,
  }),
  passkey_removed: ({ passkeyName }) => ({
    subject: 'Passkey removed',
    lines: [`The passkey “${passkeyName}” was removed from your account. All other sessions were ended.`, RESET],
    ...SET_PASSWORD,
  }),
  ...BILLING_LETTERS,
  codes_renewed: () => ({
    subject: 'New recovery codes',
    lines: ['New recovery codes were made for your account; the old ones no longer work.', RESET],
    ...SET_PASSWORD,
  }),
  recovery_code_used: () => ({
    subject: 'A recovery code was used',
    lines: ['A recovery code was used in place of a code of your authenticator app. It does not work again.', RESET],
    ...SET_PASSWORD,
  }),
  wrong_codes: () => ({
    subject: 'Wrong codes at your account',
    lines: [
      'Too many wrong codes of your second factor were entered. The right password was entered before them.',
      'If it was not you, set a new password now.',
    ],
    ...SET_PASSWORD,
  }),
  email_change: () => ({
    subject: 'Confirm your new address',
    lines: [
      'This address was entered as the new address of a Tidemark account. Confirm it to use it.',
      'If it was not you, do nothing.',
    ],

    page: 'verify',
    button: 'Confirm the address',
    valid: '24 hours',
  }),
  email_changing: ({ otherEmail }) => ({
    subject: 'Your address is about to change',
    lines: [`The address of your account becomes ${otherEmail} when it is confirmed there.`, RESET],
    ...SET_PASSWORD,
  }),
  email_changed: ({ otherEmail }) => ({
    subject: 'Your address was changed',
    lines: [
      `The address of your account is now ${otherEmail}.`,
      'If it was not you, restore this address: all sessions end, and you set a new password.',
    ],

    page: 'verify',
    button: 'Restore this address',
    valid: '7 days',
  }),
};

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Renders a mail about an account as text and HTML. Names come from people: they are one line of plain text without links. Without the
 * console's address the text names the page, and the token to enter there.
 */
export function renderAccountMail(kind: AccountMailKind, raw: AccountMailContent, consoleUrl: string): RenderedMail {
  const letter = LETTERS[kind](withPlainNames(raw));
  const greeting = raw.name === '' ? 'Hello,' : `Hello ${nameOf(raw.name)},`;
  const lines = [greeting, ...letter.lines];
  const link = linkOf(letter, raw.token, consoleUrl);
  const valid = letter.valid === undefined ? '' : `The link works once, for ${letter.valid}.`;
  const text = [...lines, ...(letter.page === undefined ? [] : [`${letter.button}: ${link}`]), valid].filter(
    (line) => line !== '',
  );
  return {
    subject: letter.subject,
    text: `${text.join('\n\n')}\n`,
    html: page(letter, { lines, valid, link: consoleUrl === '' ? '' : link, fallback: link }),
  };
}

function linkOf({ page = '' }: Letter, token: string, consoleUrl: string): string {
  if (page === '') return '';
  if (consoleUrl !== '') return `${consoleUrl.replace(/\/+$/, '')}/auth/${page}${token === '' ? '' : `#${token}`}`;
  return `open /auth/${page} at the address of your installation${token === '' ? '' : ` and enter ${token}`}`;
}

const withPlainNames = (content: AccountMailContent): AccountMailContent => ({
  ...content,
  workspaceName: nameOf(content.workspaceName),
  invitedBy: nameOf(content.invitedBy),
  passkeyName: nameOf(content.passkeyName),
  providerName: nameOf(content.providerName),
});

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

interface Parts {
  readonly lines: readonly string[];
  readonly valid: string;
  readonly link: string;
  readonly fallback: string;
}

function page({ subject, button = '' }: Letter, { lines, valid, link, fallback }: Parts): string {
  const paragraphs = lines.map(
    (line) =>
      `<p style="margin:0 0 14px;font-size:15px;line-height:1.55;overflow-wrap:anywhere">${escapeHtml(line)}</p>`,
  );
  const action =
    link === ''
      ? fallback === ''
        ? ''
        : `<p style="margin:0 0 14px;font-size:15px;overflow-wrap:anywhere">${escapeHtml(`${button}: ${fallback}`)}</p>`
      : `<p style="margin:22px 0 18px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:11px 20px;background:#1f5f7f;color:#ffffff;text-decoration:none;font-size:15px;border-radius:4px">${escapeHtml(button)}</a></p>`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px 12px;background:#f3f5f6;color:#1d2529;${FONT}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px;background:#ffffff;border-top:4px solid #1f5f7f">
<tr><td style="padding:28px;text-align:left">
<h1 style="margin:0 0 18px;font-size:20px;line-height:1.3;font-weight:600">${escapeHtml(subject)}</h1>
${paragraphs.join('\n')}
${action}
${valid === '' ? '' : `<p style="margin:0;font-size:13px;line-height:1.5;color:#5b6770">${escapeHtml(valid)}</p>`}
</td></tr>
<tr><td style="padding:16px 28px;border-top:1px solid #e3e7e9;font-size:12px;line-height:1.5;color:#5b6770">Tidemark sends this mail because of an action at an account with this address.</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
}

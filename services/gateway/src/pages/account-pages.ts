import { escapeHtml } from '@tidemark/html';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'email' | 'password' | 'text';
  /** Value of the attribute `autocomplete`, by which browsers and password managers fill the field. */
  readonly fill: string;
  readonly hint?: string;
  readonly isOptional?: boolean;
}

/** A page of one form, which the script sends as JSON to a route of /v1. */
interface AccountPage {
  readonly title: string;
  readonly intro: string;
  /** Route and method of the form; absent: the script fills the page. */
  readonly action?: string;
  readonly button?: string;
  readonly fields?: readonly Field[];
  /** The page spends the token behind the `#` of its address. */
  readonly usesToken?: boolean;
  /** A button that uses a passkey in place of the form. `later`: the script shows it to people who have one. */
  readonly passkey?: 'always' | 'later';
  readonly links?: readonly (readonly [string, string])[];
}

const EMAIL: Field = { name: 'email', label: 'E-mail address', type: 'email', fill: 'username' };
const PASSWORD: Field = { name: 'password', label: 'Password', type: 'password', fill: 'current-password' };
const NEW_PASSWORD: Field = {
  ...{ name: 'password', label: 'New password', type: 'password', fill: 'new-password' },
  hint: 'At least 12 characters, such as four random words.',
};
const NAME: Field = { name: 'name', label: 'Your name', type: 'text', fill: 'name' };
const SIGN_IN = ['Sign in', '/auth/login'] as const;
const ACCOUNT_PATH = '/auth/account';
const FORGOT = ['Forgot the password?', '/auth/forgot'] as const;

/** The pages of accounts, by the last part of their path. */
export const ACCOUNT_PAGES: Readonly<Record<string, AccountPage>> = {
  login: {
    ...{ title: 'Sign in', intro: '', action: '/auth/login', button: 'Sign in' },
    ...{ fields: [EMAIL, PASSWORD], passkey: 'always', links: [FORGOT, ['Create an account', '/auth/signup']] },
  },
  signup: {
    ...{ title: 'Create an account', intro: 'The account gets a workspace of its own.', action: '/auth/signup' },
    ...{ button: 'Create the account', fields: [NAME, EMAIL, NEW_PASSWORD], links: [SIGN_IN] },
  },
  setup: {
    title: 'Create the first account',
    intro: 'This account becomes the owner of the first workspace of this installation.',
    ...{
      action: '/auth/signup',
      button: 'Create the account',
      usesToken: true,
      fields: [NAME, EMAIL, NEW_PASSWORD],
    },
  },
  code: {
    title: 'Second factor',
    intro: 'Enter the code of your authenticator app, or one of your recovery codes.',
    ...{ action: '/auth/2fa/verify', button: 'Continue', passkey: 'later' },
    fields: [{ name: 'code', label: 'Code', type: 'text', fill: 'one-time-code' }],
  },
  verify: {
    title: 'Verify your address',
    intro: 'Verify the address of your account.',
    ...{ action: '/auth/verify', button: 'Verify the address', usesToken: true, links: [SIGN_IN] },
    fields: [{ ...NEW_PASSWORD, isOptional: true, hint: 'Only if this is not the browser that signed up.' }],
  },
  forgot: {
    title: 'Set a new password',
    intro: 'A link to set a new password is mailed to the address, if it has an account.',
    ...{ action: '/auth/forgot', button: 'Mail the link', fields: [EMAIL], links: [SIGN_IN] },
  },
  reset: {
    title: 'Set a new password',
    intro: 'All sessions of the account end. A second factor stays on.',
    ...{
      action: '/auth/reset',
      button: 'Set the password',
      usesToken: true,
      fields: [NEW_PASSWORD],
      links: [SIGN_IN],
    },
  },
  invite: {
    title: 'Invitation',
    intro: 'You are invited to a workspace.',
    ...{ action: '/auth/invites/accept', button: 'Accept the invitation', usesToken: true, links: [SIGN_IN] },
    fields: [
      { ...NAME, isOptional: true, hint: 'Name and password are for a new account. With an account, sign in first.' },
      { ...NEW_PASSWORD, isOptional: true },
    ],
  },
  oidc: { title: 'Signing in', intro: 'The sign-in is being completed.', links: [SIGN_IN] },
  account: { title: 'Your account', intro: '' },
};

/** The answer to an address below /auth that has no page. */
export const MISSING_PAGE: AccountPage = {
  ...{ title: 'Page not found', intro: 'There is no page at this address. A link of a mail may have been cut off.' },
  links: [SIGN_IN, ['Your account', '/auth/account']],
};

/** The page on which a person grants an application access; the script fills it. */
export const CONSENT_PAGE: AccountPage = { title: 'Access for an application', intro: '' };

/** The answer to an authorization request that must not return to its sender. */
export const UNKNOWN_CLIENT_PAGE: AccountPage = {
  title: 'Unknown application',
  intro:
    'The application that sent you here is not registered, or did not register the address that it returns to. Remove its connection in the application and add it again.',
  links: [['Your account', '/auth/account']],
};

/** The answer to an authorization request with wrong parameters. */
export const INVALID_REQUEST_PAGE: AccountPage = {
  title: 'Invalid request',
  intro:
    'The request of the application is not valid: it must use response_type code, a code_challenge with the method S256 and, if it names one, the resource of this server. Nothing was granted. Update the application, or use an API key.',
  links: [['Your account', '/auth/account']],
};

const TOKEN: Field = {
  ...{ name: 'token', label: 'Code of the link', type: 'text', fill: 'off' },
  hint: 'The part of the link after the sign #.',
};

/** The icon of the console, as a data URL: the policy allows no other picture. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none"><rect width="24" height="24" rx="5" fill="#0f766e"/><path d="M4 14c2.7-4 5.3-4 8 0s5.3 4 8 0" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>',
)}`;

/** Renders a page. Its texts are constants; the script adds what it reads as text, never as markup. */
export function renderAccountPage(name: string, page: AccountPage, home = ACCOUNT_PATH): string {
  const { title, intro, action, links: own = [] } = page;
  const isOfAccount = name === 'account' && home !== ACCOUNT_PATH;
  const links = isOfAccount ? [...own, ['Open the console', home] as const] : own;
  const list = links.map(([text, path]) => `<a href="${path}">${escapeHtml(text)}</a>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Tidemark</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/auth/pages.css">
<script type="module" src="/auth/pages.js"></script>
</head>
<body>
<main data-page="${name}" data-home="${home}">
<p class="brand">Tidemark</p>
<h1>${escapeHtml(title)}</h1>
<p id="intro"${intro === '' ? ' hidden' : ''}>${escapeHtml(intro)}</p>
<noscript><p class="message bad">This page needs JavaScript.</p></noscript>
<p class="message" id="message" role="alert" hidden></p>
${action === undefined ? '<div id="content"></div>' : form(page)}
${other(page)}
${list === '' ? '' : `<nav aria-label="Other pages">${list}</nav>`}
</main>
</body>
</html>
`;
}

function form({ action = '', button = '', fields = [], usesToken = false }: AccountPage): string {
  const all = [...(usesToken ? [TOKEN] : []), ...fields];
  return `<form id="form" data-action="${action}">
${all.map(input).join('\n')}
<button type="submit">${escapeHtml(button)}</button>
</form>`;
}

/** Renders the ways besides the form. */
function other({ passkey }: AccountPage): string {
  if (passkey === undefined) return '';
  return `<div id="other"${passkey === 'later' ? ' hidden' : ''}>
<p class="or">or</p>
<button type="button" class="second" id="passkey">${passkey === 'always' ? 'Sign in with a passkey' : 'Use a passkey'}</button>
${passkey === 'always' ? '<button type="button" class="second" id="provider" hidden></button>\n' : ''}</div>`;
}

function input({ name, label, type, fill, hint, isOptional = false }: Field): string {
  const described = hint === undefined ? '' : ` aria-describedby="hint-${name}"`;
  const small = hint === undefined ? '' : `\n<small id="hint-${name}">${escapeHtml(hint)}</small>`;
  return `<div class="field" id="field-${name}">
<label for="${name}">${escapeHtml(label)}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${fill}" autocapitalize="none" spellcheck="false"${isOptional ? '' : ' required'}${described}>${small}
</div>`;
}

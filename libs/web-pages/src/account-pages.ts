// The documents of the pages of accounts. build.config.ts writes them as files.
import { type Html, html } from '@tidemark/html';
import type { AccountPageName, ConsentPageName } from './page-names.ts';
import { HOMES, type Home } from './page-names.ts';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'email' | 'password' | 'text';
  /** Value of the attribute `autocomplete`, by which browsers and password managers fill the field. */
  readonly fill: string;
  readonly hint?: string;
  readonly isOptional?: boolean;
}

/** A link to another page: its text and its path. */
type Link = readonly [text: string, path: string];

/** A page of one form, which the script sends as JSON to a route of /v1. */
interface AccountPage {
  readonly title: string;
  readonly intro: string;
  /** Route and button of the form; absent: the script fills the page. */
  readonly form?: { readonly action: string; readonly button: string; readonly fields: readonly Field[] };
  /** A button that uses a passkey in place of the form. `later`: the script shows it to people who have one. */
  readonly passkey?: 'always' | 'later';
  readonly links?: readonly Link[];
}

const EMAIL: Field = { name: 'email', label: 'E-mail address', type: 'email', fill: 'username' };
const PASSWORD: Field = { name: 'password', label: 'Password', type: 'password', fill: 'current-password' };
const NEW_PASSWORD: Field = {
  name: 'password',
  label: 'New password',
  type: 'password',
  fill: 'new-password',
  hint: 'At least 12 characters, such as four random words.',
};
const NAME: Field = { name: 'name', label: 'Your name', type: 'text', fill: 'name' };
/** The token behind the `#` of the address, which the script fills in. */
const TOKEN: Field = {
  name: 'token',
  label: 'Code of the link',
  type: 'text',
  fill: 'off',
  hint: 'The part of the link after the sign #.',
};
const SIGN_IN: Link = ['Sign in', '/auth/login'];
const YOUR_ACCOUNT: Link = ['Your account', HOMES.account];

export const ACCOUNT_PAGES: Readonly<Record<AccountPageName, AccountPage>> = {
  login: {
    title: 'Sign in',
    intro: '',
    form: { action: '/auth/login', button: 'Sign in', fields: [EMAIL, PASSWORD] },
    passkey: 'always',
    links: [
      ['Forgot the password?', '/auth/forgot'],
      ['Create an account', '/auth/signup'],
    ],
  },
  signup: {
    title: 'Create an account',
    intro: 'The account gets a workspace of its own.',
    form: { action: '/auth/signup', button: 'Create the account', fields: [NAME, EMAIL, NEW_PASSWORD] },
    links: [SIGN_IN],
  },
  setup: {
    title: 'Create the first account',
    intro: 'This account becomes the owner of the first workspace of this installation.',
    form: { action: '/auth/signup', button: 'Create the account', fields: [TOKEN, NAME, EMAIL, NEW_PASSWORD] },
  },
  code: {
    title: 'Second factor',
    intro: 'Enter the code of your authenticator app, or one of your recovery codes.',
    form: {
      action: '/auth/2fa/verify',
      button: 'Continue',
      fields: [{ name: 'code', label: 'Code', type: 'text', fill: 'one-time-code' }],
    },
    passkey: 'later',
  },
  verify: {
    title: 'Verify your address',
    intro: 'Verify the address of your account.',
    form: {
      action: '/auth/verify',
      button: 'Verify the address',
      fields: [TOKEN, { ...NEW_PASSWORD, isOptional: true, hint: 'Only if this is not the browser that signed up.' }],
    },
    links: [SIGN_IN],
  },
  forgot: {
    title: 'Set a new password',
    intro: 'A link to set a new password is mailed to the address, if it has an account.',
    form: { action: '/auth/forgot', button: 'Mail the link', fields: [EMAIL] },
    links: [SIGN_IN],
  },
  reset: {
    title: 'Set a new password',
    intro: 'All sessions of the account end. A second factor stays on.',
    form: { action: '/auth/reset', button: 'Set the password', fields: [TOKEN, NEW_PASSWORD] },
    links: [SIGN_IN],
  },
  invite: {
    title: 'Invitation',
    intro: 'You are invited to a workspace.',
    form: {
      action: '/auth/invites/accept',
      button: 'Accept the invitation',
      fields: [
        TOKEN,
        { ...NAME, isOptional: true, hint: 'Name and password are for a new account. With an account, sign in first.' },
        { ...NEW_PASSWORD, isOptional: true },
      ],
    },
    links: [SIGN_IN],
  },
  oidc: { title: 'Signing in', intro: 'The sign-in is being completed.', links: [SIGN_IN] },
  account: { title: 'Your account', intro: '' },
};

/** The response to an address below /auth that has no page. */
export const MISSING_PAGE: AccountPage = {
  title: 'Page not found',
  intro: 'There is no page at this address. A link of a mail may have been cut off.',
  links: [SIGN_IN, YOUR_ACCOUNT],
};

export const CONSENT_PAGES: Readonly<Record<ConsentPageName, AccountPage>> = {
  /** The page on which a person grants an application access; the script fills it. */
  consent: { title: 'Access for an application', intro: '' },
  /** The response to an authorization request that must not return to its sender. */
  'unknown-client': {
    title: 'Unknown application',
    intro:
      'The application that sent you here is not registered, or did not register the address that it returns to. Remove its connection in the application and add it again.',
    links: [YOUR_ACCOUNT],
  },
  /** The response to an authorization request with wrong parameters. */
  'invalid-request': {
    title: 'Invalid request',
    intro:
      'The request of the application is not valid: it must use response_type code, a code_challenge with the method S256 and, if it names one, the resource of this server. Nothing was granted. Update the application, or use an API key.',
    links: [YOUR_ACCOUNT],
  },
};

/** The icon of the console, as a data URL: the policy allows no other picture. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#0b6472"/><path d="M3 15.500c1.500-2 3-2 4.500 0s3 2 4.500 0 3-2 4.500 0 3 2 4.500 0V18a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3Z" fill="#fff"/><path d="M6 8h12" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>',
)}`;

/** Returns a page as a document. The script adds what it reads as text, never as markup. */
export function renderAccountPage(name: string, page: AccountPage, home: Home): string {
  const { title, intro, links: own = [] } = page;
  const links: readonly Link[] = name === 'account' && home === 'console' ? [...own, ['Open the console', '/']] : own;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Tidemark</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/auth/pages.css">
<script type="module" src="/auth/pages.js"></script>
</head>
<body>
<main data-page="${name}" data-home="${HOMES[home]}">
<p class="brand">Tidemark</p>
<h1>${title}</h1>
<p id="intro"${when(intro === '', html` hidden`)}>${intro}</p>
<noscript><p class="message bad">This page needs JavaScript.</p></noscript>
<p class="message" id="message" role="alert" hidden></p>
${page.form === undefined ? html`<div id="content"></div>` : form(page.form)}
${other(page)}
${when(links.length > 0, html`<nav aria-label="Other pages">${links.map(([text, path]) => html`<a href="${path}">${text}</a>`)}</nav>`)}
</main>
</body>
</html>
`.text;
}

const when = (isShown: boolean, part: Html): Html | undefined => (isShown ? part : undefined);

const form = ({ action, button, fields }: NonNullable<AccountPage['form']>): Html =>
  html`<form id="form" data-action="${action}">
${fields.map((field) => html`${input(field)}\n`)}<button type="submit">${button}</button>
</form>`;

/** Returns the ways besides the form. */
function other({ passkey }: AccountPage): Html | undefined {
  if (passkey === undefined) return undefined;
  const isAlways = passkey === 'always';
  return html`<div id="other"${when(!isAlways, html` hidden`)}>
<p class="or">or</p>
<button type="button" class="second" id="passkey">${isAlways ? 'Sign in with a passkey' : 'Use a passkey'}</button>
${when(isAlways, html`<button type="button" class="second" id="provider" hidden></button>\n`)}</div>`;
}

function input({ name, label, type, fill, hint, isOptional = false }: Field): Html {
  const described = hint === undefined ? undefined : html` aria-describedby="hint-${name}"`;
  const small = hint === undefined ? undefined : html`\n<small id="hint-${name}">${hint}</small>`;
  return html`<div class="field" id="field-${name}">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${fill}" autocapitalize="none" spellcheck="false"${when(!isOptional, html` required`)}${described}>${small}
</div>`;
}

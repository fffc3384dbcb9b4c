// The page of the signed-in person: second factor, passkeys and sessions.
import type { Passkeys, Profile, Session, SessionItem } from '@tidemark/sdk';
import { call, isRefused } from './call.ts';
import { button, el, type FormValues, type SmallField, smallForm } from './elements.ts';
import { fill, introduce, page, show } from './page.ts';
import { createPasskey } from './passkeys.ts';
import { programOf } from './program-of.ts';
import { showProblem } from './run-action.ts';

const when = (iso: string): string => new Date(iso).toLocaleDateString(undefined, { dateStyle: 'medium' });

async function showAccount(): Promise<void> {
  const { state, user, workspace, blocked } = await call('GET /auth/session');
  if (state === 'code_needed') return location.assign('/auth/code');
  const place = workspace === null ? '' : ` · ${workspace.name} (${workspace.role})`;
  introduce(`${user.name}, ${user.email}${place}`);
  if (blocked === 'email_unverified')
    show('Open the link of the mail to verify your address. Until then the account can only read.');
  if (blocked === 'mfa_required')
    show('The workspace requires a second factor. Add a passkey or an authenticator app below.');
  const { data: passkeys } = await call('GET /auth/passkeys');
  const { data: sessions } = await call('GET /auth/sessions');
  const password = passwordFieldOf(user);
  fill(passkeySection(passkeys, password), appSection(user.twoFactor, password), sessionSection(sessions));
}

/** The field of the password; none for people without one. */
const passwordFieldOf = ({ hasPassword }: Session['user']): readonly SmallField[] =>
  hasPassword ? [{ name: 'password', label: 'Password', type: 'password', fill: 'current-password' }] : [];

const section = (title: string, ...children: readonly Node[]): HTMLElement =>
  el('section', {}, el('h2', {}, title), ...children);
const fold = (summary: string, content: Node): HTMLElement => el('details', {}, el('summary', {}, summary), content);

/** Shows recovery codes once, in place of the sections. */
function showCodes(codes: readonly string[]): void {
  show('The second factor is on.');
  const list = el('ul', { className: 'codes' }, ...codes.map((code) => el('li', {}, code)));
  const about =
    'Each of these codes signs in once in place of the second factor. Keep them in a safe place: they are not shown again.';
  const done = async (): Promise<void> => {
    show('');
    await showAccount();
  };
  const shown = section('Recovery codes', el('p', {}, about), list, button('I have kept them', done, 'main'));
  fill(shown);
  const heading = shown.querySelector('h2');
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus();
}

async function afterFactor({ recoveryCodes = [] }: { readonly recoveryCodes?: string[] | undefined }): Promise<void> {
  if (recoveryCodes.length === 0) await showAccount();
  else showCodes(recoveryCodes);
}

function passkeyItem({ id, name, createdAt, lastUsedAt }: Passkeys['data'][number]): HTMLElement {
  const field = { name: 'name', label: 'New name', value: name, maxLength: 100 };
  const rename = smallForm({ id: `rename-${id}`, fields: [field], submit: 'Rename' }, async (values) => {
    await call('PATCH /auth/passkeys/{id}', { id, body: { name: values['name'] ?? '' } });
    await showAccount();
  });
  const remove = button('Remove', async () => {
    await call('DELETE /auth/passkeys/{id}', { id });
    await showAccount();
  });
  remove.setAttribute('aria-label', `Remove the passkey ${name}`);
  const used = lastUsedAt === null ? 'not used yet' : `last used ${when(lastUsedAt)}`;
  const about = el('small', {}, `added ${when(createdAt)}, ${used}`);
  return el('li', {}, el('strong', {}, name), about, fold('Rename', rename), remove);
}

function passkeySection(passkeys: Passkeys['data'], password: readonly SmallField[]): HTMLElement {
  const fields = [{ name: 'name', label: 'Name, such as Laptop', maxLength: 100 }, ...password];
  const add = smallForm({ id: 'new-passkey', fields, submit: 'Add the passkey' }, async (values) =>
    afterFactor(await createPasskey(values['name'], values['password'])),
  );
  const list =
    passkeys.length === 0
      ? el('p', {}, 'A passkey signs in without a password, and is a second factor.')
      : el('ul', { className: 'items' }, ...passkeys.map(passkeyItem));
  return section('Passkeys', list, fold('Add a passkey', add));
}

const changeFactor = (change: 'start' | 'off' | 'renew_codes', values: FormValues): Promise<Profile> =>
  call('PATCH /auth/profile', { body: { two_factor: change, password: values['password'] } });

function appSection(
  { on, app, recoveryCodesLeft }: Session['user']['twoFactor'],
  fields: readonly SmallField[],
): HTMLElement {
  const start = smallForm({ id: 'start-app', fields, submit: 'Continue' }, async (values) =>
    start.replaceWith(confirmApp(await changeFactor('start', values))),
  );
  const renew = smallForm({ id: 'renew-codes', fields, submit: 'Make new codes' }, async (values) =>
    afterFactor(await changeFactor('renew_codes', values)),
  );
  const off = smallForm({ id: 'remove-app', fields, submit: 'Remove the app' }, async (values) => {
    await changeFactor('off', values);
    await showAccount();
  });
  return section(
    'Authenticator app',
    el('p', {}, app ? 'An authenticator app is set up.' : 'No authenticator app is set up.'),
    fold(app ? 'Set up another app in its place' : 'Set up an authenticator app', start),
    ...(on ? [fold(`Make new recovery codes (${recoveryCodesLeft} are left)`, renew)] : []),
    ...(app ? [fold('Remove the authenticator app', off)] : []),
  );
}

function confirmApp({ qrSvg = '', secret = '' }: Profile): HTMLElement {
  const field = { name: 'code', label: 'Code of the app', fill: 'one-time-code', maxLength: 16 } as const;
  const confirm = smallForm({ id: 'confirm-app', fields: [field], submit: 'Confirm' }, async ({ code }) =>
    afterFactor(await call('POST /auth/2fa/verify', { body: { code } })),
  );
  const src = `data:image/svg+xml,${encodeURIComponent(qrSvg)}`;
  return el(
    'div',
    {},
    el('p', {}, 'Scan the picture with an authenticator app, or enter the secret there.'),
    el('img', { alt: 'QR code of the secret below', width: 200, height: 200, src }),
    el('p', {}, el('code', {}, secret)),
    confirm,
  );
}

function sessionItem({ id, current, userAgent, ip, lastSeenAt }: SessionItem): HTMLElement {
  const about = el('small', {}, `${ip}, last used ${when(lastSeenAt)}`);
  const item = el('li', {}, el('strong', {}, current ? 'This session' : programOf(userAgent)), about);
  if (current) return item;
  const end = button('End', async () => {
    await call('DELETE /auth/sessions', { query: { id } });
    await showAccount();
  });
  end.setAttribute('aria-label', `End the session of ${programOf(userAgent)}`);
  item.append(end);
  return item;
}

function sessionSection(sessions: readonly SessionItem[]): HTMLElement {
  const signOut = (everywhere: boolean) => async (): Promise<void> => {
    await call('POST /auth/logout', { body: { everywhere } });
    location.assign('/auth/login');
  };
  const leave = [
    button('Sign out', signOut(false)),
    ...(sessions.length > 1 ? [button('Sign out everywhere', signOut(true))] : []),
  ];
  return section('Sessions', el('ul', { className: 'items' }, ...sessions.map(sessionItem)), ...leave);
}

/** Fills the page of the account. */
export function startAccount(): void {
  if (page !== 'account') return;
  showAccount().catch((error: unknown) => {
    if (isRefused(error, 'unauthorized')) location.assign('/auth/login?next=/auth/account');
    else showProblem(error);
  });
}

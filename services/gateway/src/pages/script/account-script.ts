/** The page of the signed-in person: second factor, passkeys and sessions. */
export const ACCOUNT_SCRIPT = `
const when = (iso) => new Date(iso).toLocaleDateString(undefined, { dateStyle: 'medium' });
/** The field of the password; none for people without one. */
let passwordField = [];

async function showAccount() {
  const session = await call('GET', '/auth/session');
  if (session.state === 'code_needed') return location.assign('/auth/code');
  const { user, workspace, blocked } = session;
  passwordField = user.hasPassword ? [{ name: 'password', label: 'Password', type: 'password', fill: 'current-password' }] : [];
  byId('intro').hidden = false;
  byId('intro').textContent = user.name + ', ' + user.email + (workspace === null ? '' : ' · ' + workspace.name + ' (' + workspace.role + ')');
  if (blocked === 'email_unverified') show('Open the link of the mail to verify your address. Until then the account can only read.');
  if (blocked === 'mfa_required') show('The workspace requires a second factor. Add a passkey or an authenticator app below.');
  const { data: passkeys } = await call('GET', '/auth/passkeys');
  const { data: sessions } = await call('GET', '/auth/sessions');
  byId('content').replaceChildren(passkeySection(passkeys), appSection(user.twoFactor), sessionSection(sessions));
}

const section = (title, ...children) => el('section', {}, el('h2', {}, title), ...children);
const fold = (summary, content) => el('details', {}, el('summary', {}, summary), content);

/** Shows recovery codes once, in place of the sections. */
function showCodes(codes) {
  show('The second factor is on.');
  const list = el('ul', { className: 'codes' }, ...codes.map((code) => el('li', {}, code)));
  const done = button('I have kept them', async () => { show(''); await showAccount(); }, '');
  byId('content').replaceChildren(
    section('Recovery codes', el('p', {}, 'Each of these codes signs in once in place of the second factor. Keep them in a safe place: they are not shown again.'), list, done));
  byId('content').querySelector('h2').tabIndex = -1;
  byId('content').querySelector('h2').focus();
}

const afterFactor = ({ recoveryCodes = [] }) => (recoveryCodes.length === 0 ? showAccount() : showCodes(recoveryCodes));

function passkeySection(passkeys) {
  const items = passkeys.map(({ id, name, createdAt, lastUsedAt }) => {
    const rename = smallForm({ id: 'rename-' + id, fields: [{ name: 'name', label: 'New name', value: name, maxLength: 100 }], submit: 'Rename' },
      async ({ name: chosen }) => { await call('PATCH', '/auth/passkeys/' + id, { name: chosen }); await showAccount(); });
    const remove = button('Remove', async () => { await call('DELETE', '/auth/passkeys/' + id); await showAccount(); });
    remove.setAttribute('aria-label', 'Remove the passkey ' + name);
    const used = lastUsedAt === null ? 'not used yet' : 'last used ' + when(lastUsedAt);
    return el('li', {}, el('strong', {}, name), el('small', {}, 'added ' + when(createdAt) + ', ' + used), fold('Rename', rename), remove);
  });
  const add = smallForm({ id: 'new-passkey', fields: [{ name: 'name', label: 'Name, such as Laptop', maxLength: 100 }, ...passwordField], submit: 'Add the passkey' },
    async (values) => afterFactor(await createPasskey(values)));
  const list = items.length === 0 ? el('p', {}, 'A passkey signs in without a password, and is a second factor.') : el('ul', { className: 'items' }, ...items);
  return section('Passkeys', list, fold('Add a passkey', add));
}

const change = (two_factor) => async ({ password }) => call('PATCH', '/auth/profile', { two_factor, password });

function appSection({ on, app, recoveryCodesLeft }) {
  const start = smallForm({ id: 'start-app', fields: passwordField, submit: 'Continue' }, async (values) => start.replaceWith(confirmApp(await change('start')(values))));
  const renew = smallForm({ id: 'renew-codes', fields: passwordField, submit: 'Make new codes' }, async (values) => afterFactor(await change('renew_codes')(values)));
  const off = smallForm({ id: 'remove-app', fields: passwordField, submit: 'Remove the app' }, async (values) => { await change('off')(values); await showAccount(); });
  const state = el('p', {}, app ? 'An authenticator app is set up.' : 'No authenticator app is set up.');
  const parts = [state, fold(app ? 'Set up another app in its place' : 'Set up an authenticator app', start)];
  if (on) parts.push(fold('Make new recovery codes (' + recoveryCodesLeft + ' are left)', renew));
  if (app) parts.push(fold('Remove the authenticator app', off));
  return section('Authenticator app', ...parts);
}

function confirmApp({ qrSvg, secret }) {
  const confirm = smallForm({ id: 'confirm-app', fields: [{ name: 'code', label: 'Code of the app', fill: 'one-time-code', maxLength: 16 }], submit: 'Confirm' },
    async ({ code }) => afterFactor(await call('POST', '/auth/2fa/verify', { code })));
  const picture = el('img', { alt: 'QR code of the secret below', width: 200, height: 200, src: 'data:image/svg+xml,' + encodeURIComponent(qrSvg) });
  return el('div', {}, el('p', {}, 'Scan the picture with an authenticator app, or enter the secret there.'), picture, el('p', {}, el('code', {}, secret)), confirm);
}

function sessionSection(sessions) {
  const items = sessions.map(({ id, current, userAgent, ip, lastSeenAt }) => {
    const about = el('small', {}, ip + ', last used ' + when(lastSeenAt));
    const item = el('li', {}, el('strong', {}, current ? 'This session' : programOf(userAgent)), about);
    if (!current) {
      const end = button('End', async () => { await call('DELETE', '/auth/sessions?id=' + id); await showAccount(); });
      end.setAttribute('aria-label', 'End the session of ' + programOf(userAgent));
      item.append(end);
    }
    return item;
  });
  const out = (everywhere) => async () => { await call('POST', '/auth/logout', { everywhere }); location.assign('/auth/login'); };
  const leave = [button('Sign out', out(false)), ...(sessions.length > 1 ? [button('Sign out everywhere', out(true))] : [])];
  return section('Sessions', el('ul', { className: 'items' }, ...items), ...leave);
}

/** Returns a short name of a browser; other programs by their first word. */
function programOf(userAgent) {
  const [, browser] = /(Firefox|Edg|OPR|Chrome|Safari)\\//.exec(userAgent) ?? [];
  const [, system] = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent) ?? [];
  if (browser === undefined) return userAgent.split('/')[0].slice(0, 40) || 'Unknown program';
  return { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser + (system === undefined ? '' : ' on ' + system);
}

if (page === 'account')
  showAccount().catch((error) => (error.code === 'unauthorized' ? location.assign('/auth/login?next=/auth/account') : show(textOf(error), true)));
`;

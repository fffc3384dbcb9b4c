/**
 * Script of the pages of accounts. It sends forms as JSON to the routes of sessions and shows answers as text. A token is read from behind the `#`
 * of the address, so that it is in no request for the page, and it is spent by a press of the button, not by opening the page.
 */
export const PAGES_SCRIPT = `
const byId = (id) => document.getElementById(id);
const page = document.querySelector('main').dataset.page;
const form = byId('form');
const message = byId('message');
const SAFE_PATH = /^\\/(?:[A-Za-z0-9_-][^\\\\\\x00-\\x1f]*)?$/;

function show(text, isBad = false) {
  message.textContent = text;
  message.classList.toggle('bad', isBad);
  message.hidden = text === '';
}

async function send(method, path, body) {
  const init = { method, credentials: 'same-origin', headers: {} };
  if (body !== undefined) {
    init.headers['content-type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  const response = await fetch(path, init);
  const text = await response.text();
  return { status: response.status, ok: response.ok, body: text === '' ? {} : JSON.parse(text) };
}

function nextPath() {
  const next = new URLSearchParams(location.search).get('next') ?? '';
  return next !== '' && SAFE_PATH.test(next) ? next : '/auth/account';
}

const token = location.hash.slice(1);
if (token !== '' && form?.elements.token !== undefined) {
  form.elements.token.value = token;
  byId('field-token').hidden = true;
}

function bodyOf() {
  const body = {};
  for (const field of form.querySelectorAll('input')) if (field.value !== '') body[field.name] = field.value;
  if (page === 'setup') { body.setup_token = body.token; delete body.token; }
  if (page === 'code' && body.code !== undefined && body.code.replace(/[\\s-]/g, '').length > 6) {
    body.recovery_code = body.code;
    delete body.code;
  }
  return body;
}

/** What a page does after its form was accepted. */
const DONE = {
  forgot: () => show('If the address has an account, a mail with a link is on its way.'),
  reset: () => location.assign('/auth/login?changed=password'),
};

function signedIn({ state }) {
  const path = { code_needed: '/auth/code' + location.search, sign_in: '/auth/login?changed=address' }[state];
  location.assign(path ?? nextPath());
}

form?.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  show('');
  try {
    const { ok, body } = await send('POST', form.dataset.action, bodyOf());
    if (!ok) show(body.error, true);
    else (DONE[page] ?? signedIn)(body);
  } catch {
    show('The server did not answer. Check the connection and try again.', true);
  } finally {
    button.disabled = false;
  }
});

function add(parent, tag, text, properties = {}) {
  const element = Object.assign(document.createElement(tag), properties);
  element.textContent = text;
  parent.append(element);
  return element;
}

async function showInvite() {
  const { ok, body } = await send('GET', '/v1/auth/invites/' + encodeURIComponent(token));
  if (!ok) return show(body.error, true);
  byId('intro').textContent = 'You are invited to the workspace ' + body.workspace.name + ' with the role ' + body.role + ', as ' + body.email + '.';
}

async function showAccount() {
  const content = byId('content');
  const { ok, body } = await send('GET', '/v1/auth/session');
  if (!ok) return location.assign('/auth/login');
  if (body.state === 'code_needed') return location.assign('/auth/code');
  content.replaceChildren();
  byId('intro').textContent = body.user.name + ', ' + body.user.email;
  if (body.blocked === 'email_unverified') show('Open the link of the mail to verify your address. Until then the account can only read.');
  if (body.blocked === 'mfa_required') show('The workspace requires a second factor. Turn it on below.');
  if (body.workspace !== null) add(content, 'p', 'Workspace ' + body.workspace.name + ', role ' + body.workspace.role + '.');
  add(content, 'p', 'Second factor: ' + (body.user.twoFactor.on ? 'on, ' + body.user.twoFactor.recoveryCodesLeft + ' recovery codes left.' : 'off.'));
  if (!body.user.twoFactor.on) startFactor(content);
  const out = add(content, 'button', 'Sign out', { type: 'button', className: 'second' });
  out.addEventListener('click', async () => {
    await send('POST', '/v1/auth/logout', {});
    location.assign('/auth/login');
  });
}

function field(parent, { id, label, type, fill }) {
  const box = add(parent, 'div', '', { className: 'field' });
  add(box, 'label', label, { htmlFor: id });
  return Object.assign(add(box, 'input', '', { id, type, required: true }), { autocomplete: fill });
}

function startFactor(content) {
  const start = add(content, 'form', '', { id: 'factor' });
  const password = field(start, { id: 'password', label: 'Password', type: 'password', fill: 'current-password' });
  add(start, 'button', 'Turn on a second factor', { type: 'submit' });
  start.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { ok, body } = await send('PATCH', '/v1/auth/profile', { two_factor: 'start', password: password.value });
    if (!ok) return show(body.error, true);
    show('');
    start.replaceWith(confirmFactor(body));
  });
}

function confirmFactor({ qrSvg, secret }) {
  const confirm = document.createElement('form');
  add(confirm, 'p', 'Scan the picture with an authenticator app, or enter the secret there.');
  add(confirm, 'img', '', { alt: 'QR code of the secret below', src: 'data:image/svg+xml,' + encodeURIComponent(qrSvg) });
  add(add(confirm, 'p', ''), 'code', secret);
  const code = field(confirm, { id: 'code', label: 'Code of the app', type: 'text', fill: 'one-time-code' });
  add(confirm, 'button', 'Confirm', { type: 'submit' });
  confirm.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { ok, body } = await send('POST', '/v1/auth/2fa/verify', { code: code.value });
    if (!ok) return show(body.error, true);
    show('The second factor is on. Keep these recovery codes in a safe place; they are shown once.');
    const list = document.createElement('ul');
    for (const recovery of body.recoveryCodes ?? []) add(list, 'li', recovery);
    confirm.replaceWith(list);
  });
  return confirm;
}

const changed = new URLSearchParams(location.search).get('changed');
if (changed === 'password') show('The password is set. Sign in with it.');
if (changed === 'address') show('The address is verified. Sign in with it.');
if (page === 'invite' && token !== '') await showInvite();
if (page === 'account') await showAccount();
`;

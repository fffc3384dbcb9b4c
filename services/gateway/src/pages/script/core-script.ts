/** Functions that the other parts of the script use. Texts of answers are shown as text, never as markup. */
export const CORE_SCRIPT = `
const byId = (id) => document.getElementById(id);
const page = document.querySelector('main').dataset.page;
const home = document.querySelector('main').dataset.home;
const form = byId('form');
const message = byId('message');
/** The theme that the person chose in the console; without one the pages follow the system. */
const theme = localStorage.getItem('tidemark-theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
const SAFE_PATH = /^\\/(?:[A-Za-z0-9_-][^\\\\\\x00-\\x1f]*)?$/;

function show(text, isBad = false) {
  message.textContent = text;
  message.classList.toggle('bad', isBad);
  message.hidden = text === '';
  if (isBad) message.scrollIntoView({ block: 'nearest' });
}

/** An answer with an error. */
class Refused extends Error {
  constructor({ error = 'The server refused the request.', code = '' }) {
    super(error);
    this.code = code;
  }
}

/** Sends a request and returns the body of its answer. Throws Refused. */
async function call(method, path, body, root = '/v1') {
  const init = { method, credentials: 'same-origin', headers: {} };
  if (body !== undefined) {
    init.headers['content-type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  const response = await fetch(root + path, init);
  const text = await response.text();
  const answer = text === '' ? {} : JSON.parse(text);
  if (!response.ok) throw new Refused(answer);
  return answer;
}

const TEXTS = {
  NotAllowedError: 'No passkey was used: the request was cancelled or has expired. Try again.',
  InvalidStateError: 'This device has a passkey for your account already.',
  SecurityError: 'Passkeys work on the main address of this installation only, over https or on localhost.',
  NotSupportedError: 'This device does not support passkeys.',
};

/** Writes a message of the interface as a sentence. */
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');

function textOf(error) {
  if (error instanceof Refused) return sentence(error.message);
  if (error instanceof DOMException) return TEXTS[error.name] ?? error.message;
  if (error instanceof Unusable) return error.message;
  return 'The server did not answer. Check the connection and try again.';
}

/** Something that this browser can not do. */
class Unusable extends Error {}

/** Runs the action of a button, which is disabled meanwhile. Shows why it failed; shows the page for a fresh code where one is required. */
async function run(button, action) {
  button.disabled = true;
  show('');
  try {
    await action();
  } catch (error) {
    if (error.code === 'mfa_stale') return location.assign('/auth/code?next=' + encodeURIComponent(location.pathname + location.search));
    show(textOf(error), true);
  } finally {
    button.disabled = false;
  }
}

/** The page after a sign-in: the invitation that was opened before it, the path in the address, or the home page. */
function nextPath() {
  const invitation = sessionStorage.getItem('invitation');
  if (invitation !== null && page !== 'invite') return '/auth/invite#' + invitation;
  sessionStorage.removeItem('invitation');
  const next = new URLSearchParams(location.search).get('next') ?? '';
  return next !== '' && SAFE_PATH.test(next) ? next : home;
}

/** Opens the page that follows a sign-in. */
function signedIn({ state }) {
  const path = { code_needed: '/auth/code' + location.search, sign_in: '/auth/login?changed=address' }[state];
  location.assign(path ?? nextPath());
}

/** Makes an element; children that are strings become text. */
function el(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function button(text, action, className = 'second') {
  const made = el('button', { type: 'button', className }, text);
  made.addEventListener('click', () => run(made, action));
  return made;
}

/** Makes a form of labelled fields, whose values are passed to the action by name. */
function smallForm({ id, fields, submit }, action) {
  const made = el('form', { id });
  for (const { name, label, type = 'text', fill = 'off', value = '', maxLength = 1024 } of fields) {
    const input = el('input', { id: id + '-' + name, name, type, required: true, value, maxLength });
    input.autocomplete = fill;
    made.append(el('div', { className: 'field' }, el('label', { htmlFor: input.id }, label), input));
  }
  const send = el('button', { type: 'submit' }, submit);
  made.append(send);
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(send, () => action(Object.fromEntries(new FormData(made))));
  });
  return made;
}
`;

import { call, callForm } from './call.ts';
import { valuesOf } from './elements.ts';
import { dropInvitation, keepInvitation, openNext } from './next-page.ts';
import { form, intro, introduce, page, required, show } from './page.ts';
import { run, showProblem } from './run-action.ts';

/** A token from behind the `#` of the URL, which is in no request for the page. */
const token = location.hash.slice(1);
/** A code of an authenticator app has six digits; a recovery code is longer. */
const APP_CODE_LENGTH = 6;

/** Returns the body that the form sends: its fields with a value. */
function bodyOf(made: HTMLFormElement): Record<string, string> {
  const body = Object.fromEntries(Object.entries(valuesOf(made)).filter(([, value]) => value !== ''));
  if (page === 'setup') return renamed(body, 'token', 'setup_token');
  const isRecoveryCode = (body['code'] ?? '').replace(/[\s-]/g, '').length > APP_CODE_LENGTH;
  return page === 'code' && isRecoveryCode ? renamed(body, 'code', 'recovery_code') : body;
}

function renamed(body: Readonly<Record<string, string>>, from: string, to: string): Record<string, string> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name === from ? to : name, value]));
}

/** Shows what follows after the form was accepted. */
function afterForm(made: HTMLFormElement, response: { readonly state?: string }): void {
  if (page === 'reset') location.assign('/auth/login?changed=password');
  else if (page === 'forgot') {
    made.hidden = true;
    show('If the address has an account, a mail with a link is on its way. The link works for 30 minutes.');
  } else openNext(response);
}

/** Shows an invitation, then the form that accepts it: the form moves when the text above it gets longer. */
async function showInvitation(made: HTMLFormElement): Promise<void> {
  dropInvitation();
  made.hidden = true;
  const { workspace, role, email } = await call('GET /auth/invites/{id}', { id: token });
  introduce(`You are invited to the workspace ${workspace.name} with the role ${role}, as ${email}.`);
  made.hidden = false;
  keepInvitation(token);
}

/** Puts the token of the URL into the field of the form, which then needs no filling. */
function takeToken(made: HTMLFormElement): void {
  const field = made.elements.namedItem('token');
  if (token === '' || !(field instanceof HTMLInputElement)) return;
  field.value = token;
  required('field-token', HTMLElement).hidden = true;
}

/** Sends the form of the page as JSON to its route. The browser's own messages name what is missing, at the field. */
export function startForm(): void {
  const changed = new URLSearchParams(location.search).get('changed');
  if (changed === 'password') show('The password is set. Sign in with it.');
  if (changed === 'address') show('The address is verified. Sign in with it.');
  if (form === undefined) return;
  const made = form;
  takeToken(made);
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    const button = made.querySelector<HTMLButtonElement>('button[type=submit]');
    if (button === null) return;
    void run(button, async () => afterForm(made, await callForm(made.dataset['action'] ?? '', bodyOf(made))));
  });
  if (page === 'invite' && token !== '')
    showInvitation(made).catch((error: unknown) => {
      intro.hidden = true;
      showProblem(error);
    });
}

// What the installation offers: its sign-in provider, and links only where they lead to something.
import { call } from './call.ts';
import { nextPath, safePath } from './next-page.ts';
import { find, form, intro, introduce, page } from './page.ts';
import { run, showProblem, Unusable } from './run-action.ts';

/** Where the secret of a started sign-in is kept in this tab: a sign-in that another site started has none. */
const BINDING = 'sign-in';

async function openProvider(): Promise<void> {
  const { url, binding } = await call('POST /auth/oidc/start', { body: {} });
  sessionStorage.setItem(BINDING, JSON.stringify({ binding, next: nextPath() }));
  location.assign(url);
}

/** Completes the sign-in with which the provider returned to this page. */
async function completeProvider(): Promise<void> {
  const { binding, next } = JSON.parse(sessionStorage.getItem(BINDING) ?? '{}');
  sessionStorage.removeItem(BINDING);
  const query = location.search;
  history.replaceState(null, '', '/auth/oidc');
  if (typeof binding !== 'string')
    throw new Unusable('This sign-in was not started in this tab. Start it on the sign-in page.');
  const { state } = await call('POST /auth/oidc/login', { body: { binding, query } });
  if (state === 'code_needed') location.assign(`/auth/code?next=${encodeURIComponent(String(next))}`);
  else location.assign(safePath(String(next)));
}

/** Replaces the form by a reason why it can not be used. */
function withoutForm(reason: string): void {
  if (form !== undefined) form.hidden = true;
  introduce(reason);
}

async function showOptions(): Promise<void> {
  const { signUp, mail, passwordMin, provider } = await call('GET /auth/options');
  for (const link of document.querySelectorAll<HTMLAnchorElement>('nav a[href="/auth/signup"]'))
    link.hidden = signUp !== 'open';
  if (page === 'signup' && signUp === 'invite')
    withoutForm('Accounts are created by invitation here. An admin of a workspace sends it.');
  if (page === 'signup' && signUp === 'closed') withoutForm('Sign-up is closed here.');
  if (page === 'forgot' && !mail)
    withoutForm(
      'This installation sends no mail. Its operator makes a link for you: npm run reset-link -- your address',
    );
  const hint = find('hint-password', HTMLElement);
  if (hint !== undefined) hint.textContent = `At least ${passwordMin} characters, such as four random words.`;
  const button = find('provider', HTMLButtonElement);
  if (button === undefined || provider === null) return;
  button.textContent = `Sign in with ${provider.name}`;
  button.hidden = false;
  button.addEventListener('click', () => run(button, openProvider));
}

const OFFERING: readonly string[] = ['login', 'signup', 'setup', 'forgot', 'reset', 'invite'];

/** Shows what the installation offers on this page, and completes the sign-in with its provider. */
export function startOptions(): void {
  if (OFFERING.includes(page)) showOptions().catch(showProblem);
  if (page === 'oidc')
    completeProvider().catch((error: unknown) => {
      intro.hidden = true;
      showProblem(error);
    });
}

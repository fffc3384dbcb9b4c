/** Shows what the installation offers: its sign-in provider, and links only where they lead to something. */
export const OPTIONS_SCRIPT = `
const BINDING = 'sign-in';

/** Opens the provider. The secret stays in this tab: a sign-in that another site started has none. */
async function openProvider() {
  const { url, binding } = await call('POST', '/auth/oidc/start', {});
  sessionStorage.setItem(BINDING, JSON.stringify({ binding, next: nextPath() }));
  location.assign(url);
}

async function completeProvider() {
  const { binding, next } = JSON.parse(sessionStorage.getItem(BINDING) ?? '{}');
  sessionStorage.removeItem(BINDING);
  const query = location.search;
  history.replaceState(null, '', '/auth/oidc');
  if (binding === undefined) throw new Unusable('This sign-in was not started in this tab. Start it on the sign-in page.');
  const { state } = await call('POST', '/auth/oidc/login', { binding, query });
  if (state === 'code_needed') location.assign('/auth/code?next=' + encodeURIComponent(next));
  else location.assign(SAFE_PATH.test(next) ? next : home);
}

async function showOptions() {
  const { signUp, mail, passwordMin, provider } = await call('GET', '/auth/options');
  for (const link of document.querySelectorAll('nav a[href="/auth/signup"]')) link.hidden = signUp !== 'open';
  if (page === 'signup' && signUp !== 'open') {
    form.hidden = true;
    byId('intro').textContent = signUp === 'invite' ? 'Accounts are created by invitation here. An admin of a workspace sends it.' : 'Sign-up is closed here.';
  }
  if (page === 'forgot' && !mail) {
    form.hidden = true;
    byId('intro').textContent = 'This installation sends no mail. Its operator makes a link for you: npm run reset-link -- your address';
  }
  const hint = byId('hint-password');
  if (hint !== null && page !== 'verify') hint.textContent = 'At least ' + passwordMin + ' characters, such as four random words.';
  const button = byId('provider');
  if (button === null || provider === null) return;
  button.textContent = 'Sign in with ' + provider.name;
  button.hidden = false;
  button.addEventListener('click', () => run(button, openProvider));
}

if (['login', 'signup', 'setup', 'forgot', 'reset', 'invite'].includes(page)) showOptions().catch((error) => show(textOf(error), true));
if (page === 'oidc')
  completeProvider().catch((error) => {
    byId('intro').hidden = true;
    show(textOf(error), true);
  });
`;

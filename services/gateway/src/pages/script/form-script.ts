/** The form of a page: it is sent as JSON to its route. A token from behind the \`#\` of the address is in no request for the page. */
export const FORM_SCRIPT = `
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
  forgot: () => {
    form.hidden = true;
    show('If the address has an account, a mail with a link is on its way. The link works for 30 minutes.');
  },
  reset: () => location.assign('/auth/login?changed=password'),
};

/** The browser's own messages name what is missing; they are shown at the field. */
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  void run(form.querySelector('button[type=submit]'), async () => {
    const body = await call('POST', form.dataset.action, bodyOf());
    (DONE[page] ?? signedIn)(body);
  });
});

/** The token is kept in this tab, for a sign-in in between. */
async function showInvite() {
  sessionStorage.removeItem('invitation');
  const { workspace, role, email } = await call('GET', '/auth/invites/' + encodeURIComponent(token));
  byId('intro').textContent = 'You are invited to the workspace ' + workspace.name + ' with the role ' + role + ', as ' + email + '.';
  sessionStorage.setItem('invitation', token);
}

const changed = new URLSearchParams(location.search).get('changed');
if (changed === 'password') show('The password is set. Sign in with it.');
if (changed === 'address') show('The address is verified. Sign in with it.');
if (page === 'invite' && token !== '')
  showInvite().catch((error) => {
    form.hidden = true;
    byId('intro').hidden = true;
    show(textOf(error), true);
  });
`;

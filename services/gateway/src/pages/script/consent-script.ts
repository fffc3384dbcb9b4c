/** The page on which a person grants an application access to the workspace. The request is in the query of the address. */
export const CONSENT_SCRIPT = `
const CHOICES = {
  read: ['Read only', 'Stored pages, projects and changes. It can not fetch pages, spend credits or change anything.'],
  write: ['Read and write', 'It can also fetch pages, which costs credits, and create and change projects.'],
};

const choice = (name, isFirst) =>
  el('div', { className: 'field' },
    el('label', { className: 'choice' }, el('input', { type: 'radio', name: 'grant', value: name, checked: isFirst }), ' ' + CHOICES[name][0]),
    el('small', {}, CHOICES[name][1]));

async function decide(grant) {
  const body = { ...Object.fromEntries(new URLSearchParams(location.search)), grant };
  const { redirectTo } = await call('POST', '/oauth/consent', body, '');
  location.assign(redirectTo);
}

async function showConsent() {
  const { client, returnsTo, person, grants } = await call('GET', '/oauth/request' + location.search, undefined, '');
  const { workspace } = await call('GET', '/auth/session');
  byId('intro').hidden = false;
  byId('intro').textContent = client + ' requests access to the workspace ' + workspace.name + '. You are signed in as ' + person + '.';
  const choices = el('fieldset', {}, el('legend', {}, 'Access'), ...grants.map((name, at) => choice(name, at === 0)));
  const note = el('p', {}, 'Afterwards you return to ' + returnsTo + '. The name of the application is its own statement: continue only if you started this. An admin can revoke the access under the API keys of the workspace.');
  const allow = button('Allow', () => decide(choices.querySelector('input:checked').value), '');
  byId('content').replaceChildren(choices, note, allow, button('Deny', () => decide('deny')));
}

if (page === 'consent')
  showConsent().catch((error) => {
    if (error.code === 'unauthorized') return location.assign('/auth/login?next=' + encodeURIComponent(location.pathname + location.search));
    if (error.code === 'mfa_required') {
      show('The workspace requires a second factor. Set one up, and then open the link of the application again.', true);
      byId('content').replaceChildren(button('Set up a second factor', () => location.assign('/auth/account'), ''));
      return;
    }
    show(textOf(error), true);
  });
`;

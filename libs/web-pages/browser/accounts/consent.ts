// The page on which a person grants an application access to the workspace. The request is in the query of the URL.
import { call, decideAccess, isRefused, readAccessRequest } from './call.ts';
import { button, el } from './elements.ts';
import { fill, introduce, page, show } from './page.ts';
import { showProblem } from './run-action.ts';

type Grant = 'read' | 'write';

const CHOICES: Readonly<Record<Grant, { readonly name: string; readonly about: string }>> = {
  read: {
    name: 'Read only',
    about: 'Stored pages, projects and changes. It can not fetch pages, spend credits or change anything.',
  },
  write: {
    name: 'Read and write',
    about: 'It can also fetch pages, which costs credits, and create and change projects.',
  },
};

function choice(grant: Grant, isFirst: boolean): HTMLElement {
  const { name, about } = CHOICES[grant];
  const input = el('input', { type: 'radio', name: 'grant', value: grant, checked: isFirst });
  return el(
    'div',
    { className: 'field' },
    el('label', { className: 'choice' }, input, ` ${name}`),
    el('small', {}, about),
  );
}

async function decide(grant: string): Promise<void> {
  const request = Object.fromEntries(new URLSearchParams(location.search));
  const { redirectTo } = await decideAccess({ ...request, grant });
  location.assign(redirectTo);
}

async function showConsent(): Promise<void> {
  const { client, returnsTo, person, grants } = await readAccessRequest(location.search);
  const { workspace } = await call('GET /auth/session');
  introduce(`${client} requests access to the workspace ${workspace?.name ?? ''}. You are signed in as ${person}.`);
  const choices = el(
    'fieldset',
    {},
    el('legend', {}, 'Access'),
    ...grants.map((grant, index) => choice(grant, index === 0)),
  );
  const note = `Afterwards you return to ${returnsTo}. The name of the application is its own statement: continue only if you started this. An admin can revoke the access under the API keys of the workspace.`;
  const chosen = (): string => choices.querySelector<HTMLInputElement>('input:checked')?.value ?? 'deny';
  fill(
    choices,
    el('p', {}, note),
    button('Allow', () => decide(chosen()), 'main'),
    button('Deny', () => decide('deny')),
  );
}

/** Fills the page of a grant. */
export function startConsent(): void {
  if (page !== 'consent') return;
  showConsent().catch((error: unknown) => {
    if (isRefused(error, 'unauthorized'))
      location.assign(`/auth/login?next=${encodeURIComponent(location.pathname + location.search)}`);
    else if (isRefused(error, 'mfa_required')) {
      show(
        'The workspace requires a second factor. Set one up, and then open the link of the application again.',
        true,
      );
      fill(button('Set up a second factor', async () => location.assign('/auth/account'), 'main'));
    } else showProblem(error);
  });
}

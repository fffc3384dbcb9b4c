import { AccountServiceService as Accounts } from '@tidemark/contracts/identity/v1/accounts';
import type { CookieJar } from './api.ts';
import type { Fleet } from './fleet.ts';
import { codeOf, newEmail } from './people.ts';
import type { Workspace } from './workspaces.ts';

const phrase = (): string => `phrase ${crypto.randomUUID()}`;

/**
 * Uses the routes of accounts as a person does, with right and wrong values. Every request has these headers.
 * @returns every secret that was sent or received: passwords, cookies, tokens, codes
 */
export async function useAccounts(
  fleet: Fleet,
  workspace: Workspace,
  headers: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const secrets = new Set<string>();
  const keep = (value: string): string => {
    secrets.add(value);
    return value;
  };
  const visitor = () => {
    const { jar, request } = fleet.people.visitor();
    const send = async (method: string, path: string, body?: unknown) => {
      const response = await request(method, path, { headers, ...(body === undefined ? {} : { body }) });
      keepCookie(jar);
      return response.body as Record<string, never>;
    };
    return { jar, send };
  };
  const keepCookie = ({ cookie }: CookieJar): void => {
    const [, token = ''] = cookie.split('=');
    if (token !== '') keep(token);
  };

  const email = newEmail();
  const [password, later, last] = [keep(phrase()), keep(phrase()), keep(phrase())];
  const person = visitor();
  await person.send('POST', '/auth/signup', { email, password, name: 'Ann' });
  await visitor().send('POST', '/auth/login', { email, password: keep(phrase()) });
  await person.send('POST', '/auth/login', { email, password });
  await person.send('GET', '/auth/session');
  await person.send('POST', '/auth/verify', { token: keep('V'.repeat(43)) });
  await person.send('POST', '/auth/password', { current: password, password: later });
  const { secret = '' } = await person.send('PATCH', '/auth/profile', { two_factor: 'start', password: later });
  const { recoveryCodes = [] } = await person.send('POST', '/auth/2fa/verify', { code: codeOf(keep(secret)) });
  for (const code of recoveryCodes as readonly string[]) keep(code);
  const half = visitor();
  await half.send('POST', '/auth/login', { email, password: later });
  await half.send('POST', '/auth/2fa/verify', { recovery_code: keep('abcd-efgh-ijkl-mnop-qrst-uvwx') });
  await half.send('POST', '/auth/2fa/verify', { recovery_code: recoveryCodes[0] });
  await half.send('POST', '/auth/passkeys/options', { password: later });
  await visitor().send('POST', '/auth/oidc/login', {
    binding: keep('B'.repeat(43)),
    query: `?code=${keep('C'.repeat(43))}`,
  });
  const invited = await workspace.admin.post('/auth/invites', { email: newEmail(), role: 'member' }, headers);
  const [, token = ''] = (invited.body as { link: string }).link.split('#');
  await visitor().send('GET', `/auth/invites/${keep(token)}`);
  await visitor().send('POST', '/auth/invites/accept', { token, name: 'Bob', password: keep(phrase()) });
  const identity = fleet.dial('identity');
  const reset = await identity.call(Accounts.makeResetToken, { email }, { requestId: 'reset' });
  await identity.close();
  await visitor().send('POST', '/auth/reset', { token: keep(reset.token ?? ''), password: last });
  await visitor().send('POST', '/auth/forgot', { email });
  await person.send('POST', '/auth/logout', {});
  return [...secrets].filter((one) => one !== '');
}

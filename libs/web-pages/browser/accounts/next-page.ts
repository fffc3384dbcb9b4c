import { home, page } from './page.ts';
import { isPathOfOrigin } from './path-of-origin.ts';

/** Where the token of an opened invitation is kept in this tab, for a sign-in in between. */
const INVITATION = 'invitation';

/** Returns a path of this origin: the given one, or that of the home page. */
export const safePath = (path: string): string => (isPathOfOrigin(path) ? path : home);

export const keepInvitation = (token: string): void => sessionStorage.setItem(INVITATION, token);
export const dropInvitation = (): void => sessionStorage.removeItem(INVITATION);

/** Returns the page after a sign-in: the invitation that was opened before it, the path in the URL, or the home page. */
export function nextPath(): string {
  const invitation = sessionStorage.getItem(INVITATION);
  if (invitation !== null && page !== 'invite') return `/auth/invite#${invitation}`;
  dropInvitation();
  return safePath(new URLSearchParams(location.search).get('next') ?? '');
}

/** Opens the page that follows a sign-in. */
export function openNext({ state }: { readonly state?: string }): void {
  if (state === 'code_needed') location.assign(`/auth/code${location.search}`);
  else if (state === 'sign_in') location.assign('/auth/login?changed=address');
  else location.assign(nextPath());
}

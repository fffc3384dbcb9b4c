import { LoginId } from '@tidemark/api';
import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { noSuchId } from './checked-id.ts';

const NO_LOGIN = 'saved login not found';

/** Returns the id of a saved login. @throws AppError not_found if it is not well-formed */
export function checkedLoginId(id: string): string {
  if (!LoginId.safeParse(id).success) throw noSuchId('lgn', id, 'saved login');
  return id;
}

/**
 * Rejects a saved login for a key restricted to projects: such a key sees logins only through its projects. Whether the login
 * exists is checked when a page is fetched.
 * @throws AppError not_found
 */
export function refuseHiddenLogin(loginId: string, { projects }: Caller): void {
  if (loginId === '' || projects.length === 0) return;
  const msg = `config.login_id: ${NO_LOGIN}`;
  throw new AppError('not_found', msg, { detail: [{ loc: ['body', 'config', 'login_id'], msg, type: 'not_found' }] });
}

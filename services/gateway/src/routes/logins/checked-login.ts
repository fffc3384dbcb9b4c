import { LoginId } from '@tidemark/api';
import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';

const NO_LOGIN = 'there is no such saved login';

/** @throws AppError not_found for what is no id of a saved login */
export function checkedLoginId(id: string): string {
  if (!LoginId.safeParse(id).success) throw new AppError('not_found', NO_LOGIN);
  return id;
}

/**
 * A key for some projects sees a saved login through a project that names it alone: what is fetched for no project goes without.
 * Whether the login is there at all shows where pages are fetched: nothing is, without it.
 * @throws AppError not_found
 */
export function refuseHiddenLogin(loginId: string, { projects }: Caller): void {
  if (loginId === '' || projects.length === 0) return;
  const msg = `config.login_id: ${NO_LOGIN}`;
  throw new AppError('not_found', msg, { detail: [{ loc: ['body', 'config', 'login_id'], msg, type: 'not_found' }] });
}

/** @throws AppError validation for what is no cursor of the list */
export function checkedLoginCursor(cursor: string): string {
  if (cursor === '' || LoginId.safeParse(cursor).success) return cursor;
  const msg = 'expected the `cursor` of an earlier answer of this list';
  throw new AppError('validation', `cursor: ${msg}`, {
    detail: [{ loc: ['query', 'cursor'], msg, type: 'invalid_cursor' }],
  });
}

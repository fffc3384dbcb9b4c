import { AppError } from '@tidemark/errors';

/** Returns the ID of the saved login a config names; undefined: none. */
export function loginIdOf({ login_id: id }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Refusal of a config that names a login that does not exist. */
export function noSuchLogin(): AppError {
  const message = 'config.login_id: there is no such saved login; nothing is fetched signed out';
  return new AppError('not_found', message, {
    detail: [{ loc: ['body', 'config', 'login_id'], msg: message, type: 'not_found' }],
  });
}

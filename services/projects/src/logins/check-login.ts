import type { Caller } from '@tidemark/contracts';
import type { ConfigValues } from '../domain/config-values.ts';
import { loginGone, loginOf } from '../domain/login.ts';
import type { LoginStore } from './login-store.ts';

/** Refuses a change of config that names a login its caller may not see, by the key's name. */
export function makeCheckLogin(logins: Pick<LoginStore, 'find'>) {
  /** @throws AppError validation */
  return async (caller: Caller, change: ConfigValues): Promise<void> => {
    const login = loginOf(change);
    if (login !== undefined && (await logins.find(caller, login)) === undefined) throw loginGone();
  };
}

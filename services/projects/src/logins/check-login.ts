import type { ConfigValues } from '../domain/config-values.ts';
import { loginGone, loginOf } from '../domain/login.ts';
import type { Asked } from '../run-starter.ts';
import type { LoginProjectStore } from './login-projects.ts';
import type { SavedLogins } from './saved-logins.ts';

interface CheckLoginDeps {
  readonly logins: Pick<SavedLogins, 'exists'>;
  readonly loginProjects: Pick<LoginProjectStore, 'list'>;
}

/** Refuses a config change that names a login the caller may not see. A key with an allow-list sees the logins its projects name. */
export function makeCheckLogin({ logins, loginProjects }: CheckLoginDeps) {
  /** @throws AppError validation; unavailable if scrape cannot be reached */
  return async (asked: Asked, change: ConfigValues): Promise<void> => {
    const login = loginOf(change);
    if (login === undefined) return;
    const { caller } = asked;
    if (caller.projects.length > 0 && (await loginProjects.list(caller, [login])).length === 0) throw loginGone();
    if (!(await logins.exists(asked, login))) throw loginGone();
  };
}

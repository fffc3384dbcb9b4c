import type { ConfigValues } from '../domain/config-values.ts';
import { loginIdOf, noSuchLogin } from '../domain/login.ts';
import type { RequestContext } from '../request-context.ts';
import type { LoginProjectStore } from './login-project-store.ts';
import type { SavedLogins } from './saved-logins.ts';

/** Refuses a config change that names a login the caller may not see. @throws AppError not_found; unavailable without scrape */
export type CheckLogin = (context: RequestContext, change: ConfigValues) => Promise<void>;

interface CheckLoginDeps {
  readonly logins: Pick<SavedLogins, 'exists'>;
  readonly loginProjects: Pick<LoginProjectStore, 'list'>;
}

/** A key with a project allow-list sees the logins that its projects name. */
export function makeCheckLogin({ logins, loginProjects }: CheckLoginDeps): CheckLogin {
  return async (context, change) => {
    const loginId = loginIdOf(change);
    if (loginId === undefined) return;
    const { caller } = context;
    const isRestricted = caller.access.kind === 'only';
    if (isRestricted && (await loginProjects.list(caller, [loginId])).length === 0) throw noSuchLogin();
    if (!(await logins.exists(context, loginId))) throw noSuchLogin();
  };
}

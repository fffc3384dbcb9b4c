import type { Peer } from '@tidemark/service';
import type pg from 'pg';
import { type CheckLogin, makeCheckLogin } from './check-login.ts';
import { LoginProjectStore } from './login-project-store.ts';
import { SavedLogins } from './saved-logins.ts';

export interface ProjectLogins {
  readonly logins: SavedLogins;
  readonly loginProjects: LoginProjectStore;
  readonly checkLogin: CheckLogin;
}

/** Makes the parts of the saved logins that projects name. Scrape stores the logins. */
export function makeLogins({ pool, scrape }: { readonly pool: pg.Pool; readonly scrape: Peer }): ProjectLogins {
  const logins = new SavedLogins(scrape);
  const loginProjects = new LoginProjectStore(pool);
  return { logins, loginProjects, checkLogin: makeCheckLogin({ logins, loginProjects }) };
}

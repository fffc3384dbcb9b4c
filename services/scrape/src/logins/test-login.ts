import type { Caller } from '@tidemark/contracts';
import type { LoginProbe } from '@tidemark/contracts/scrape/v1/logins';
import { findingOfProbe, type Login, noLogin } from './login.ts';
import type { LoginSessions } from './login-sessions.ts';
import type { LoginStore } from './login-store.ts';
import type { ProbeLogin } from './probe-login.ts';
import { type LoginRef, reachTo } from './saved-logins.ts';

export interface TestLoginDeps {
  readonly logins: Pick<LoginStore, 'find' | 'note'>;
  readonly sessions: Pick<LoginSessions, 'open'>;
  readonly probe: ProbeLogin;
  readonly now: () => Date;
}

/**
 * Fetches a site's front page once with the session of a saved login, and stores what that shows about the session.
 * @throws AppError not_found, unavailable
 */
export type TestLogin = (
  caller: Caller,
  login: LoginRef,
  signal: AbortSignal,
) => Promise<{ login: Login; probe: LoginProbe }>;

export function makeTestLogin({ logins, sessions, probe, now }: TestLoginDeps): TestLogin {
  return async (caller, login, signal) => {
    const reach = reachTo(caller, login);
    const session = await sessions.open(reach, login.id);
    if (session === undefined) throw noLogin();
    const { version, frontPage, cookies } = session;
    const found = cookies.length === 0 ? allExpired : await probe({ url: frontPage, cookies }, signal);
    const finding = cookies.length === 0 ? { state: 'dead' as const, reason: found.reason } : findingOfProbe(found);
    await logins.note(login.id, { version, ...finding, at: now() });
    const tested = await logins.find(reach, login.id);
    if (tested === undefined) throw noLogin();
    return { login: tested, probe: found };
  };
}

const allExpired: LoginProbe = {
  answered: false,
  showsLogin: false,
  landedUrl: '',
  reason: 'every cookie of the session has expired',
};

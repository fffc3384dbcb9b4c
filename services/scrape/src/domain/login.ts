import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { SessionCookie } from '@tidemark/contracts/scrape/v1/logins';
import { isLoginUrl, LOGIN_FORM } from '@tidemark/page-reader';

/** The session of a saved login. Kept in memory only: never logged, never stored in a row. */
export interface LoginSession {
  readonly cookies: readonly SessionCookie[];
  /** Identifies the saved version of the session. */
  readonly edition: string;
}

/**
 * Opens a saved login. Resolves to undefined if it was deleted.
 * @throws AppError if it cannot be read
 */
export type OpenLogin = (workspaceId: string, loginId: string) => Promise<LoginSession | undefined>;

/** Signal of a page that was not fetched because its login was deleted. */
const LOGIN_GONE = 'saved login gone';
export const loginGone = () => ({
  verdict: 'blocked' as const,
  errorCode: 'LOGIN_REQUIRED' as const,
  reason: 'the saved login this page was to be read with is gone; it is not fetched signed out',
  signals: [LOGIN_GONE],
});

type SignInFields = Pick<PageRow, 'errorCode' | 'httpStatus' | 'signals'>;

/**
 * Returns true if the response requires signing in: a 401, or a log-in page. A document with a password does not count.
 */
export const requiresSignIn = ({ errorCode, httpStatus, signals }: SignInFields): boolean =>
  errorCode === 'LOGIN_REQUIRED' && (httpStatus === 401 || signals.includes(LOGIN_FORM));

/**
 * State of a saved login as a page shows it. `gone`: the login was deleted. `signed_out`: the site showed or redirected
 * to a log-in. `works`: the page was read. `nothing`: the page does not indicate it.
 */
export type LoginState = 'gone' | 'signed_out' | 'works' | 'nothing';

type LoginFields = Pick<PageRow, 'verdict' | 'errorCode' | 'signals' | 'askedUrl' | 'url'>;

/**
 * A bare 401 means HTTP authentication, and members may open a log-in URL too. Neither indicates the state of the
 * login.
 */
export function loginStateOf({ verdict, errorCode, signals, askedUrl, url }: LoginFields): LoginState {
  if (signals.includes(LOGIN_GONE)) return 'gone';
  if (isLoginUrl(askedUrl)) return 'nothing';
  if (verdict === 'ok' || verdict === 'thin') return 'works';
  if (errorCode !== 'LOGIN_REQUIRED') return 'nothing';
  return signals.includes(LOGIN_FORM) || isLoginUrl(url) ? 'signed_out' : 'nothing';
}

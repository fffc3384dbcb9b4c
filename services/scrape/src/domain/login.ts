import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { SessionCookie } from '@tidemark/contracts/scrape/v1/logins';
import { isLoginAddress, LOGIN_FORM } from './verdict-login.ts';

/** The session of a saved login, as captures fetch with it. In memory only: never logged, never in a row. */
export interface LoginSession {
  readonly cookies: readonly SessionCookie[];
  /** Tells the session from one saved in its place. */
  readonly edition: string;
}

/** Opens a saved login. @returns undefined where it is gone @throws AppError where it can't be told */
export type OpenLogin = (workspaceId: string, loginId: string) => Promise<LoginSession | undefined>;

/** What a row says of a page that was not fetched as its login is gone. */
const LOGIN_GONE = 'saved login gone';
export const loginGone = () => ({
  verdict: 'blocked' as const,
  errorCode: 'LOGIN_REQUIRED',
  reason: 'the saved login this page was to be read with is gone; it is not fetched signed out',
  signals: [LOGIN_GONE],
});

type Told = Pick<PageRow, 'errorCode' | 'httpStatus' | 'signals'>;

/** Whether the answer asks to sign in: a 401, or a page of log-in. A document that wants a password does not. */
export const asksToSignIn = ({ errorCode, httpStatus, signals }: Told): boolean =>
  errorCode === 'LOGIN_REQUIRED' && (httpStatus === 401 || signals.includes(LOGIN_FORM));

/**
 * What a page says of the login it was to be read with. `gone`: there is none of that name any more. `asks`: the site shows a log-in in the
 * page's stead, or led to one. `works`: the page was read. `nothing`: it was not, for another reason.
 */
export type LoginSight = 'gone' | 'asks' | 'works' | 'nothing';

type Seen = Pick<PageRow, 'verdict' | 'errorCode' | 'signals' | 'askedUrl' | 'url'>;

/** A bare 401 asks for a password of HTTP's own, and a page whose address says log-in is one for members, too: neither says anything. */
export function sightOfLogin({ verdict, errorCode, signals, askedUrl, url }: Seen): LoginSight {
  if (signals.includes(LOGIN_GONE)) return 'gone';
  if (isLoginAddress(askedUrl)) return 'nothing';
  if (verdict === 'ok' || verdict === 'thin') return 'works';
  if (errorCode !== 'LOGIN_REQUIRED') return 'nothing';
  return signals.includes(LOGIN_FORM) || isLoginAddress(url) ? 'asks' : 'nothing';
}

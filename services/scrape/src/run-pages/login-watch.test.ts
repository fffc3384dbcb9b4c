import { describe, expect, it } from '@jest/globals';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { pageRow } from '@tidemark/testkit';
import { loginGone } from '../domain/login.ts';
import { type EndedPage, LoginWatch } from './login-watch.ts';

const signInPage: Partial<PageRow> = { verdict: 'blocked', errorCode: 'LOGIN_REQUIRED', signals: ['login form'] };
const works: Partial<PageRow> = { verdict: 'ok', errorCode: 'OK' };
const failed: Partial<PageRow> = { verdict: 'blocked', errorCode: 'NETWORK' };

/** Pages of a run as they end. @returns after which of them its login is known to be dead */
function watched(rows: readonly Partial<PageRow>[], more: Partial<EndedPage> = {}): boolean[] {
  const watch = new LoginWatch();
  const page = { runId: 'run_1', loginId: 'login_1', isHome: false, ...more };
  return rows.map((row) => watch.see({ ...page, row: pageRow({ url: 'https://a.example/1', ...row }) }));
}

describe('the login of a run', () => {
  it('is dead after three pages in a row that require a login, regardless of failures between them', () => {
    expect(watched([signInPage, failed, signInPage, signInPage, signInPage])).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
    expect(watched([signInPage, signInPage, works, signInPage, signInPage])).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('is dead at once if the home page requires a login, or if the login is gone', () => {
    expect(watched([signInPage], { isHome: true })).toEqual([true]);
    expect(watched([loginGone()])).toEqual([true]);
  });

  it('is none where it has none', () => {
    expect(watched([signInPage, signInPage, signInPage], { loginId: undefined, isHome: true })).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('is not affected by the pages of another run', () => {
    const watch = new LoginWatch();
    const row = pageRow(signInPage);
    const of = (runId: string) => watch.see({ runId, loginId: 'login_1', isHome: false, row });
    expect(['a', 'b', 'a', 'b', 'c'].map(of)).toEqual([false, false, false, false, false]);
  });
});

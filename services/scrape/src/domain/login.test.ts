import { describe, expect, it } from '@jest/globals';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { captureOptions } from '@tidemark/testkit';
import { toCaptureOptions } from './capture-options.ts';
import { loginGone, loginStateOf } from './login.ts';
import { captureKey } from './page-task.ts';

const row = (more: Partial<PageRow> = {}) => ({
  verdict: 'blocked' as const,
  errorCode: 'LOGIN_REQUIRED' as const,
  httpStatus: 200,
  signals: ['login form'],
  askedUrl: 'https://site.example/members/1',
  url: 'https://site.example/members/1',
  ...more,
});

describe('loginStateOf', () => {
  it.each([
    ['signed_out', 'shows a log-in form', row()],
    ['signed_out', 'redirected to a log-in', row({ signals: [], url: 'https://site.example/login' })],
    ['signed_out', 'shows a log-in form with a 401', row({ httpStatus: 401 })],
    ['gone', 'was not fetched because the login was deleted', row(loginGone())],
    ['works', 'was read', row({ verdict: 'ok', errorCode: 'OK', signals: [] })],
    ['nothing', 'responds with a bare 401', row({ httpStatus: 401, signals: [] })],
    ['nothing', 'is a page to log in at', row({ askedUrl: 'https://site.example/login' })],
    ['nothing', 'is a password-protected document', row({ signals: [] })],
    ['nothing', 'is blocked', row({ errorCode: 'BLOCKED', signals: ['http 403'] })],
  ])('returns %s for a page that %s', (state, _, page) => {
    expect(loginStateOf(page)).toBe(state);
  });
});

describe('captureKey with a saved login', () => {
  it('differs between saved logins, and is unchanged for pages without one', () => {
    const keys = [undefined, 'login_1', 'login_2'].map((loginId) =>
      captureKey(toCaptureOptions(captureOptions({ loginId }))),
    );
    expect(new Set(keys).size).toBe(3);
    expect(keys[0]).toBe('Utc16_ahSUg5UMhC5chq8ZPWkM4');
  });
});
